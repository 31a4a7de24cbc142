"""The settings of simulated nodes."""

import msgspec

from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.kubelet.simulated.behaviour import AT_ONCE, Behaviour


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all simulated nodes of a cluster.

    Attributes:
        behaviour: the default behaviour of pods.
        seed: for random durations and usage.
        records_lives: whether starts, exits and restarts of containers are recorded as events;
            rejections and preemptions by nodes always are.
        writes_heartbeats: whether Leases are renewed, for other readers than Podium's own
            controller (see `podium.api.node_heartbeats`).
        simulates_all: whether all nodes are simulated, or only those with the annotation
            `podium.dev/simulated: "true"`, as others have their own kubelets, or none.
        gathers_s: the time between two syncs for which changes are gathered, which costs less than
            a sync for each.
    """

    behaviour: Behaviour = AT_ONCE
    eviction: EvictionConfig = msgspec.field(default_factory=lambda: read_eviction_config({}))
    seed: int = 0
    records_lives: bool = False
    writes_heartbeats: bool = False
    simulates_all: bool = True
    gathers_s: float = 0.0
