"""The simulation of a plan in its own cluster: loading, changes, and the passing of time."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile

from podium.api.kinds.builtin_kinds import OPTIONAL_KINDS, POD_GROUP
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, annotations, key, name, spec_of, status_of
from podium.api.pods import node_name_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.process.python_garbage_collection import without_garbage_collection
from podium.api.values.message_words import listed
from podium.cluster.virtual import CONTROLLERS, Cluster, ClusterOptions, SchedulerSetup
from podium.kubelet.simulated.behaviour import DEFAULT_BEHAVIOUR, PREFIX, NodeSettings
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import Scheduler
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline.observer import Observer
from podium.simulation.timeline.preemption import PreemptionRecorder
from podium.whatif.plan.change_executor import ChangeExecutor
from podium.whatif.plan.changes import Apply, Change, Cordon, Delete, Fail
from podium.whatif.plan.plan_report import RejectedObject
from podium.whatif.plan.request import LONGEST_S, UNTIL_S, PlanRequest
from podium.whatif.plan.resource_pressure import Pressure, press
from podium.whatif.plan.rollouts import Rollouts
from podium.whatif.plan.workload_owners import PodsBefore, WorkloadOwners

Progress = Callable[[float], None]
"""Called from time to time with the simulated seconds since the plan began."""

Prepare = Callable[[Cluster, Observer], None]
"""Called with the cluster of a play and its observer before any changes are made."""

PROGRESS_EVERY_S = 0.1
_LOOK_AGAIN_S = 10.0
_NAMED_MAX = 3
# Where many nodes fail, one in 10 s is emptied, or one in 100 s.
_FAILING_S = 120.0
FAILED_CREATE = "FailedCreate"
"""The reason of the events that plans read; no others are written."""
_MOVES = frozenset({"PodTerminating", "PodBound"})

# No scheduler reads endpoints, and the deletion of Jobs that ended long ago is no part of a plan.
_CONTROLLERS = frozenset(CONTROLLERS) - {
    "endpoint-controller",
    "endpointslice-controller",
    "ttl-after-finished-controller",
}


class Play:
    """One simulation of a plan: a cluster with the state, in which the changes have been made.

    The scheduler decides nothing, and no time passes, before `run` is called. After that, further
    changes and runs may follow; `changes_later` says whether these may add, drain or fail nodes.
    The controllers that run are by default those that may have work in the plan.
    """

    def __init__(
        self,
        request: PlanRequest,
        *,
        changes_later: bool = False,
        controllers: frozenset[str] | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self.state, self.start_s = request.state, request.state.start_s
        """The state, and when the plan begins, in seconds since the epoch."""
        configuration = request.configuration
        setup = SchedulerSetup(
            configuration=configuration.configuration if configuration else None,
            options=configuration.options if configuration else None,
        )
        seed, eviction = request.seed, request.eviction
        self.cluster = Cluster(
            ClusterOptions(
                start_s=self.start_s,
                schedulers=(setup,),
                controllers=controllers or busy_controllers(request, changes_later=changes_later),
                provisioning_s=0.0,
                nodes=NodeSettings(seed=seed, behaviour=DEFAULT_BEHAVIOUR, eviction=eviction),
                settled=not request.repairs,
                heals=request.heals,
                kinds=tuple(OPTIONAL_KINDS.values()),
                event_reasons=frozenset({FAILED_CREATE}),
            )
        )
        store, driver = self.cluster.store, self.cluster.driver
        loaded, self.notes = self.state.load(settled=not request.repairs, heals=request.heals)
        self.cluster.adopt(loaded)
        self._loaded = [*self._controllers()]
        self.before = PodsBefore(store.list("Pod").items, self.owners())
        self.guessed_classes = frozenset[str]()
        """The names of the PriorityClasses that were guessed, with `""` for the default class; none
        if the state has some."""
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
        """The statuses of the state's budgets, by `namespace/name`."""
        self.entries_before = len(self.observer.entries)
        """How many of the observer's entries are from before the changes."""
        self.deleted = set[Identity]()
        self.record_preemptions(request.alternatives_max)
        if prepare is not None:
            prepare(self.cluster, self.observer)
        self.change(request.changes, request.pressures)

    def record_preemptions(self, alternatives_max: int) -> None:
        """Record preemptions anew, each with at most `alternatives_max` other candidates."""
        self.preemptions = PreemptionRecorder(
            self.scheduler, alternatives_max, self.observer.passed_s
        )

    def change(self, changes: Sequence[Change], pressures: Sequence[Pressure] = ()) -> None:
        """Make changes, and then put nodes under pressure; raises PodiumError."""
        self.machine.hold()
        if not self.state.facts.of("Namespace"):
            self.cluster.load(_missing_namespaces(self.cluster, changes))
        self.deleted.update(change.target for change in changes if isinstance(change, Delete))
        state = self.state.by_identity
        self.executor = ChangeExecutor(self.cluster, self.observer, state, changes)
        self.executor.advance()
        self.rollouts = Rollouts(self.cluster, self.executor.touched, self.start_s)
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
        """Simulate the cluster for some time; return False if Ctrl-C ended it.

        Args:
            until_s: for how many seconds; None for `UNTIL_S` and, while drains or rollouts go on or
                nodes fail, up to `LONGEST_S`.
            watch: called with each decision, in place of the recorder of preemptions.
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
                self.executor.advance()
                self.rollouts.look()
                if progress is not None:
                    progress(self.passed_s)
        except KeyboardInterrupt:
            return False
        finally:
            self.scheduler.watch = None
        return True

    def settle(self, until_s: float | None) -> None:
        """Run as `run` does, but raise KeyboardInterrupt if Ctrl-C ended it."""
        if not self.run(until_s):
            raise KeyboardInterrupt

    def _goes_on(self) -> bool:
        are_rolling_out = any(rollout.is_open for rollout in self.rollouts.found())
        if are_rolling_out or self.executor.is_draining(UNTIL_S):
            return True
        # Where nodes fail, as long as a pod had to go, or got a place, in the last moments.
        since_s = self.passed_s - _FAILING_S
        lately = takewhile(lambda entry: entry.at_s >= since_s, reversed(self.observer.entries))
        return bool(self.executor.silenced_s) and any(entry.type in _MOVES for entry in lately)

    @property
    def rejected(self) -> Sequence[RejectedObject]:
        """The objects that the API refused in the last call of `change`."""
        return self.executor.rejected

    @property
    def machine(self) -> SchedulerMachine:
        """The state machine of the only scheduler."""
        (handle,) = self.cluster.schedulers.values()
        assert isinstance(handle.machine, SchedulerMachine)
        return handle.machine

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler, which still decides about pods on request when the play is over."""
        return self.machine.scheduler

    @property
    def passed_s(self) -> float:
        """The simulated time since the plan began, in seconds."""
        return self.cluster.driver.now_s - self.start_s

    def notes_on_the_model(self, pods: Iterable[Object]) -> list[str]:
        """Return notes about features of pods that Podium doesn't model."""
        grouped = [key(pod) for pod in pods if spec_of(pod).get("schedulingGroup")]
        gangs = self.machine.gangs
        if not grouped or (gangs is not None and POD_GROUP.key in gangs.kinds):
            return []
        names = listed(grouped, _NAMED_MAX)
        return [f"schedulingGroup is ignored, as with v1.36's default feature gates: {names}"]

    def find_pods(self, keys: Iterable[str]) -> list[Object]:
        """Return the existing pods among `keys`, `namespace/name`, and the state's unbound pods."""
        places = sorted({*keys, *self.before.unbound})
        pods = (self.cluster.store.get("Pod", *place.split("/")) for place in places)
        return [pod for pod in pods if pod is not None]

    def owners(self) -> WorkloadOwners:
        """Return the controllers of the cluster's pods, including deleted controllers."""
        return WorkloadOwners((*self._loaded, *self._controllers()))

    def _controllers(self) -> Iterator[Object]:
        for kind in ("ReplicaSet", "Job"):
            yield from self.cluster.store.list(kind).items


def busy_controllers(request: PlanRequest, *, changes_later: bool = False) -> frozenset[str]:
    """Return the controllers that may have work in a plan; idle ones only cost time."""
    idle = set()
    is_pinned = any(obj["kind"] == "Pod" and node_name_of(obj) for obj in request.applied)
    deletes = any(isinstance(change, Delete) for change in request.changes)
    if not (deletes or request.repairs or is_pinned):
        idle |= {"generic-garbage-collector", "pod-garbage-collector"}
    nodes = request.state.facts.of("Node")
    is_scripted = any(key.startswith(PREFIX) for node in nodes for key in annotations(node))
    applies_nodes = any(obj.get("kind") == "Node" for obj in request.applied)
    cordons = changes_later or any(
        isinstance(change, Cordon | Drain | Fail) for change in request.changes
    )
    if not (is_scripted or applies_nodes or cordons or request.pressures or request.repairs):
        idle.add("node-lifecycle-controller")
    return _CONTROLLERS - idle


def _missing_namespaces(cluster: Cluster, changes: Sequence[Change]) -> Iterator[Object]:
    # A state without any Namespace doesn't say which there are: those that manifests name are.
    applied = (change for change in changes if isinstance(change, Apply))
    named = {namespace for change in applied for _, namespace, _ in change.by_identity}
    for namespace in sorted(named - {""}):
        if cluster.store.get("Namespace", "", namespace) is None:
            yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}


def _shuffled(seed: int, node_name: str) -> str:
    return hashlib.sha256(f"{seed}/{node_name}".encode()).hexdigest()
