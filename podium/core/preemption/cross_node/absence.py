"""Pods that are away for as long as a question is asked."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from podium.core.pods import PodInfo
from podium.core.snapshot import Snapshot


class Absence:
    """Takes pods off their nodes; at the end all are back, in the order in which they were.

    Args:
        snapshot: that the pods are in.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._away: dict[str, tuple[PodInfo, str]] = {}
        self._orders: dict[int, list[PodInfo]] = {}
        self._freed_ports = dict(snapshot.freed_ports)

    def take(self, pods: Iterable[PodInfo]) -> None:
        """Take pods away that are there."""
        for pod in pods:
            snapshot, row = self._snapshot, pod.row
            self._orders.setdefault(row, list(snapshot.pods_on[row]))
            self._away[pod.uid] = (pod, snapshot.names[row])
            snapshot.remove_pod(pod)

    def give_back(self, pod: PodInfo) -> None:
        """Put a pod back that is away."""
        self._snapshot.add_pod(*self._away.pop(pod.uid))

    def __enter__(self) -> Self:
        """The same object."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put everybody back."""
        for pod, _ in list(self._away.values()):
            self.give_back(pod)
        for row, pods in self._orders.items():
            # Who came meanwhile, and was there when somebody was taken, has left.
            self._snapshot.reorder(row, [pod for pod in pods if pod.row == row])
        self._snapshot.freed_ports = self._freed_ports
