"""The defaults of an embedded cluster."""

from dataclasses import dataclass

USUAL_PORT = 26443

ALL_CONTROLLERS = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShape:
    """What a simulated node has, as quantities."""

    cpu: str = "4"
    memory: str = "16Gi"
