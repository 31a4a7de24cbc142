"""Making the changes of a plan: the state as it was, and as it is when the first pod is decided."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import controller_of, namespace, uid
from podium.config.load import Loaded as LoadedConfiguration
from podium.node.pressure.config import EvictionConfig, read_config
from podium.plan.changing import apply
from podium.plan.completeness import completeness_warnings, limits_of_the_model
from podium.plan.deleting import delete
from podium.plan.loading import load_state
from podium.plan.outcome import RejectedObject, RemovedPod
from podium.plan.pressing import Pressure, press
from podium.plan.queue import waiting
from podium.plan.state import State, node_name
from podium.plan.targets import Target
from podium.plan.workloads import arrive

Object = Mapping[str, Any]

UNTIL_S = 600.0


@dataclass(frozen=True, slots=True)
class Request:
    """What to plan.

    Attributes:
        state: the cluster's objects, valid and with their namespaces.
        applied: manifests to apply, in order, each object once.
        deleted: objects to delete from the state first.
        pressures: what nodes are put under, once all else is changed.
        eviction: when nodes evict pods; v1.36's defaults unless given.
        configuration: the scheduler's; v1.36's default one if None.
        alternatives_max: how many candidates besides the chosen one each preemption reports.
        seed: for what is left to chance; of several, that of the first.
        seeds: with how many seeds the plan is played, to see what depends on chance.
        until_s: for how long the plan is played, in seconds.
    """

    state: Sequence[Object]
    applied: Sequence[Object] = ()
    deleted: Sequence[Target] = ()
    pressures: Sequence[Pressure] = ()
    eviction: EvictionConfig = field(default_factory=lambda: read_config({}))
    configuration: LoadedConfiguration | None = None
    alternatives_max: int = 100
    seed: int = 0
    seeds: int = 1
    until_s: float = UNTIL_S


@dataclass(slots=True)
class Prepared:
    """A request whose changes have been made, before anybody is scheduled.

    Attributes:
        before: the state as it was.
        after: the state with all changes; new pods are in it.
        arrivals: the new pods, in order of arrival.
        rejected: what wasn't let in.
        removed: pods that the changes take away.
        lost: those of them that lose their node without being meant themselves.
        warnings: what may make the answer wrong.
        notes: what else is worth knowing.
    """

    before: State
    after: State
    arrivals: list[Object]
    rejected: list[RejectedObject]
    removed: list[RemovedPod]
    lost: list[Object]
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def waiting(self) -> list[Object]:
        """The pods of the state that wait for a place, in order of arrival."""
        new = {uid(pod) for pod in self.arrivals}
        return waiting(pod for pod in self.after.pods if uid(pod) not in new)

    def named(self) -> list[Object]:
        """New pods that name their node themselves."""
        return [pod for pod in self.arrivals if node_name(pod)]

    def undecided(self) -> list[Object]:
        """The pods that are to be scheduled, in order of arrival."""
        return [*self.waiting(), *(pod for pod in self.arrivals if not node_name(pod))]


def prepare(request: Request) -> Prepared:
    """Load the state and make the changes.

    Raises:
        TargetError: something to delete isn't there.
        PressureError: a node can't be put under the pressure that is asked for.
    """
    before, warnings = load_state(request.state)
    after = before.copy()
    removed = delete(after, request.deleted)
    applied = apply(after, request.applied)
    nodes_changed = applied.nodes_changed or any(t.kind == "Node" for t in request.deleted)
    arrivals = arrive(after, applied.sources, nodes_changed=nodes_changed)
    prepared = Prepared(
        before=before,
        after=after,
        arrivals=arrivals.pods,
        rejected=[*applied.rejected, *arrivals.rejected],
        removed=[*removed, *arrivals.removed],
        lost=[*_lost(removed, before, after)],
        warnings=[*warnings, *completeness_warnings(before, after, arrivals.wanted)],
        notes=[*arrivals.notes],
    )
    model = limits_of_the_model(prepared.undecided())
    prepared.warnings += model.warnings
    prepared.notes += model.notes
    press(after, request.pressures)
    return prepared


def _lost(removed: Iterable[RemovedPod], before: State, after: State) -> Iterable[Object]:
    """Pods that went with their nodes, unless their controllers went too."""
    for gone in removed:
        place, _, called = gone.pod.partition("/")
        pod = before.get("Pod", place, called)
        if pod is not None and gone.is_evicted and _owner(pod, before) == _owner(pod, after):
            yield pod


def _owner(pod: Object, state: State) -> bool:
    """Whether a state has a pod's controller."""
    owner = controller_of(pod) or {}
    return state.get(str(owner.get("kind")), namespace(pod), str(owner.get("name"))) is not None
