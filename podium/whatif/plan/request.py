"""The input of a plan: a loaded state, changes to it, and the rules of the simulation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS
from podium.api.kinds.snapshot_kinds import Identity, decisive
from podium.api.nodes import NO_EXECUTE, taints_of
from podium.api.objects import Object, is_terminating, spec_of, status_of
from podium.api.pods import is_finished, node_name_of
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.cluster_options import start_s
from podium.controllers.job.job_status import is_over
from podium.kubelet.eviction.eviction_manager import EvictionConfig
from podium.kubelet.kubelet_config import read_eviction_config
from podium.scheduler.config.load import Loaded as LoadedConfiguration
from podium.whatif.plan.changes import Apply, Change
from podium.whatif.plan.completeness import StateFacts, completeness_warnings
from podium.whatif.plan.resource_pressure import Pressure

NEXT_PODS_MAX = 4
"""The most workloads whose next pods are tried in a plan, or in a step of a rollout order."""

UNTIL_S = 600.0
LONGEST_S = 24 * 3600.0

Progress = Callable[[int, float], None]
"""Called with the number of the simulated seed, from 1, and the simulated seconds so far."""


@dataclass(frozen=True, eq=False)
class LoadedState:
    """The objects of a cluster, with cached values that all plans derive from them."""

    objects: Sequence[Object]
    read_s: float | None = None
    """When they were read from a running cluster, in seconds since the epoch; None if only the
    times in the objects are known."""
    _loaded: dict[tuple[bool, bool], tuple[Cluster, Sequence[str]]] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def by_identity(self) -> dict[Identity, Object]:
        """The objects that scheduling decisions depend on, by identity."""
        return decisive(self.objects)

    @cached_property
    def facts(self) -> StateFacts:
        """The properties of the state by which missing objects are detected."""
        return StateFacts(self.by_identity.values())

    @cached_property
    def start_s(self) -> float:
        """The time at which plans begin, in seconds since the epoch: the latest known time."""
        mentioned_s = start_s(self.objects)
        return mentioned_s if self.read_s is None else max(mentioned_s, self.read_s)

    @cached_property
    def is_restless(self) -> bool:
        """True if pods may be created, bound or deleted without any changes."""
        return any(map(_may_move, self.objects))

    def load(self, *, settled: bool = True, heals: bool = False) -> tuple[Cluster, Sequence[str]]:
        """Return a shared cluster with the state, not to be started, and notes about loading."""
        if (settled, heals) not in self._loaded:
            kinds = tuple(OPTIONAL_KINDS.values())
            options = ClusterOptions(
                start_s=self.start_s, settled=settled, heals=heals, kinds=kinds
            )
            cluster = Cluster(options)
            with without_garbage_collection():
                notes = cluster.load(self.by_identity.values())
            self._loaded[settled, heals] = cluster, notes
        return self._loaded[settled, heals]


def _may_move(obj: Object) -> bool:
    match obj.get("kind"):
        case "Node":
            return any(taint.get("effect") == NO_EXECUTE for taint in taints_of(obj))
        case "Pod":
            return not (node_name_of(obj) or is_finished(obj) or is_terminating(obj))
        case "Job":
            # Whether a Job will make pods, as when it waits because some have failed.
            spec, status = spec_of(obj), status_of(obj)
            if not status.get("startTime") or spec.get("suspend") or is_over(obj):
                return False
            wanted = spec.get("parallelism", 1)
            if spec.get("completions") is not None:
                wanted = min(wanted, spec["completions"] - (status.get("succeeded") or 0))
            return bool((status.get("active") or 0) < wanted)
    return False


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The input of a plan: a state, changes to it, and the rules of the simulation."""

    state: LoadedState
    changes: Sequence[Change] = ()
    pressures: Sequence[Pressure] = ()
    eviction: EvictionConfig = field(default_factory=lambda: read_eviction_config({}))
    """The eviction settings of kubelets; by default those of v1.36."""
    configuration: LoadedConfiguration | None = None
    """The configuration of the scheduler; v1.36's default one if None."""
    alternatives_max: int = 100
    """How many candidates besides the chosen node each preemption reports."""
    seed: int = 0
    seeds: int = 1
    """With how many seeds the plan is simulated, to find what depends on chance."""
    until_s: float | None = None
    """The simulated time in seconds; None for `UNTIL_S` and, while drains or rollouts go on or
    nodes fail, up to `LONGEST_S`."""
    repairs: bool = False
    """Whether controllers create at the start what the state lacks, such as pods."""
    heals: bool = False
    """Whether unhealthy pods and nodes of the state become healthy at the start."""
    draws: bool = False
    """Whether to report the pods on nodes before and after, for pictures."""
    is_whole: bool = False
    """Whether the state has all objects of its cluster; unknown of files."""
    next_pods_max: int = 0
    """The most workloads with stale priorities whose next pods are tried at the end; with 0, stale
    priorities aren't searched."""

    @property
    def applied(self) -> list[Object]:
        """The manifests of all `Apply` changes."""
        applied = (change.manifests for change in self.changes if isinstance(change, Apply))
        return [manifest for manifests in applied for manifest in manifests]

    def missing(self) -> list[str]:
        """Return a warning about what the state lacks; an empty list if it is complete."""
        if self.is_whole:
            return []
        applied = {
            identity: obj
            for change in self.changes
            if isinstance(change, Apply)
            for identity, obj in change.by_identity.items()
        }
        return completeness_warnings(self.state.facts, applied.values())


def without_changes(request: PlanRequest) -> PlanRequest:
    """Copy a request without its changes and pressures."""
    return replace(request, changes=(), pressures=())
