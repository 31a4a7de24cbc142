"""NodePorts: the host ports that a pod requests must be free on its node.

Two host ports conflict if their ports and protocols are equal, and their addresses are equal or one
is 0.0.0.0.

kube-scheduler v1.36 keeps the used ports of a node as a set. If two pods hold one port, which they
can't by its own decisions, the port is free once either pod leaves, until the other is updated. A
dry run of preemption that removes a pod likewise frees ports that remaining pods hold.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import spec_of
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_removal,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, FilterState, Scope
from podium.scheduler.framework.status import Status, rejection
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums
from podium.scheduler.snapshot.host_ports import HostPort, host_ports
from podium.scheduler.snapshot.log import Cursor
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change, Snapshot

_TAKEN = 1
_NONE: frozenset[HostPort] = frozenset()


class NodePorts:
    """Rules out nodes where a requested host port is taken (Filter)."""

    name = "NodePorts"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot

    def events_to_register(self) -> Sequence[EventHint]:
        return (
            after_removal(
                EventResource.ASSIGNED_POD,
                lambda pod, gone: bool(_rivals(host_ports(spec_of(gone)), pod.cls.host_ports)),
            ),
            after_change(EventResource.NODE, Action.ADD),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.host_ports

    def filter(self, pod: PodInfo) -> FilterState | None:
        wanted = pod.cls.host_ports
        return _Ports(self._snapshot, wanted, pod.priority) if wanted else None


def _rivals(held: Iterable[HostPort], wanted: Iterable[HostPort]) -> frozenset[HostPort]:
    wishes = list(wanted)
    return frozenset(port for port in held if any(map(port.conflicts, wishes)))


class _Ports(FilterState):
    """Filter state by the number of conflicting ports that the pods of a row hold.

    With `extra`, pods of lower priority have been removed, and some restored: a port that one of
    them held conflicts only if one was restored with it. A second sum counts the removed pods, to
    tell such rows from those with added pods alone.
    """

    plugin = NodePorts.name
    scope = Scope.ROW
    width = 2

    def __init__(self, snapshot: Snapshot, wanted: frozenset[HostPort], priority: int) -> None:
        self._snapshot = snapshot
        self._wanted = wanted
        self._priority = priority
        self._rivals: dict[int, frozenset[HostPort]] = {}
        self._changes: Cursor[Change] | None = None
        self._lower = np.zeros(0, np.int64)
        self._kept = np.zeros(0, bool)

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        if extra:
            if self._changes is None or self._changes.new() != []:
                self._changes = self._snapshot.log.cursor()
                self._lower = self._sums(lower=True)
                self._kept = self._sums(lower=False) > 0
                for row in np.flatnonzero(self._kept & (self._lower > 0)).tolist():
                    self._kept[row] = self._keeps(row)
            taken = (self._lower[rows] + extra[0] > 0) | self._kept[rows]
        else:
            taken = (self._sums(lower=True) + self._sums(lower=False))[rows] > 0
        if self._snapshot.freed_ports:
            for place in np.flatnonzero(np.isin(rows, list(self._snapshot.freed_ports))).tolist():
                taken[place] = self._is_taken(
                    int(rows[place]), [int(sums[place]) for sums in extra]
                )
        return np.where(taken, _TAKEN, FITS).astype(np.int32)

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        return _TAKEN if self._is_taken(row, extra) else FITS

    def weights(self, cls: PodClass) -> Sequence[int]:
        return len(self._rivals_of(cls)), int(cls.priority < self._priority)

    def status(self, row: int, code: int) -> Status:
        return rejection(code, "node(s) didn't have free ports for the requested pod ports")

    def _rivals_of(self, cls: PodClass) -> frozenset[HostPort]:
        rivals = self._rivals.get(cls.id)
        if rivals is None:
            rivals = self._rivals[cls.id] = _rivals(cls.host_ports, self._wanted)
        return rivals

    def _is_taken(self, row: int, extra: Sequence[int]) -> bool:
        pods = self._snapshot.pods_on[row]
        came, left = extra or (0, 0)
        if left:
            lower = sum(len(self._rivals_of(p.cls)) for p in pods if p.priority < self._priority)
            return lower + came > 0 or self._keeps(row)
        freed = self._snapshot.freed_ports.get(row, _NONE)
        return came > 0 or any(self._rivals_of(pod.cls) - freed for pod in pods)

    def _keeps(self, row: int) -> bool:
        """Return whether some conflicting port is only held by pods of no lower priority."""
        lower, others = set(self._snapshot.freed_ports.get(row, _NONE)), set[HostPort]()
        for pod in self._snapshot.pods_on[row]:
            ports = lower if pod.priority < self._priority else others
            ports |= self._rivals_of(pod.cls)
        return not others <= lower

    def _sums(self, *, lower: bool) -> NDArray[np.int64]:
        """Count the conflicting ports of each row's pods of lower, or else of no lower priority."""
        classes = self._snapshot.classes
        weights = [
            len(self._rivals_of(cls)) if (cls.priority < self._priority) == lower else 0
            for cls in map(classes.__getitem__, range(len(classes)))
        ]
        return self._snapshot.sum_by_row(np.array(weights, np.int64))
