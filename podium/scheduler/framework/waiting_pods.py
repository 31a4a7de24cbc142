"""Pods that wait on Permit until plugins allow them, reject them, or time is over."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping

from podium.scheduler.framework.status import SUCCESS, Status, unschedulable
from podium.scheduler.snapshot.pod_info import PodInfo

Settle = Callable[[Status], object]
"""Continues the binding cycle of a pod that waits no longer, or ends it."""


class WaitingPod:
    """A pod that waits on Permit, assumed on its node."""

    def __init__(
        self,
        pod: PodInfo,
        node_name: str,
        waits_s: Mapping[str, float],
        now_s: float,
        decided: Callable[["WaitingPod", Status], None],
    ) -> None:
        self.pod = pod
        self.node_name = node_name
        self._waits_s = dict(waits_s)
        self._since_s = now_s
        self._decided = decided

    @property
    def pending_plugins(self) -> list[str]:
        """The plugins that haven't allowed the pod yet."""
        return [*self._waits_s]

    @property
    def deadline_s(self) -> float:
        """When the first of them rejects the pod, in seconds since the epoch."""
        return self._since_s + min(self._waits_s.values())

    def allow(self, plugin: str) -> None:
        """Allow the pod in the name of a plugin; it is bound once all pending plugins have."""
        self._waits_s.pop(plugin, None)
        if not self._waits_s:
            self._decided(self, SUCCESS)

    def reject(self, plugin: str, message: str) -> None:
        """Reject the pod in the name of a plugin, by whose events it is tried again."""
        self._decided(self, unschedulable(message, plugin=plugin))

    def expire(self) -> None:
        """Reject the pod because its time is over."""
        plugin, wait_s = min(self._waits_s.items(), key=lambda entry: entry[1])
        self.reject(plugin, f"rejected due to timeout after waiting {wait_s:g}s at plugin {plugin}")


class WaitingPods:
    """The pods that wait on Permit, in the order in which they began to.

    What plugins decide about them takes effect once the scheduler calls `settle`.
    """

    def __init__(self) -> None:
        self._pods: dict[str, tuple[WaitingPod, Settle]] = {}
        self._settled: deque[tuple[Settle, Status]] = deque()

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter([pod for pod, _ in self._pods.values()])

    def get(self, pod_uid: str) -> WaitingPod | None:
        """Return a waiting pod by its uid; None if it doesn't wait."""
        pod, _ = self._pods.get(pod_uid, (None, None))
        return pod

    def add(
        self,
        pod: PodInfo,
        node_name: str,
        waits_s: Mapping[str, float],
        now_s: float,
        settle: Settle,
    ) -> None:
        """Let a pod wait for plugins, each for a number of seconds."""
        self._pods[pod.uid] = WaitingPod(pod, node_name, waits_s, now_s, self._decide), settle

    def remove(self, pod_uid: str) -> None:
        self._pods.pop(pod_uid, None)

    def expire(self, now_s: float) -> None:
        """Reject the pods that have waited too long."""
        for pod in self:
            if pod.deadline_s <= now_s:
                pod.expire()

    def next_deadline_s(self) -> float | None:
        return min((pod.deadline_s for pod in self), default=None) if self._pods else None

    def settle(self) -> None:
        """Carry out what has been decided, also meanwhile."""
        while self._settled:
            settle, status = self._settled.popleft()
            settle(status)

    def _decide(self, pod: WaitingPod, status: Status) -> None:
        # The first decision counts.
        _, settle = self._pods.pop(pod.pod.uid, (None, None))
        if settle is not None:
            self._settled.append((settle, status))
