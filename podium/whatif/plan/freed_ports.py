"""Host ports that count as free although a pod holds them.

kube-scheduler v1.36 keeps the ports in use on a node as a set: of two pods with one port, which
only pods that name their node can be, either frees it by leaving.
"""

from dataclasses import dataclass

from podium.api.documents.report import Report
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FreedPort(Report):
    """A port that the scheduler takes for free.

    Attributes:
        node: where.
        port: number and protocol, with the address unless it is every one.
        pod: who holds it.
    """

    node: str
    port: str
    pod: str


def freed_ports(snapshot: Snapshot, pod: PodInfo) -> list[FreedPort]:
    """The ports in a pod's way that count as free, by node."""
    wanted = pod.cls.host_ports
    return sorted(
        (
            FreedPort(snapshot.names[row], str(port), holder.key)
            for row, freed in snapshot.freed_ports.items()
            for port in freed
            if any(map(port.conflicts, wanted))
            for holder in snapshot.pods_on[row]
            if port in holder.cls.host_ports
        ),
        key=lambda found: (found.node, found.port, found.pod),
    )
