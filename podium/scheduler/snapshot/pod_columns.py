"""The pods on nodes as columns with a slot for each pod, so that all pods are counted at once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.snapshot.pod_info import UNPLACED, PodInfo

_SLOTS_MIN = 64


class PodColumns:
    """Columns by slot, int64[slots]; slots of removed pods are reused."""

    def __init__(self) -> None:
        self.pods: list[PodInfo] = []
        """The pod of each slot; outdated if the slot is free."""
        self.held: list[NDArray[np.int64]] = []
        """By resource, int64[slots + 1], what each pod takes of its node; the last one is 0."""
        self._free: list[int] = []
        self._set_table(np.zeros((5, 0), np.int64))

    def _set_table(self, table: NDArray[np.int64]) -> None:
        self._table = table
        self.rows, self.classes, self.peer_groups, self.positions, self.starts = table
        """Of each pod its row, `UNPLACED` if the slot is free, the ids of its class and peer group,
        its position among the row's pods, and its `start_order`."""

    def take(self, pod: PodInfo, row: int, position: int, held: Iterable[tuple[int, int]]) -> None:
        """Assign a slot to a pod; `held` has (index of the resource's column, amount)."""
        if not self._free:
            first = len(self.pods)
            count = max(_SLOTS_MIN, first)
            # The placeholder is never read: the rows of free slots are UNPLACED.
            self.pods.extend([None] * count)  # type: ignore[list-item]
            self._set_table(np.pad(self._table, ((0, 0), (0, count))))
            self.rows[first:] = UNPLACED
            self.held = [np.pad(column, (0, count)) for column in self.held]
            self._free.extend(range(first + count - 1, first - 1, -1))
        slot = self._free.pop()
        pod.row, pod.slot = row, slot
        self.pods[slot] = pod
        self.rows[slot] = row
        self.classes[slot] = pod.cls.id
        self.peer_groups[slot] = pod.cls.peer_group.id
        self.positions[slot] = position
        for column, amount in held:
            while column >= len(self.held):
                self.held.append(np.zeros(len(self.rows) + 1, np.int64))
            self.held[column][slot] = amount
        self.restart(pod)

    def renumber(self) -> None:
        self.classes[:] = self.peer_groups[:] = 0
        for slot in np.flatnonzero(self.rows != UNPLACED).tolist():
            cls = self.pods[slot].cls
            self.classes[slot], self.peer_groups[slot] = cls.id, cls.peer_group.id

    def restart(self, pod: PodInfo) -> None:
        self.starts[pod.slot] = pod.start_order

    def move(self, pods: Iterable[PodInfo], row: int) -> None:
        for pod in pods:
            pod.row = self.rows[pod.slot] = row

    def release(self, pod: PodInfo) -> None:
        self.rows[pod.slot] = UNPLACED
        for column in self.held:
            column[pod.slot] = 0
        self._free.append(pod.slot)
        pod.row = pod.slot = UNPLACED


class ManyPods(Protocol):
    """Pods in an array of any shape; an element may have no pod."""

    @property
    def slots(self) -> NDArray[np.integer[Any]]:
        """The slot of each pod in the snapshot's columns, -1 for no pod."""

    @property
    def ids(self) -> NDArray[np.integer[Any]]: ...

    def held(self, column: int) -> NDArray[np.int64]:
        """Return the amount that each pod takes of a resource, by its column; 0 for no pod."""


def looked_up(
    width: int, ids: NDArray[np.integer[Any]], count: int, weights: Callable[[int], Sequence[int]]
) -> list[NDArray[np.int64]]:
    """Return `width` int64 arrays of the shape of `ids` with the weights of each id; 0 for -1.

    `weights` is called once for each distinct id.
    """
    table = np.zeros((width, count + 1), np.int64)
    for number in np.flatnonzero(np.bincount(ids.ravel() + 1)[1:]).tolist():
        table[:, number] = weights(number)
    return list(table[:, ids])
