"""Rows as they would be without some of their pods."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.core.filtering import NOBODY, Filtering
from podium.core.framework import FITS, Codes, FilterState, Rows
from podium.core.pod_classes import PodClasses
from podium.core.pods import PodInfo
from podium.core.snapshot import Snapshot

Integers = NDArray[np.int64]
Rivals = Sequence[tuple[int, Sequence[PodInfo]]]


class World:
    """Hypothetical rows for one class of pods; pods can be taken away and given back.

    A pod fits a row only if it fits both with and without the pods nominated there, as in
    RunFilterPluginsWithNominatedPods of v1.36.
    """

    def __init__(
        self, filtering: Filtering, snapshot: Snapshot, rows: Rows, rivals: Rivals = ()
    ) -> None:
        self._filtering = filtering
        self._snapshot = snapshot
        self._rows = rows
        filtering.meet(pod for _, pods in rivals for pod in pods)
        self._sums = [np.zeros((s.width, len(rows)), np.int64) for s in filtering.states]
        self._gone: list[set[int]] = [set() for _ in rows] if self._needs_pods() else []
        self._nominated = self._place_rivals(rivals)

    def remove(self, indexes: Integers, slots: Integers) -> None:
        """Take pods away: slots[i] from the row number indexes[i]."""
        self._change(indexes, slots, -1)

    def give_back(self, indexes: Integers, slots: Integers) -> None:
        """Undo `remove`."""
        self._change(indexes, slots, 1)

    def judge(self, indexes: Integers) -> tuple[Codes, Codes]:
        """Outcomes and blames, int32[n], of the rows number indexes[i], int64[n]."""
        outcome, blame = self._judge(indexes, with_rivals=False)
        crowded = self._nominated
        touched = [i for i, index in enumerate(indexes.tolist()) if index in crowded]
        if crowded and touched:
            among = np.array(touched)
            stricter, who = self._judge(indexes[among], with_rivals=True)
            refused = stricter != FITS
            outcome[among[refused]] = stricter[refused]
            blame[among[refused]] = who[refused]
        return outcome, blame

    def _judge(self, indexes: Integers, with_rivals: bool) -> tuple[Codes, Codes]:
        outcome = np.zeros(len(indexes), np.int32)
        blame = np.full(len(indexes), NOBODY, np.int32)
        open_places = np.arange(len(indexes))
        for number, state in enumerate(self._filtering.states):
            codes = self._codes(number, state, indexes[open_places], with_rivals)
            objects = codes != FITS
            if objects.any():
                refused = open_places[objects]
                outcome[refused], blame[refused] = codes[objects], number
                open_places = open_places[~objects]
                if not len(open_places):
                    break
        return outcome, blame

    def _codes(
        self, number: int, state: FilterState, indexes: Integers, with_rivals: bool
    ) -> Codes:
        rows = self._rows[indexes]
        if not state.additive:
            judged = [
                state.code_among(int(self._rows[i]), self._pods(i, with_rivals))
                for i in indexes.tolist()
            ]
            return np.array(judged, np.int32)
        if not state.width:
            return self._filtering.codes[number][rows]
        sums = self._sums[number][:, indexes]
        if with_rivals:
            for place, index in enumerate(indexes.tolist()):
                for pod in self._nominated[index]:
                    sums[:, place] += state.weights(pod.cls)
        return state.codes(rows, list(sums))

    def _change(self, indexes: Integers, slots: Integers, sign: int) -> None:
        columns = self._snapshot.pods
        classes = columns.classes[slots]
        for number, state in enumerate(self._filtering.states):
            if state.width:
                weights = _weights_of(state, classes, self._snapshot.classes)
                for sums, weight in zip(self._sums[number], weights, strict=True):
                    np.add.at(sums, indexes, sign * weight)
        if self._gone:
            for index, slot in zip(indexes.tolist(), slots.tolist(), strict=True):
                gone = self._gone[index]
                gone.add(slot) if sign < 0 else gone.discard(slot)

    def _pods(self, index: int, with_rivals: bool) -> list[PodInfo]:
        gone = self._gone[index]
        on_row = self._snapshot.pods_on[int(self._rows[index])]
        rivals = self._nominated[index] if with_rivals else ()
        return [*(pod for pod in on_row if pod.slot not in gone), *rivals]

    def _needs_pods(self) -> bool:
        return any(not state.additive for state in self._filtering.states)

    def _place_rivals(self, rivals: Rivals) -> dict[int, Sequence[PodInfo]]:
        if not rivals:
            return {}
        by_row = dict(rivals)
        return {
            index: by_row[row] for index, row in enumerate(self._rows.tolist()) if row in by_row
        }


def _weights_of(state: FilterState, classes: Integers, known: PodClasses) -> Integers:
    """int64[width, pods]: the weights of pods by their classes."""
    distinct, inverse = np.unique(classes, return_inverse=True)
    table = np.array([state.weights(known[c]) for c in distinct.tolist()], np.int64)
    return table.T[:, inverse] if len(distinct) else np.zeros((state.width, 0), np.int64)
