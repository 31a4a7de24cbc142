"""A plan in a cluster of its own: loaded, changed, and played until it is over."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS, POD_GROUP
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, annotations, key, name, status_of
from podium.api.pods import node_name_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.cluster.virtual import CONTROLLERS, Cluster, ClusterOptions, SchedulerSetup
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, PREFIX, NodeSettings
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import Scheduler
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline import Observer
from podium.simulation.timeline.preemption_recorder import PreemptionRecorder
from podium.whatif.plan.changer import Changer
from podium.whatif.plan.changes import Apply, Change, Cordon, Delete, Fail
from podium.whatif.plan.completeness import ModelLimits, limits_of_the_model
from podium.whatif.plan.plan_report import RejectedObject
from podium.whatif.plan.request import LONGEST_S, UNTIL_S, PlanRequest
from podium.whatif.plan.resource_pressure import Pressure, press
from podium.whatif.plan.rollouts import Rollouts
from podium.whatif.plan.workload_owners import PodsBefore, WorkloadOwners

Progress = Callable[[float], None]
"""Is told how many seconds of a plan have passed."""

Prepare = Callable[[Cluster, Observer], None]
"""Is handed the cluster of a play, and its observer, before any changes are made."""

PROGRESS_EVERY_S = 0.1
_LOOK_AGAIN_S = 10.0
# Where many nodes fail, one in 10 s is emptied, or one in 100 s.
_FAILING_S = 120.0
FAILED_CREATE = "FailedCreate"
"""The reason of the events that plans read; no others are written."""
_MOVES = frozenset({"PodTerminating", "PodBound"})

# Nobody schedules by endpoints, and that Jobs end long ago is no part of the plan.
_CONTROLLERS = frozenset(CONTROLLERS) - {
    "endpoint-controller",
    "endpointslice-controller",
    "ttl-after-finished-controller",
}


class Play:
    """One run of a plan: a cluster with the state and the changes, about which nothing is decided.

    `run` decides and lets time pass. Further changes may follow, and are decided about in the run
    that comes after.

    Attributes:
        guessed_classes: where the state has no PriorityClasses, the names of those that stand in
            for them, and `""` for the default class.
        entries_before: how many of the observed entries tell of the time before the changes.
        budgets_before: the statuses of budgets, `namespace/name`, in the state.
        start_s: when the plan begins, in seconds since the epoch.

    Args:
        changes_later: whether nodes may be added, drained or fail by changes that the request
            doesn't have.
        controllers: those that run; the ones that may have something to do unless given.

    Raises:
        TargetError: something to change isn't there.
        PressureError: a node can't be put under the pressure that is asked for.
    """

    def __init__(
        self,
        request: PlanRequest,
        *,
        changes_later: bool = False,
        controllers: frozenset[str] | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self.state = request.state
        self.start_s = self.state.start_s
        controllers = controllers or busy_controllers(request, changes_later=changes_later)
        configuration = request.configuration
        setup = SchedulerSetup(
            configuration=configuration.configuration if configuration else None,
            options=configuration.options if configuration else None,
        )
        behaviour, seed = DEFAULT_BEHAVIOUR, request.seed
        self.cluster = Cluster(
            ClusterOptions(
                start_s=self.start_s,
                schedulers=(setup,),
                controllers=controllers,
                provisioning_s=0.0,
                nodes=NodeSettings(seed=seed, behaviour=behaviour, eviction=request.eviction),
                settled=not request.repairs,
                heals=request.heals,
                kinds=tuple(OPTIONAL_KINDS.values()),
                event_reasons=frozenset({FAILED_CREATE}),
            )
        )
        store, driver = self.cluster.store, self.cluster.driver
        self.notes = self.state.load_into(self.cluster)
        self._loaded = [*self._controllers()]
        self.before = PodsBefore(store.list("Pod").items, self.owners())
        self.guessed_classes = frozenset[str]()
        if not self.state.facts.of("PriorityClass"):
            guessed = {"", *map(name, store.list("PriorityClass").items)}
            self.guessed_classes = frozenset(guessed - SYSTEM_PRIORITY_CLASSES.keys())
        self.observer = Observer(self.cluster)
        with without_garbage_collection():
            self.cluster.start()
            # The scheduler sees the changes come, and decides when all are there.
            self.machine.hold()
            if seed:
                self.scheduler.snapshot.tie_key = partial(_shuffled, seed)
            driver.run_until(self.start_s)
            self.machine.recall_rejections()
        budgets = store.list("PodDisruptionBudget").items
        self.budgets_before = {key(pdb): status_of(pdb) for pdb in budgets}
        self.entries_before = len(self.observer.entries)
        self.deleted = set[Identity]()
        self.record_preemptions(request.alternatives_max)
        if prepare is not None:
            prepare(self.cluster, self.observer)
        self.change(request.changes, request.pressures)

    def record_preemptions(self, alternatives_max: int) -> None:
        """Record preemptions from now on, with so many candidates besides the chosen one."""
        self.preemptions = PreemptionRecorder(
            self.scheduler, alternatives_max, self.observer.passed_s
        )

    def change(self, changes: Sequence[Change], pressures: Sequence[Pressure] = ()) -> None:
        """Make changes, and then put nodes under pressure; raises as the making of a play does."""
        self.machine.hold()
        if not self.state.facts.of("Namespace"):
            self.cluster.load(_missing_namespaces(self.cluster, changes))
        targets = [one.target for one in changes if isinstance(one, Delete)]
        self.deleted.update(targets)
        self.changer = Changer(self.cluster, self.observer, self.state.by_identity, changes)
        self.changer.advance()
        self.rollouts = Rollouts(self.cluster, self.changer.touched, self.start_s)
        # Nodes refuse what they can't start before the scheduler decides about other pods.
        self.cluster.driver.run_until(self.cluster.driver.now_s)
        press(self.cluster.store, pressures)
        self.cluster.driver.run_until(self.cluster.driver.now_s)

    def run(
        self,
        until_s: float | None = None,
        progress: Progress | None = None,
        watch: Callable[[Decision], None] | None = None,
    ) -> bool:
        """Let everything happen; return whether it comes to its end without a Ctrl-C.

        Args:
            until_s: for how long, in seconds; None for `UNTIL_S`, and from then on until all
                rollouts have come to an end, but no longer than `LONGEST_S`.
            progress: called from time to time with the seconds that have passed.
            watch: called with each decision, in place of the record of preemptions.
        """
        driver, begin_s = self.cluster.driver, self.cluster.driver.now_s
        end_s, longest_s = begin_s + (until_s or UNTIL_S), begin_s + LONGEST_S
        self.scheduler.watch = watch or self.preemptions.record
        self.machine.release()
        (handle,) = self.cluster.schedulers.values()
        driver.wake(handle)
        try:
            with without_garbage_collection():
                driver.run_until(begin_s)
            if progress is not None:
                progress(0.0)
            while (now_s := driver.now_s) < end_s or (
                until_s is None and now_s < longest_s and self._goes_on()
            ):
                end_s = max(end_s, now_s + _LOOK_AGAIN_S if now_s >= end_s else end_s)
                piece_s = max(now_s + PROGRESS_EVERY_S, driver.next_s() or end_s)
                driver.run_until(min(end_s, piece_s))
                self.changer.advance()
                self.rollouts.look()
                if progress is not None:
                    progress(self.passed_s)
        except KeyboardInterrupt:
            return False
        finally:
            self.scheduler.watch = None
        return True

    def _goes_on(self) -> bool:
        if self.changer.is_draining(UNTIL_S) or not self.rollouts.are_over():
            return True
        # Where nodes fail, as long as a pod had to go, or got a place, in the last moments.
        since_s = self.passed_s - _FAILING_S
        lately = takewhile(lambda one: one.at_s >= since_s, reversed(self.observer.entries))
        return bool(self.changer.silenced_s) and any(one.type in _MOVES for one in lately)

    @property
    def rejected(self) -> Sequence[RejectedObject]:
        """What the API didn't let in of the last changes."""
        return self.changer.rejected

    @property
    def machine(self) -> SchedulerMachine:
        """The machine of the only scheduler."""
        (handle,) = self.cluster.schedulers.values()
        if not isinstance(handle.machine, SchedulerMachine):
            raise TypeError("there is no scheduler")
        return handle.machine

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler, of use also when the play is over."""
        return self.machine.scheduler

    @property
    def passed_s(self) -> float:
        """How long it has been played for, in seconds."""
        return self.cluster.driver.now_s - self.start_s

    def limits_of_the_model(self, pods: Iterable[Object]) -> ModelLimits:
        """What is to be said about pods that wait, or are to come."""
        device_classes, gangs = self.cluster.store.list("DeviceClass").items, self.machine.gangs
        # Whether the scheduler heeds what PodGroup a pod names in `schedulingGroup`.
        has_gangs = gangs is not None and POD_GROUP.key in gangs.kinds
        return limits_of_the_model(pods, device_classes, has_gangs=has_gangs)

    def found(self, pods: Iterable[str]) -> list[Object]:
        """Those of the pods, `namespace/name`, that are there, and those that have been waiting."""
        places = sorted({*pods, *self.before.unbound})
        found = (self.cluster.store.get("Pod", *place.split("/")) for place in places)
        return [pod for pod in found if pod is not None]

    def owners(self) -> WorkloadOwners:
        """The controllers of its pods, those that are gone included."""
        return WorkloadOwners((*self._loaded, *self._controllers()))

    def _controllers(self) -> Iterator[Object]:
        for kind in ("ReplicaSet", "Job"):
            yield from self.cluster.store.list(kind).items


def busy_controllers(request: PlanRequest, *, changes_later: bool = False) -> frozenset[str]:
    """The controllers but for those that will have nothing to do, and would follow every pod."""
    idle = set()
    is_pinned = any(one["kind"] == "Pod" and node_name_of(one) for one in request.applied)
    deletes = any(isinstance(one, Delete) for one in request.changes)
    if not (deletes or request.repairs or is_pinned):
        idle |= {"generic-garbage-collector", "pod-garbage-collector"}
    nodes = request.state.facts.of("Node")
    is_scripted = any(key.startswith(PREFIX) for node in nodes for key in annotations(node))
    applies_nodes = any(one.get("kind") == "Node" for one in request.applied)
    cordons = changes_later or any(
        isinstance(one, Cordon | Drain | Fail) for one in request.changes
    )
    if not (is_scripted or applies_nodes or cordons or request.pressures or request.repairs):
        idle.add("node-lifecycle-controller")
    return _CONTROLLERS - idle


def _missing_namespaces(cluster: Cluster, changes: Sequence[Change]) -> Iterator[Object]:
    """Namespaces that manifests name; a state without any doesn't say which there are."""
    named = (place for one in changes if isinstance(one, Apply) for _, place, _ in one.by_identity)
    for called in sorted({*named} - {""}):
        if cluster.store.get("Namespace", "", called) is None:
            yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": called}}


def _shuffled(seed: int, node_name: str) -> str:
    return hashlib.sha256(f"{seed}/{node_name}".encode()).hexdigest()
