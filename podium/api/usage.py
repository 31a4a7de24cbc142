"""CPU and memory usage of nodes and containers, and the protocol of its readers."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from podium.api.objects import Object


class Usage(NamedTuple):
    """An amount of CPU, in billionths of a core, and of memory, in bytes."""

    cpu_nanos: int
    memory_bytes: int


class UsageReader(Protocol):
    """Reads the current usage."""

    def node(self, node: Object, now_s: float) -> Usage | None:
        """Return the usage of a node; None if it isn't known."""
        ...

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """Return the usage of a pod's containers by name; None if it isn't known."""
        ...
