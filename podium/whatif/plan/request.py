"""What is to be planned."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.whatif.plan.changes import Apply, Change
from podium.whatif.plan.completeness import completeness_warnings
from podium.whatif.plan.loaded_state import LoadedState
from podium.whatif.plan.resource_pressure import Pressure

NEXT_PODS_MAX = 4
"""Of how many workloads the next pods are tried for a plan or an order of classes."""

UNTIL_S = 600.0
LONGEST_S = 24 * 3600.0

Progress = Callable[[int, float], None]
"""Is told which of the seeds is played, from 1, and how many seconds of it have passed."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What to plan: a state, changes to it, and the rules by which they are played.

    Attributes:
        changes: what is changed, in order.
        eviction: when nodes evict pods; v1.36's defaults unless given.
        configuration: the scheduler's; v1.36's default one if None.
        alternatives_max: how many candidates besides the chosen one each preemption reports.
        seed: for what is left to chance; of several, that of the first.
        seeds: with how many seeds the plan is played, to see what depends on chance.
        until_s: for how long the plan is played, in seconds; None for `UNTIL_S`, and until all
            rollouts have come to an end, but no longer than `LONGEST_S`.
        repairs: whether controllers also make up for what the state lacks.
        heals: whether pods and nodes of the state that aren't healthy become so at the start.
        draws: whether the plan has what is on the nodes before and after, for pictures.
        is_whole: whether the state is all that a cluster has; of files nobody knows.
        next_pods_max: of how many workloads whose running pods keep a stale priority the next pods
            are tried, once the plan is over; with 0, stale priorities aren't looked for.
    """

    state: LoadedState
    changes: Sequence[Change] = ()
    pressures: Sequence[Pressure] = ()
    eviction: EvictionConfig = field(default_factory=lambda: read_eviction_config({}))
    configuration: LoadedConfiguration | None = None
    alternatives_max: int = 100
    seed: int = 0
    seeds: int = 1
    until_s: float | None = None
    repairs: bool = False
    heals: bool = False
    draws: bool = False
    is_whole: bool = False
    next_pods_max: int = 0

    @property
    def applied(self) -> list[Object]:
        """All manifests that are applied."""
        applied = (one.manifests for one in self.changes if isinstance(one, Apply))
        return [manifest for manifests in applied for manifest in manifests]

    @property
    def applied_by_identity(self) -> dict[Identity, Object]:
        """Those of them that decisions depend on; of two of one identity the last."""
        applied = (one.by_identity for one in self.changes if isinstance(one, Apply))
        return {found: obj for objects in applied for found, obj in objects.items()}

    def missing(self) -> list[str]:
        """Warnings about what the state lacks; none where it is all that a cluster has."""
        if self.is_whole:
            return []
        return completeness_warnings(self.state.facts, self.applied_by_identity.values())


def without_changes(request: PlanRequest) -> PlanRequest:
    """The same plan without anything being changed."""
    return replace(request, changes=(), pressures=())
