"""How a simulation's nodes are set up."""

import msgspec

from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.kubelet.simulated.behaviour import AT_ONCE, Behaviour


class NodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of all simulated nodes of a cluster.

    Attributes:
        behaviour: of pods, as far as neither they nor their nodes say otherwise.
        eviction: how pods are evicted under pressure; annotations script what is used.
        seed: for what behaviours leave to chance.
        records_lives: whether starts, exits and restarts of containers are recorded as events;
            refusals and preemptions by nodes always are.
        writes_heartbeats: whether Leases are renewed in earnest, for others than Podium's own
            controller; otherwise they say that they are (see `podium.api.node_heartbeats`).
        simulates_all: whether all nodes are simulated, or only those with the annotation
            `podium.dev/simulated: "true"`, as others have kubelets of their own, or none.
        gathers_s: how long after kubelets have looked after pods they let news gather before they
            do so again, which costs less than a look for each.
    """

    behaviour: Behaviour = AT_ONCE
    eviction: EvictionConfig = msgspec.field(default_factory=lambda: read_eviction_config({}))
    seed: int = 0
    records_lives: bool = False
    writes_heartbeats: bool = False
    simulates_all: bool = True
    gathers_s: float = 0.0
