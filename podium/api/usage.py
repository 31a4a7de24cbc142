"""CPU and memory usage of nodes and containers, and the protocol of usage readers."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from podium.api.objects import Object


class Usage(NamedTuple):
    """An amount of CPU (in nanocores) and memory (in bytes)."""

    cpu_nanos: int
    memory_bytes: int


class UsageReader(Protocol):
    """Protocol of a reader of the current usage of nodes and pods."""

    def node(self, node: Object, now_s: float) -> Usage | None:
        """Return the usage of a node; None if it is unknown."""
        ...

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """Return the usage of a pod's containers by name; None if it is unknown."""
        ...
