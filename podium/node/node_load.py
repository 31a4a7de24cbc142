"""What the pods of one node take of it, kept up to date pod by pod."""

from collections import Counter
from collections.abc import Iterable

from podium.core.host_ports import HostPort
from podium.core.pods import PodInfo

PODS = "pods"


class NodeLoad:
    """The amounts of resources and the host ports that the pods of one node hold.

    Attributes:
        amounts: by resource: cpu in thousandths, others in units, and `pods`.
        ports: how many pods hold each.
    """

    def __init__(self, pods: Iterable[PodInfo] = ()) -> None:
        self.amounts: Counter[str] = Counter()
        self.ports: Counter[HostPort] = Counter()
        for pod in pods:
            self.add(pod)

    def add(self, pod: PodInfo) -> None:
        """Count a pod."""
        self.amounts[PODS] += 1
        self.amounts.update(pod.cls.held)
        self.ports.update(pod.cls.host_ports)

    def remove(self, pod: PodInfo) -> None:
        """Count a pod no more; it must be as it was when it was added."""
        self.amounts[PODS] -= 1
        self.amounts.subtract(pod.cls.held)
        self.ports.subtract(pod.cls.host_ports)

    def holds(self, wanted: Iterable[HostPort]) -> bool:
        """Whether a port is taken that conflicts with one of these."""
        wishes = list(wanted)
        return any(count and any(map(port.conflicts, wishes)) for port, count in self.ports.items())
