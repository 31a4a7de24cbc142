"""The defaults of an embedded cluster."""

from collections.abc import Mapping

import msgspec

USUAL_PORT = 26443

DEFAULT_NODES = 3
"""How many simulated nodes there are, unless somebody says otherwise."""

ALL_CONTROLLERS = "*"


class NodeShape(msgspec.Struct, frozen=True, kw_only=True):
    """What simulated nodes are like.

    Attributes:
        resources: what else each has, or has in place of these, such as `nvidia.com/gpu: "1"`.
        zones: over how many zones they are spread, `zone-1` and so on; 0 for none.
    """

    cpu: str = "4"
    memory: str = "16Gi"
    resources: Mapping[str, str] = msgspec.field(default_factory=dict)
    zones: int = 0
