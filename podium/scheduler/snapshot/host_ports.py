"""Host ports that pods request."""

from typing import NamedTuple

from podium.api.objects import Object
from podium.api.pods import containers_of, init_containers_of
from podium.api.resources import is_sidecar

_ALL_ADDRESSES = "0.0.0.0"


class HostPort(NamedTuple):
    """A host port of a container."""

    address: str
    protocol: str
    number: int

    def __str__(self) -> str:
        address = "" if self.address == _ALL_ADDRESSES else f"{self.address}:"
        return f"{address}{self.number}/{self.protocol}"

    def conflicts(self, other: "HostPort") -> bool:
        return self[1:] == other[1:] and (
            self.address == other.address or _ALL_ADDRESSES in (self.address, other.address)
        )


def host_ports(spec: Object) -> frozenset[HostPort]:
    """Return the host ports that a pod with this spec uses while it runs."""
    sidecars = filter(is_sidecar, init_containers_of(spec))
    return frozenset(
        HostPort(
            port.get("hostIP") or _ALL_ADDRESSES, port.get("protocol") or "TCP", port["hostPort"]
        )
        for container in (*containers_of(spec), *sidecars)
        for port in container.get("ports") or ()
        if port.get("hostPort")
    )
