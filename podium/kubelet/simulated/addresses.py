"""Addresses of simulated nodes and pods: made up, but each is given once at a time."""

from podium.api.objects import Object, status_of

_NODES = 172 << 24 | 16 << 16
_PODS = 10 << 24 | 128 << 16
_PODS_PER_NODE_BITS = 9
_NODES_MAX = 1 << (23 - _PODS_PER_NODE_BITS)


class Addresses:
    """The addresses of one node: one of 172.16.0.0/12, and a /23 of 10.128.0.0/9 for its pods.

    Addresses repeat from the 16,384th node on, and from the 511th pod of one node on.
    """

    def __init__(self, node: Object, number: int) -> None:
        """Set aside the addresses of node `number`, from 0; its internal one is kept."""
        told = status_of(node).get("addresses") or ()
        internal = (one["address"] for one in told if one.get("type") == "InternalIP")
        self.host = next(internal, _dotted(_NODES + 1 + number % _NODES_MAX))
        self._first = _PODS + (number % _NODES_MAX << _PODS_PER_NODE_BITS)
        self._next = 0
        self._used: set[str] = set()

    def take(self) -> str:
        """An address for a pod; the one that was free for longest."""
        count = (1 << _PODS_PER_NODE_BITS) - 2
        for _ in range(count):
            address = _dotted(self._first + 1 + self._next)
            self._next = (self._next + 1) % count
            if address not in self._used:
                break
        self._used.add(address)
        return address

    def keep(self, address: str) -> None:
        """Take note of an address that a pod has already."""
        self._used.add(address)

    def give_back(self, address: str) -> None:
        """A pod doesn't need its address any more."""
        self._used.discard(address)


def _dotted(number: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
