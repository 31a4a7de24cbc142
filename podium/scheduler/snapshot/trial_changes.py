"""Temporary changes of a snapshot: pods removed from their nodes, and pods added."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot

_PUT = ""


class TrialChanges:
    """Removes and adds pods in a snapshot while the context is active; then restores it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._done: list[tuple[PodInfo, str]] = []
        self._orders: dict[int, list[PodInfo]] = {}
        self._freed_ports = dict(snapshot.freed_ports)

    def take(self, pods: Iterable[PodInfo]) -> None:
        for pod in pods:
            snapshot, row = self._snapshot, pod.row
            self._orders.setdefault(row, list(snapshot.pods_on[row]))
            self._done.append((pod, snapshot.names[row]))
            snapshot.remove_pod(pod)

    def restore(self, pod: PodInfo) -> None:
        number = next(n for n, (other, _) in enumerate(self._done) if other is pod)
        self._snapshot.add_pod(*self._done.pop(number))

    def put(self, pod: PodInfo, node_name: str) -> None:
        placed = placed_pod(pod.obj, self._snapshot.classes)
        self._snapshot.add_pod(placed, node_name)
        self._done.append((placed, _PUT))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # In reverse order, so that each pod gets its former slot.
        for pod, node_name in reversed(self._done):
            if node_name == _PUT:
                self._snapshot.remove_pod(pod)
            else:
                self._snapshot.add_pod(pod, node_name)
        for row, pods in self._orders.items():
            # A pod that was put on the row before another was taken isn't there any more.
            self._snapshot.reorder(row, [pod for pod in pods if pod.row == row])
        self._snapshot.freed_ports = self._freed_ports
