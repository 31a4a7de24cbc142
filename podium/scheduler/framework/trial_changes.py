"""Temporary changes of a cluster: pods removed from their nodes, and pods added, with devices."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from podium.api.devices.resource_claims import pod_reference
from podium.api.objects import Object, Place, entries, name, namespace, status_of
from podium.scheduler.devices.extended_resources import IN_MEMORY
from podium.scheduler.devices.freed_devices import known_claims
from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.listers import TrialVersions
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod

_PUT = ""


class TrialChanges:
    """Removes and adds pods while the context is active; then restores everything.

    An added pod gets its devices. Those of removed pods become free if the option
    `devicePreemption` is enabled.
    """

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._finder = handle.finder
        self._done: list[tuple[PodInfo, str]] = []
        self._orders: dict[int, list[PodInfo]] = {}
        self._freed_ports = dict(handle.snapshot.freed_ports)
        self._claims = _TrialClaims(handle)

    def take(self, pods: Iterable[PodInfo]) -> None:
        for pod in pods:
            snapshot, row = self._snapshot, pod.row
            self._orders.setdefault(row, list(snapshot.pods_on[row]))
            self._done.append((pod, snapshot.names[row]))
            snapshot.remove_pod(pod)
            self._claims.take(pod)

    def restore(self, pod: PodInfo) -> None:
        number = next(n for n, (other, _) in enumerate(self._done) if other is pod)
        self._snapshot.add_pod(*self._done.pop(number))
        self._claims.restore(pod)

    def put(self, pod: PodInfo, node_name: str) -> None:
        self._claims.put(pod, node_name)
        placed = placed_pod(pod.obj, self._snapshot.classes)
        self._snapshot.add_pod(placed, node_name)
        self._done.append((placed, _PUT))

    def add_claims(self, claims: Iterable[Object]) -> None:
        for claim in claims:
            self._claims.versions.show(claim)

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
        self._claims.versions.undo()


class _TrialClaims:
    # The versions of claims during a trial: without reservations of the removed pods, and with
    # allocations for the added ones.

    def __init__(self, handle: Handle) -> None:
        self._listers = handle.listers
        self._finder = handle.finder
        self._frees = handle.options.device_preemption
        self._gone: set[str] = set()
        self.versions = TrialVersions(handle.listers)
        # As they are without removals.
        self._whole: dict[Place, Object] = {}

    def take(self, pod: PodInfo) -> None:
        self._gone.add(pod.uid)
        self._revise(pod)

    def restore(self, pod: PodInfo) -> None:
        self._gone.discard(pod.uid)
        self._revise(pod)

    def put(self, pod: PodInfo, node_name: str) -> None:
        for claim, allocation in self._finder.allocations(pod, node_name):
            users = [*entries(status_of(claim), "reservedFor"), pod_reference(pod.obj)]
            status = {**status_of(claim), "allocation": allocation, "reservedFor": users}
            metadata = claim["metadata"]
            if name(claim) == IN_MEMORY:
                metadata = {**metadata, "name": f"{IN_MEMORY}-{pod.uid}"}
            made = {**claim, "metadata": metadata, "status": status}
            self.versions.show(made)
            self._whole[namespace(made), name(made)] = made

    def _revise(self, pod: PodInfo) -> None:
        for claim in known_claims(self._listers, pod) if self._frees else ():
            whole = self._whole.setdefault((namespace(claim), name(claim)), claim)
            users = entries(status_of(whole), "reservedFor")
            left = [user for user in users if user.get("uid") not in self._gone]
            status = {**status_of(whole), "reservedFor": left}
            if users and not left:
                status["allocation"] = None
            self.versions.show({**whole, "status": status})
