"""NodePorts, one node at a time, with the set of used ports that upstream's NodeInfo keeps."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from podium.api.objects import Object
from tests.reference.verdict import UNSCHEDULABLE, Verdict

Port = tuple[str, str, int]


@dataclass
class UsedPorts:
    """A port is in the set or not, however many pods hold it."""

    ports: set[Port] = field(default_factory=set)

    def add(self, pods: Iterable[Object]) -> None:
        for pod in pods:
            self.ports |= set(ports_of(pod))

    def remove(self, pods: Iterable[Object]) -> None:
        for pod in pods:
            self.ports -= set(ports_of(pod))

    def check_conflict(self, port: Port) -> bool:
        address, protocol, number = port
        for used_address, used_protocol, used_number in self.ports:
            if (used_protocol, used_number) != (protocol, number):
                continue
            if address in ("0.0.0.0", used_address) or used_address == "0.0.0.0":
                return True
        return False


def ports_of(pod: Object) -> list[Port]:
    sidecars = [
        container
        for container in pod["spec"].get("initContainers", [])
        if container.get("restartPolicy") == "Always"
    ]
    return [
        (port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", port["hostPort"])
        for container in pod["spec"]["containers"] + sidecars
        for port in container.get("ports", [])
        if port.get("hostPort", 0) > 0
    ]


def filter_node(pod: Object, used: UsedPorts) -> Verdict:
    if any(used.check_conflict(port) for port in ports_of(pod)):
        return UNSCHEDULABLE, ("node(s) didn't have free ports for the requested pod ports",)
    return None
