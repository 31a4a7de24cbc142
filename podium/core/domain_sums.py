"""Sums over the pods of each topology domain: the nodes with the same value of a label.

Inter-pod affinity asks how much the pods of a node's zone, host or rack weigh together, for any
topology key that occurs. Sums are made once from all pods, and then follow what changes.
"""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from podium.core.framework import Rows
from podium.core.node_columns import ABSENT, LabelColumn
from podium.core.pod_classes import PodClass
from podium.core.snapshot import Snapshot

Weigh = Callable[[PodClass], Mapping[str, int]]


class DomainSums:
    """For each topology key the sums of its domains.

    Attributes:
        keys: the topology keys met so far; numbers of keys below are indexes into it.
        nonzero: how many domains, of all keys, have a sum other than 0.
        crossed: whether the last change made a sum positive, or no longer positive.
    """

    def __init__(self, snapshot: Snapshot, weigh: Weigh, among: Iterable[PodClass]) -> None:
        """Sum up all pods.

        Args:
            snapshot: the cluster; of one node epoch for as long as this is used.
            weigh: what a pod of a class weighs, by topology key.
            among: the classes, of those that there are now, that may weigh anything.
        """
        self.keys: list[str] = []
        self.nonzero = 0
        self.crossed = False
        self._snapshot = snapshot
        self._weigh = weigh
        self._weights: dict[int, tuple[int, ...]] = {}
        self._columns: list[LabelColumn] = []
        self._codes_at: list[memoryview] = []
        self._sums: list[NDArray[np.int64]] = []
        self._rows: Rows | None = None
        self._codes_of_rows: list[NDArray[np.int32]] = []
        self._sum_up(among)

    def __len__(self) -> int:
        return len(self.keys)

    def weights(self, cls: PodClass) -> tuple[int, ...]:
        """What a pod of the class weighs, by number of key; keys yet to come count 0."""
        known = self._weights.get(cls.id)
        if known is None:
            known = self._weights[cls.id] = self._weights_by_number(self._weigh(cls))
        return known

    def _weights_by_number(self, by_key: Mapping[str, int]) -> tuple[int, ...]:
        if not by_key:
            return ()
        for key in by_key:
            if key not in self.keys:
                self._add_key(key)
        return tuple(by_key.get(key, 0) for key in self.keys)

    def padded_weights(self, cls: PodClass) -> tuple[int, ...]:
        """`weights` for all keys met so far."""
        known = self.weights(cls)
        return known + (0,) * (len(self.keys) - len(known))

    def change(self, row: int, cls: PodClass, sign: int) -> bool:
        """A pod came to (1) or left (-1) a row; whether any sum has changed.

        `crossed` tells whether any sum began or ceased to be positive by it.
        """
        changed = False
        self.crossed = False
        for number, weight in enumerate(self.weights(cls)):
            code = self._codes_at[number][row]
            if weight and code != ABSENT:
                sums = self._sums[number]
                before = int(sums[code])
                after = before + sign * weight
                sums[code] = after
                self.nonzero += (after != 0) - (before != 0)
                self.crossed |= (after > 0) != (before > 0)
                changed = True
        return changed

    def of(self, number: int, rows: Rows) -> NDArray[np.int64]:
        """The sums of the rows' domains, int64[n]; 0 where a node lacks the label."""
        return self._sums[number][self._columns[number].codes[rows]]

    def total(self, rows: Rows) -> NDArray[np.int64]:
        """The sums of the rows' domains, all keys added up, int64[n].

        The domains of rows are remembered for as long as it is asked about the same array.
        """
        if rows is not self._rows:
            self._rows = rows
            self._codes_of_rows = []
        known = len(self._codes_of_rows)
        self._codes_of_rows += [column.codes[rows] for column in self._columns[known:]]
        total = np.zeros(len(rows), np.int64)
        for sums, codes in zip(self._sums, self._codes_of_rows, strict=True):
            total += sums[codes]
        return total

    def has(self, number: int, rows: Rows) -> NDArray[np.bool_]:
        """Which rows have the label, bool[n]."""
        present: NDArray[np.bool_] = self._columns[number].codes[rows] != ABSENT
        return present

    def number_of(self, key: str) -> int:
        """The number of a key, which is made if it is new."""
        if key not in self.keys:
            self._add_key(key)
        return self.keys.index(key)

    def _add_key(self, key: str) -> None:
        column = self._snapshot.columns.label(key)
        self.keys.append(key)
        self._columns.append(column)
        self._codes_at.append(column.codes.data)
        # The last element stands for nodes without the label, whose code is -1; it stays 0.
        self._sums.append(np.zeros(len(column.values) + 1, np.int64))

    def _sum_up(self, among: Iterable[PodClass]) -> None:
        tables = [(cls.id, weights) for cls in among if (weights := self.weights(cls))]
        for number, column in enumerate(self._columns):
            weights_of_classes = np.zeros(len(self._snapshot.classes), np.int64)
            for class_id, weights in tables:
                if number < len(weights):
                    weights_of_classes[class_id] = weights[number]
            by_row = self._snapshot.sum_by_row(weights_of_classes)
            np.add.at(self._sums[number], column.codes, by_row)
            self._sums[number][ABSENT] = 0
            self.nonzero += int(np.count_nonzero(self._sums[number]))
