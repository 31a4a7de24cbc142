"""The defaults of an embedded cluster."""

from collections.abc import Mapping

import msgspec

USUAL_PORT = 26443

DEFAULT_NODES = 3
"""Number of simulated nodes of a new cluster."""

ALL_CONTROLLERS = "*"


class NodeShape(msgspec.Struct, frozen=True, kw_only=True):
    """The resources and zones of simulated nodes."""

    cpu: str = "4"
    memory: str = "16Gi"
    resources: Mapping[str, str] = msgspec.field(default_factory=dict)
    """More resources (`nvidia.com/gpu: "1"`), or other amounts of cpu, memory or pods."""
    zones: int = 0
    """Number of zones (`zone-1`, …) over which nodes are spread; 0 for no zone labels."""
