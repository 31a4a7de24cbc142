"""What nodes and pods use, as far as the API server needs to be told."""

from collections.abc import Mapping
from typing import Protocol

from podium.api.objects import Object
from podium.kubelet.simulated.metered_usage import Usage


class UsageReader(Protocol):
    """Knows what is used now."""

    def node(self, node: Object, now_s: float) -> Usage | None:
        """What is used on a node; None if that isn't known."""
        ...

    def pod(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """What the containers of a pod use, by name; None if that isn't known."""
        ...
