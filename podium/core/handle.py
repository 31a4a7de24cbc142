"""What a plugin is given to look around with."""

from dataclasses import dataclass

from podium.core.listers import Listers
from podium.core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Handle:
    """The cluster as plugins see it.

    Attributes:
        snapshot: nodes and the pods on them.
        listers: other objects.
    """

    snapshot: Snapshot
    listers: Listers
