"""Ports that pods want of their nodes."""

from typing import NamedTuple

from podium.api.objects import Object
from podium.api.pod_specs import containers_of, init_containers_of
from podium.api.resources import is_sidecar

_ALL_ADDRESSES = "0.0.0.0"


class HostPort(NamedTuple):
    """A port of a node, as a container wants it."""

    address: str
    protocol: str
    number: int

    def __str__(self) -> str:
        address = "" if self.address == _ALL_ADDRESSES else f"{self.address}:"
        return f"{address}{self.number}/{self.protocol}"

    def conflicts(self, other: "HostPort") -> bool:
        """Whether both can't be held on one node."""
        return self[1:] == other[1:] and (
            self.address == other.address or _ALL_ADDRESSES in (self.address, other.address)
        )


def host_ports(spec: Object) -> frozenset[HostPort]:
    """The ports that a pod wants of its node, for as long as it runs."""
    sidecars = filter(is_sidecar, init_containers_of(spec))
    return frozenset(
        HostPort(
            port.get("hostIP") or _ALL_ADDRESSES, port.get("protocol") or "TCP", port["hostPort"]
        )
        for container in (*containers_of(spec), *sidecars)
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )
