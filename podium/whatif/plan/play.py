"""A plan in a cluster of its own: loaded, changed, and played until it is over."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS, POD_GROUP
from podium.api.kinds.decisive_kinds import Identity
from podium.api.objects import Object, annotations, key, name, status_of
from podium.api.pods import node_name_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.cluster.virtual import CONTROLLERS, Cluster, ClusterOptions, SchedulerSetup
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, PREFIX
from podium.kubelet.simulated.node_settings import NodeSettings
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import Scheduler
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline import Observer, TimelineEntry
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


class BudgetCounts(msgspec.Struct, frozen=True):
    """The numbers in the status of a disruption budget."""

    allowed: int = 0
    healthy: int = 0
    desired: int = 0

    @classmethod
    def of_status(cls, status: Mapping[str, Any]) -> "BudgetCounts":
        """The numbers of a status."""
        fields = ("disruptionsAllowed", "currentHealthy", "desiredHealthy")
        return cls(*(int(status.get(field) or 0) for field in fields))


class Play:
    """One run of a plan: a cluster in which the state is loaded, and nothing has happened yet.

    `change` and `run` follow, as often as one likes; what is changed is decided about in the run
    that comes after.

    Attributes:
        state: what there was, by identity.
        guessed_classes: where the state has no PriorityClasses, the names of those that stand in
            for them, and `""` for the default class.
        entries_before: how many of the observed entries tell of the time before the changes.
        budgets_before: by budget, `namespace/name`, its numbers before the changes.
        start_s: when the plan begins, in seconds since the epoch.
        deleted: what the changes delete.
        rollouts: of the workloads that the last changes concern.

    Args:
        request: the state and the rules; its changes only say which controllers are needed.
        seed: for what is left to chance; with 0 the first of equal nodes by name is taken.
        changes_later: whether nodes may be added, drained or fail by changes that the request
            doesn't have.
        controllers: those that run; the ones that may have something to do unless given.
    """

    def __init__(
        self,
        request: PlanRequest,
        seed: int = 0,
        *,
        changes_later: bool = False,
        controllers: frozenset[str] | None = None,
    ) -> None:
        self.state = request.state.by_identity
        self.facts = request.state.facts
        self.start_s = request.state.start_s
        controllers = controllers or busy_controllers(request, changes_later=changes_later)
        self.cluster = Cluster(_options(request, self.start_s, seed, controllers))
        self.notes = request.state.load_into(self.cluster)
        self.pods_before: Sequence[Object] = self.cluster.store.list("Pod").items
        self._loaded = [*self._controllers()]
        self.guessed_classes = self._guessed_classes()
        self.observer = Observer(self.cluster)
        driver = self.cluster.driver
        with without_garbage_collection():
            self.cluster.start()
            # The scheduler sees the changes come, and decides when all are there.
            self.machine.hold()
            if seed:
                self.scheduler.snapshot.tie_key = partial(_shuffled, seed)
            driver.run_until(self.start_s)
            self.machine.recall_rejections()
        budgets = self.cluster.store.list("PodDisruptionBudget").items
        self.budgets_before = {key(pdb): BudgetCounts.of_status(status_of(pdb)) for pdb in budgets}
        # What was counted first is of the pods as they are in the state.
        for entry in reversed(self.observer.entries):
            if entry.type == "BudgetChanged":
                counts = BudgetCounts.of_status(entry.details)
                self.budgets_before[f"{entry.namespace}/{entry.name}"] = counts
        self.entries_before = len(self.observer.entries)
        self.deleted = set[Identity]()
        self.changer = Changer(self.cluster, self.observer, self.state, ())
        self.rollouts = Rollouts(self.cluster, self.changer.touched, self.start_s)
        self.record_preemptions(request.alternatives_max)

    def record_preemptions(self, alternatives_max: int) -> None:
        """Forget the preemptions so far, and record further ones.

        Args:
            alternatives_max: how many candidates besides the chosen one are kept of each.
        """
        self.preemptions = PreemptionRecorder(
            self.scheduler, alternatives_max, self.observer.passed_s
        )

    def change(self, changes: Sequence[Change], pressures: Sequence[Pressure] = ()) -> None:
        """Make changes, and then put nodes under pressure; nothing is scheduled before `run`.

        Raises:
            TargetError: something to delete isn't there.
            PressureError: a node can't be put under the pressure that is asked for.
        """
        self.machine.hold()
        if not self.facts.of("Namespace"):
            self.cluster.load(_missing_namespaces(self.cluster, changes))
        targets = [one.target for one in changes if isinstance(one, Delete)]
        self.deleted.update((one.kind, one.namespace, one.name) for one in targets)
        self.changer = Changer(self.cluster, self.observer, self.state, changes)
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
        """Let everything happen; whether it comes to its end, as nobody interrupts it by Ctrl-C.

        Args:
            until_s: for how long, in seconds; None for `UNTIL_S`, and from then on until all
                rollouts have come to an end, but no longer than `LONGEST_S`.
            progress: is told from time to time how far it is.
            watch: is told each decision, in place of the record of preemptions.
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
        is_busy = self.changer.is_draining(UNTIL_S) or not self.rollouts.are_over()
        return is_busy or (bool(self.changer.silenced_s) and self._moved_lately())

    def _moved_lately(self) -> bool:
        """Whether a pod had to go, or got a place, in the last moments."""
        for entry in reversed(self.observer.entries):
            if entry.at_s < self.passed_s - _FAILING_S:
                break
            if entry.type in _MOVES:
                return True
        return False

    @property
    def rejected(self) -> Sequence[RejectedObject]:
        """What the API didn't let in of the last changes."""
        return self.changer.rejected

    @property
    def machine(self) -> SchedulerMachine:
        """Schedules, once it is released."""
        (handle,) = self.cluster.schedulers.values()
        if not isinstance(handle.machine, SchedulerMachine):
            raise TypeError("there is no scheduler")
        return handle.machine

    @property
    def scheduler(self) -> Scheduler:
        """Decides; of use also when the play is over."""
        return self.machine.scheduler

    def limits_of_the_model(self, pods: Iterable[Object]) -> ModelLimits:
        """What is to be said about pods that wait, or are to come."""
        device_classes = self.cluster.store.list("DeviceClass").items
        return limits_of_the_model(pods, device_classes, has_gangs=self._has_gangs)

    def found(self, pods: Iterable[str]) -> list[Object]:
        """Those of the pods, `namespace/name`, that are there, and those that have been waiting."""
        places = sorted({*pods, *self.before.unbound})
        found = (self.cluster.store.get("Pod", *place.split("/")) for place in places)
        return [pod for pod in found if pod is not None]

    def owners(self) -> WorkloadOwners:
        """Who its pods belong to, those that are gone included."""
        return WorkloadOwners((*self._loaded, *self._controllers()))

    @cached_property
    def before(self) -> PodsBefore:
        """The pods and the workloads of the state."""
        return PodsBefore(self.pods_before, WorkloadOwners(self._loaded))

    def _guessed_classes(self) -> frozenset[str]:
        if self.facts.of("PriorityClass"):
            return frozenset()
        loaded = map(name, self.cluster.store.list("PriorityClass").items)
        return frozenset({"", *loaded}) - SYSTEM_PRIORITY_CLASSES.keys()

    def _controllers(self) -> Iterator[Object]:
        for kind in ("ReplicaSet", "Job"):
            yield from self.cluster.store.list(kind).items

    @property
    def _has_gangs(self) -> bool:
        """Whether the scheduler heeds what PodGroup a pod names in `schedulingGroup`."""
        gangs = self.machine.gangs
        return gangs is not None and POD_GROUP.key in gangs.kinds

    @property
    def timeline(self) -> Sequence[TimelineEntry]:
        """Observed entries since the changes began; the readers in `outcome/` fold them."""
        return self.observer.entries[self.entries_before :]

    @property
    def passed_s(self) -> float:
        """How long it has been played for, in seconds."""
        return self.cluster.driver.now_s - self.start_s


def _options(
    request: PlanRequest, start_s: float, seed: int, controllers: frozenset[str]
) -> ClusterOptions:
    configuration = request.configuration
    setup = SchedulerSetup(
        configuration=configuration.configuration if configuration else None,
        options=configuration.options if configuration else None,
    )
    return ClusterOptions(
        start_s=start_s,
        schedulers=(setup,),
        controllers=controllers,
        provisioning_s=0.0,
        nodes=NodeSettings(seed=seed, behaviour=DEFAULT_BEHAVIOUR, eviction=request.eviction),
        settled=not request.repairs,
        heals=request.heals,
        kinds=tuple(OPTIONAL_KINDS.values()),
        event_reasons=frozenset({FAILED_CREATE}),
    )


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
    """Sorts nodes in an order that has nothing to do with their names."""
    return hashlib.sha256(f"{seed}/{node_name}".encode()).hexdigest()
