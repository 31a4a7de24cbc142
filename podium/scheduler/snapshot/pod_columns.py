"""The pods on nodes as columns: a slot a pod, so that all pods can be counted at once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.snapshot.pod_info import UNPLACED, PodInfo

_SLOTS_MIN = 64


class PodColumns:
    """Columns by slot, int64[slots]; slots of pods that left are used again.

    Attributes:
        pods: the pod of each slot; stale where the slot is free.
        rows: `UNPLACED` where the slot is free.
        starts: `PodInfo.start_order`.
        held: int64[slots + 1] by column of resources, what it takes of its node; the last one is 0.
    """

    def __init__(self) -> None:
        self.pods: list[PodInfo] = []
        self.rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self.classes = self.rows.copy()
        self.peer_groups = self.rows.copy()
        self.positions = self.rows.copy()
        self.starts = self.rows.copy()
        self.held: list[NDArray[np.int64]] = []
        self._free: list[int] = []

    def take(self, pod: PodInfo, row: int, position: int, held: Iterable[tuple[int, int]]) -> None:
        """Give the pod a slot; `held` has columns of resources, and what it takes of each."""
        if not self._free:
            first = len(self.pods)
            count = max(_SLOTS_MIN, first)
            # The placeholder is never read: the rows of free slots are UNPLACED.
            self.pods.extend([None] * count)  # type: ignore[list-item]
            self.rows = np.concatenate((self.rows, np.full(count, UNPLACED, np.int64)))
            blank = np.zeros(count, np.int64)
            self.classes = np.concatenate((self.classes, blank))
            self.peer_groups = np.concatenate((self.peer_groups, blank))
            self.positions = np.concatenate((self.positions, blank))
            self.starts = np.concatenate((self.starts, blank))
            self.held = [np.concatenate((column, blank)) for column in self.held]
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
        """Take note of the new numbers of classes and peer groups; a free slot keeps none."""
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
    """Pods in an array of any shape, parts of which may be empty."""

    @property
    def slots(self) -> NDArray[np.integer[Any]]:
        """Where each pod is in the snapshot's columns of pods, -1 where there is no pod."""

    @property
    def ids(self) -> NDArray[np.integer[Any]]:
        """The number of each pod's class, -1 where there is no pod."""

    def held(self, column: int) -> NDArray[np.int64]:
        """What each takes of a resource, by its number among the snapshot's; 0 for no pod."""


def looked_up(
    width: int,
    ids: NDArray[np.integer[Any]],
    count: int,
    weights: Callable[[int], Sequence[int]],
) -> list[NDArray[np.int64]]:
    """Weights by number, each looked at once: `width` arrays int64 of the shape of `ids`.

    An id of -1 stands for no weight at all.
    """
    table = np.zeros((width, count + 1), np.int64)
    for number in np.flatnonzero(np.bincount(ids.ravel() + 1)[1:]).tolist():
        table[:, number] = weights(number)
    return list(table[:, ids])
