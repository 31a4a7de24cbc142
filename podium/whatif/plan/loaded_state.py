"""States that are loaded once, and planned on as often as one likes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS
from podium.api.kinds.snapshot_kinds import Identity, decisive
from podium.api.nodes import taints_of
from podium.api.objects import Object, is_terminating, spec_of, status_of
from podium.api.pods import is_finished, node_name_of
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.api.taints import NO_EXECUTE
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.cluster_options import start_s
from podium.controllers.job.job_status import is_over
from podium.whatif.plan.completeness import StateFacts


@dataclass(frozen=True, eq=False)
class LoadedState:
    """The objects of a cluster, which mustn't change, and what is made of them once for all plans.

    Attributes:
        objects: the cluster's, valid and with their namespaces.
        read_s: when they were read from a running cluster, in seconds since the epoch; None if the
            objects alone tell what time it is.
    """

    objects: Sequence[Object]
    read_s: float | None = None
    _loaded: dict[tuple[bool, bool], tuple[Cluster, Sequence[str]]] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def by_identity(self) -> dict[Identity, Object]:
        """What decisions depend on."""
        return decisive(self.objects)

    @cached_property
    def facts(self) -> StateFacts:
        """What warnings need to know of the same objects."""
        return StateFacts(self.by_identity.values())

    @cached_property
    def start_s(self) -> float:
        """When plans begin, in seconds since the epoch."""
        mentioned_s = start_s(self.objects)
        return mentioned_s if self.read_s is None else max(mentioned_s, self.read_s)

    @cached_property
    def is_restless(self) -> bool:
        """Whether anything may happen to the pods without any changes."""
        return any(map(_may_move, self.objects))

    def load(self, *, settled: bool = True, heals: bool = False) -> tuple[Cluster, Sequence[str]]:
        """A cluster that it is loaded into, not to be started, and what is odd about it."""
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

    def load_into(self, cluster: Cluster) -> list[str]:
        """Load it into a cluster that starts at `start_s`; return what is odd about it."""
        options = cluster.options
        loaded, notes = self.load(settled=options.settled, heals=options.heals)
        cluster.adopt(loaded)
        return [*notes]


def _may_move(obj: Object) -> bool:
    if obj.get("kind") == "Node":
        taints = taints_of(obj)
        return any(taint.get("effect") == NO_EXECUTE for taint in taints)
    if obj.get("kind") == "Job":
        # Whether a Job will make pods, as when it waits because some have failed.
        spec, status = spec_of(obj), status_of(obj)
        if not status.get("startTime") or spec.get("suspend") or is_over(obj):
            return False
        wanted = spec.get("parallelism", 1)
        if spec.get("completions") is not None:
            wanted = min(wanted, spec["completions"] - (status.get("succeeded") or 0))
        return bool((status.get("active") or 0) < wanted)
    waits = obj.get("kind") == "Pod" and not node_name_of(obj)
    return waits and not is_finished(obj) and not is_terminating(obj)
