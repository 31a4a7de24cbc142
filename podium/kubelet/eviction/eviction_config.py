"""How a node's eviction is configured; `podium.kubelet.kubelet_config` reads it."""

import msgspec

from podium.kubelet.eviction.eviction_ranking import EvictionOrder
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.thresholds import Threshold

DEFAULT_TRANSITION_PERIOD_S = 300.0
DEFAULT_HOUSEKEEPING_S = 10.0
"""How long the manager waits after a round in which it evicted no pod."""


class EvictionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings by which a node evicts pods under pressure.

    Attributes:
        max_pod_grace_period_s: what a pod gets at most when a soft threshold evicts it.
        transition_period_s: how long a node condition stays after its thresholds were last met.
        isolates_local_storage: whether limits of local storage are enforced.
        filesystems: of the node.
        order: in which pods go.
        housekeeping_s: between two rounds.
        separates_disk_gc: the feature gate KubeletSeparateDiskGC, without which the kubelet can't
            work where images and containers are split.
    """

    thresholds: tuple[Threshold, ...] = ()
    max_pod_grace_period_s: int = 0
    transition_period_s: float = DEFAULT_TRANSITION_PERIOD_S
    isolates_local_storage: bool = True
    filesystems: Filesystems = msgspec.field(default_factory=Filesystems)
    order: EvictionOrder = EvictionOrder.DEFAULT
    housekeeping_s: float = DEFAULT_HOUSEKEEPING_S
    separates_disk_gc: bool = True
