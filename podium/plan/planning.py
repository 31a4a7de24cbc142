"""A plan from beginning to end: state, changes, decisions, outcome."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from podium.api.meta import key, uid
from podium.config.load import Loaded as LoadedConfiguration
from podium.config.load import default_configuration
from podium.config.options import SchedulerOptions, VictimOrder
from podium.core.pods import PodInfo, placed_pod
from podium.core.preemption.importance import more_important, more_important_by_qos
from podium.node.admission import makes_room_by_force, objection
from podium.node.load import Load
from podium.plan.budgets import BudgetBook
from podium.plan.changing import apply
from podium.plan.completeness import completeness_warnings, limits_of_the_model
from podium.plan.deleting import delete
from podium.plan.loading import as_ready, load_state
from podium.plan.outcome import IgnoredPod, NodeRefusal, Plan, RejectedObject, RemovedPod
from podium.plan.queue import in_queue_order, scheduler_name, waiting
from podium.plan.run import Run, Watch
from podium.plan.state import State, node_name
from podium.plan.targets import Target
from podium.plan.victims import CandidateReader
from podium.plan.workloads import arrive
from podium.scheduler import Scheduler

Object = Mapping[str, Any]

_DECIDED_SEPARATELY = frozenset({"Node", "Pod", "PodDisruptionBudget"})


@dataclass(frozen=True, slots=True)
class Request:
    """What to plan.

    Attributes:
        state: the cluster's objects, valid and with their namespaces.
        applied: manifests to apply, in order, each object once.
        deleted: objects to delete from the state first.
        configuration: the scheduler's; v1.36's default one if None.
        alternatives_max: how many candidates besides the chosen one each preemption reports.
        seed: for what the configuration leaves to chance.
    """

    state: Sequence[Object]
    applied: Sequence[Object] = ()
    deleted: Sequence[Target] = ()
    configuration: LoadedConfiguration | None = None
    alternatives_max: int = 100
    seed: int = 0


@dataclass(slots=True)
class Prepared:
    """A request whose changes have been made, before anybody is scheduled.

    Attributes:
        before: the state as it was.
        after: the state with all changes; new pods are in it.
        arrivals: the new pods, in order of arrival.
        rejected: what wasn't let in.
        removed: pods that the changes take away.
        warnings: what may make the answer wrong.
        notes: what else is worth knowing.
    """

    before: State
    after: State
    arrivals: list[Object]
    rejected: list[RejectedObject]
    removed: list[RemovedPod]
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def prepare(request: Request) -> Prepared:
    """Load the state and make the changes.

    Raises:
        TargetError: something to delete isn't there.
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
        warnings=[*warnings, *completeness_warnings(before, after, arrivals.wanted)],
        notes=[*arrivals.notes],
    )
    model = limits_of_the_model(_undecided(prepared))
    prepared.warnings += model.warnings
    prepared.notes += model.notes
    return prepared


def plan(request: Request, watch: Watch | None = None) -> Plan:
    """What would happen.

    Args:
        request: state and changes.
        watch: told of every decision right after it was made, before anything changes.

    Raises:
        TargetError: something to delete isn't there.
    """
    prepared = prepare(request)
    session = Session(prepared, request, watch)
    return session.carried_out()


def _undecided(prepared: Prepared) -> list[Object]:
    """The pods that are to be scheduled, in order of arrival."""
    new = {uid(pod) for pod in prepared.arrivals}
    old = [pod for pod in prepared.after.pods if uid(pod) not in new]
    return [*waiting(old), *(pod for pod in prepared.arrivals if not node_name(pod))]


class Session:
    """A scheduler over a prepared state, and what it comes to.

    Attributes:
        scheduler: over nodes and pods that have a place.
    """

    def __init__(self, prepared: Prepared, request: Request, watch: Watch | None = None) -> None:
        loaded = request.configuration
        configuration = loaded.configuration if loaded else default_configuration()
        options = loaded.options if loaded else SchedulerOptions()
        self._prepared = prepared
        self._notes = [*(loaded.notes if loaded else ()), *prepared.notes]
        self._warnings = list(prepared.warnings)
        self._refusals: list[NodeRefusal] = []
        self.scheduler = Scheduler(configuration, options, rng=Random(request.seed))
        self._load()
        book = BudgetBook(prepared.before, prepared.after)
        self.scheduler.set_budgets(book.current())
        by_qos = options.victim_order is VictimOrder.QOS_CLASS
        self.reader = CandidateReader(
            self.scheduler.snapshot,
            self.scheduler.budgets,
            more_important_by_qos if by_qos else more_important,
        )
        self._book = book
        self._run = Run(
            self.scheduler,
            book,
            self.reader,
            alternatives_max=request.alternatives_max,
            watch=watch,
        )

    def carried_out(self) -> Plan:
        """Place the new pods that name their nodes, then all others in queue order."""
        self._start_on_named_nodes()
        undecided = _undecided(self._prepared)
        own = [pod for pod in undecided if scheduler_name(pod) in self.scheduler.pipelines]
        others = [pod for pod in undecided if scheduler_name(pod) not in self.scheduler.pipelines]
        self._run.work_off(self._queued(own))
        decided = self._run.decided
        return Plan(
            placements=tuple(decided.placements.values()),
            preemptions=tuple(decided.preemptions),
            pending=tuple(decided.pending.values()),
            budgets=self._book.changes(as_ready(pod) for pod in decided.placed.values()),
            refusals=tuple(self._refusals),
            rejected=tuple(self._prepared.rejected),
            gated=tuple(decided.gated),
            removed=tuple(self._prepared.removed),
            ignored=tuple(IgnoredPod(key(pod), scheduler_name(pod)) for pod in others),
            warnings=tuple(self._warnings),
            notes=tuple(self._notes),
        )

    def decide_alone(self, pod_key: str) -> None:
        """Decide about one pod that waits, as if nobody was before it in the queue."""
        self._start_on_named_nodes()
        profiles = self.scheduler.pipelines
        own = [pod for pod in _undecided(self._prepared) if scheduler_name(pod) in profiles]
        # All of them are made known: they may be nominated, and then count.
        queued = self._queued(own)
        self._run.work_off(pod for pod in queued if pod.key == pod_key)

    def _load(self) -> None:
        state = self._prepared.after
        new = {uid(pod) for pod in self._prepared.arrivals}
        placed = [pod for pod in state.pods if node_name(pod) and uid(pod) not in new]
        others = [obj for obj in state if obj["kind"] not in _DECIDED_SEPARATELY]
        self.scheduler.load(state.of_kind("Node"), placed, others)

    def _queued(self, pods: Iterable[Object]) -> list[PodInfo]:
        """Pods given in order of arrival, in the order in which they leave the queue."""
        infos = [self.scheduler.pending(pod) for pod in pods]
        # All profiles sort the queue in the same way: the configuration has to see to it.
        queue_sort = next(iter(self.scheduler.pipelines.values())).queue_sort
        return in_queue_order(infos, queue_sort)

    def _start_on_named_nodes(self) -> None:
        snapshot = self.scheduler.snapshot
        for obj in self._prepared.arrivals:
            wanted = node_name(obj)
            if not wanted:
                continue
            pod = placed_pod(obj, snapshot.classes)
            row = snapshot.row_of.get(wanted)
            node = None if row is None else snapshot.nodes[row]
            if row is None or node is None:
                text = f"{pod.key} asks for node {wanted}, which isn't there: nobody starts it"
                self._warnings.append(text)
                continue
            self._start(pod, node, row)

    def _start(self, pod: PodInfo, node: Object, row: int) -> None:
        """A pod has come to its node."""
        snapshot = self.scheduler.snapshot
        wanted, load = snapshot.names[row], Load(snapshot.pods_on[row])
        refused = objection(node, load, pod)
        if refused is not None:
            self._refusals.append(NodeRefusal(pod.key, wanted, refused.reason, refused.message))
            return
        if makes_room_by_force(node, load, pod):
            self._warnings.append(
                f"{wanted} is too full for {pod.key}, which is critical: its kubelet would stop "
                "other pods, and a plan doesn't say which"
            )
        snapshot.add_pod(pod, wanted)
        self._run.decided.place(pod, wanted, by_node_name=True)
