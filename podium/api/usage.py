"""Usage of CPU and memory by nodes and containers, and the protocol to read it."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from podium.api.objects import Object


class Usage(NamedTuple):
    """An amount of CPU, in billionths of a core, and of memory, in bytes."""

    cpu_nanos: int
    memory_bytes: int


class UsageReader(Protocol):
    """Knows what is used now."""

    def node(self, node: Object, now_s: float) -> Usage | None:
        """What is used on a node; None if that isn't known."""
        ...

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """What the containers of a pod use, by name; None if that isn't known."""
        ...
