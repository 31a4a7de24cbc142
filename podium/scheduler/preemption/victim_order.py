"""The order of a node's pods by importance, the most important first.

Pods are compared by keys, and then by start time: the pod that started first is more important.
kube-scheduler has one key, the priority (MoreImportantPod of `pkg/scheduler/util/utils.go`, v1.36).
A pod that hasn't started counts as started at the time of the comparison. So of two such pods with
equal keys the first argument is always the more important one. Equal pods are in the order of Go's
unstable `sort.Slice`; see `go_sort`.
"""

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.resources import stored_or_computed_qos
from podium.scheduler.config.scheduler_options import VictimOrder
from podium.scheduler.preemption.go_sort import INSERTION_MAX, go_sort
from podium.scheduler.snapshot.pod_info import NOT_STARTED, PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

Integers = NDArray[np.int64]

_QOS_RANKS = {"Guaranteed": 2, "Burstable": 1, "BestEffort": 0}


class ImportanceKey(msgspec.Struct, frozen=True):
    """A key by which pods are compared; the pod with the greater value is more important."""

    of_pod: Callable[[PodInfo], int]
    """Computes the value of a pod."""
    of_slots: Callable[[Snapshot, Integers], Integers]
    """Computes the values, int64[pods], of the pods in slots, int64[pods]."""


class Importance(msgspec.Struct, frozen=True):
    """An order of pods by importance: by keys, then by start time."""

    keys: tuple[ImportanceKey, ...]

    def is_more_important(self, a: PodInfo, b: PodInfo) -> bool:
        for key in self.keys:
            of_a, of_b = key.of_pod(a), key.of_pod(b)
            if of_a != of_b:
                return of_a > of_b
        if a.start_ns is None and b.start_ns is None:
            return True
        return a.start_order < b.start_order

    def sort(self, pods: list[PodInfo]) -> None:
        """Sort the pods of a node in place, the most important first, with ties as in Go's sort."""
        go_sort(pods, self.is_more_important)

    def order(self, snapshot: Snapshot, slots: Integers, rows: Integers) -> Integers:
        """Return the permutation that sorts `slots` by `rows`, int64[pods], then as `sort`."""
        starts, positions = snapshot.pods.starts[slots], snapshot.pods.positions[slots]
        # Go's insertion sort reverses pods that haven't started: each is the first argument of its
        # comparisons with the pods before it.
        turns = np.where(starts == NOT_STARTED, -positions, positions)
        columns = (rows, *(-key.of_slots(snapshot, slots) for key in self.keys), starts)
        order: Integers = np.lexsort((turns, *reversed(columns)))
        # Rows on which more pods than Go's insertion sort takes have ties are sorted again.
        long = np.bincount(rows) > INSERTION_MAX
        if not long.any():
            return order
        tied = np.ones(len(order) - 1, bool)
        for column in columns:
            in_order = column[order]
            tied &= in_order[1:] == in_order[:-1]
        in_order = rows[order]
        for row in np.unique(in_order[1:][tied & long[in_order][1:]]):
            places = np.flatnonzero(in_order == row)
            members = sorted(order[places], key=lambda m: int(snapshot.pods.positions[slots[m]]))
            numbered = [(snapshot.pods.pods[slots[member]], member) for member in members]
            go_sort(numbered, lambda a, b: self.is_more_important(a[0], b[0]))
            order[places] = [member for _, member in numbered]
        return order


def column_of(of_pod: Callable[[PodInfo], int]) -> ImportanceKey:
    """Make a key from a function of one pod, which is called for each slot."""

    def of_slots(snapshot: Snapshot, slots: Integers) -> Integers:
        return np.array([of_pod(snapshot.pods.pods[slot]) for slot in slots.tolist()], np.int64)

    return ImportanceKey(of_pod, of_slots)


def _qos_rank(pod: PodInfo) -> int:
    return _QOS_RANKS[stored_or_computed_qos(pod.obj)]


PRIORITY = ImportanceKey(
    lambda pod: pod.priority,
    lambda snapshot, slots: snapshot.classes.priorities()[snapshot.pods.classes[slots]],
)
QOS_CLASS = column_of(_qos_rank)

IMPORTANCE = {
    VictimOrder.DEFAULT: Importance((PRIORITY,)),
    VictimOrder.QOS_CLASS: Importance((PRIORITY, QOS_CLASS)),
}
"""The orders by value of the option `victimOrder`."""
