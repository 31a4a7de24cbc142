"""What must hold in every run: after every step, and once nothing happens any more.

A checker raises AssertionError. It goes by what was told and asked for, as far as it can, not by
what the machine under test says of itself.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.api import objects as meta
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.pods import is_finished, node_name_of, nominated_node_of, scheduler_name_of
from podium.api.policy.disruption_budgets import Budget
from podium.api.resources import Amounts, pod_requests, resource_amount
from podium.api.values.quantity import NANOS_PER_UNIT, nanos
from podium.cluster.drivers.driver_events import Called, DriverEvent, Started, Stepped
from podium.machines.effects import Delete, Effect
from podium.machines.events import Change, Event
from podium.scheduler.machine.binding_cycle import Stage
from podium.scheduler.machine.preemption_executor import VictimCall
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.queue.queued_pod import QueueName
from podium.scheduler.scheduler import Scheduler

if TYPE_CHECKING:
    from tests.sim.world import World


class Told:
    """The pods and nodes that one machine must know of by now."""

    def __init__(self) -> None:
        self.nodes: dict[str, Object] = {}
        self.pods: dict[str, Object] = {}

    def take_in(self, change: Change) -> None:
        objects, key = {"Pod": (self.pods, meta.uid), "Node": (self.nodes, meta.name)}.get(
            change.kind, (None, None)
        )
        if objects is None or key is None:
            return
        if change.new is not None:
            objects[key(change.new)] = change.new
        elif change.old is not None:
            del objects[key(change.old)]

    def on(self, node_name: str) -> dict[str, Object]:
        """The pods on a node that aren't finished, by uid."""
        return {
            uid: pod
            for uid, pod in self.pods.items()
            if node_name_of(pod) == node_name and not is_finished(pod)
        }


class Checker:
    """Looks on; by default at schedulers only."""

    def __init__(self, world: "World") -> None:
        self.world = world

    def after(self, happening: DriverEvent) -> None:
        """Something has happened."""
        if isinstance(happening, Stepped):
            scheduler = self.world.scheduler(happening.who)
            if scheduler is not None:
                self.stepped(happening.who, scheduler, happening.event)
        elif isinstance(happening, Started):
            self.started(happening.who)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        """A scheduler has taken an event in."""

    def started(self, who: str) -> None:
        """A machine knows of nothing yet."""

    def at_rest(self) -> None:
        """Nothing happens any more."""

    def long_at_rest(self) -> None:
        """Nothing happens any more, though every pod has been tried once more since."""


# Comparing everything takes time; once in a while does as well.
CALLS_PER_COMPARISON = 200


class Streams(Checker):
    """An independent watcher of all kinds."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        store = world.store
        self._watches = {
            kind: store.watch(kind, from_revision=store.oldest_revision(kind)) for kind in KINDS
        }
        self._objects: dict[str, dict[tuple[str, str], Object]] = {kind: {} for kind in KINDS}
        self._last = dict.fromkeys(KINDS, 0)
        self._calls = 0

    def after(self, happening: DriverEvent) -> None:
        if isinstance(happening, Called):
            self._calls += 1
            if self._calls % CALLS_PER_COMPARISON == 0:
                self.at_rest()

    def at_rest(self) -> None:
        for kind in KINDS:
            self._follow(kind)
            stored = self.world.store.list(kind).items
            assert list(stored) == [
                obj
                for _, obj in sorted(
                    self._objects[kind].items(), key=lambda item: "/".join(filter(None, item[0]))
                )
            ], kind

    def _follow(self, kind: str) -> None:
        objects = self._objects[kind]
        for event in self._watches[kind].take():
            assert event.revision > self._last[kind], event
            self._last[kind] = event.revision
            assert event.obj["metadata"]["resourceVersion"] == str(event.revision)
            place = (event.namespace, event.name)
            assert (event.type == "ADDED") == (place not in objects), event
            before = objects.pop(place, None)
            assert before is event.previous, event
            if event.type != "DELETED":
                objects[place] = event.obj


class RoomForBindings(Checker):
    """Adds up what a scheduler was told and what it has decided since, whenever it decides."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        # By scheduler and uid: where it has decided to put a pod, until that is seen or fails.
        self._decided: dict[str, dict[str, str]] = defaultdict(dict)

    def started(self, who: str) -> None:
        self._decided.pop(who, None)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told, decided = self.world.told[who], self._decided[who]
        for uid in [uid for uid in decided if uid not in scheduler.context.placed]:
            del decided[uid]
        for task in scheduler.bindings:
            uid = task.pod.uid
            if uid not in decided and uid in scheduler.context.placed and task.is_assumed:
                decided[uid] = task.node_name
                self._check(told, decided, scheduler, uid)

    def _check(
        self, told: Told, decided: dict[str, str], scheduler: SchedulerMachine, uid: str
    ) -> None:
        name = decided[uid]
        pods: dict[str, Object] = told.on(name)
        for other, where in decided.items():
            if where == name and not node_name_of(told.pods.get(other, {})):
                pods[other] = scheduler.context.placed[other].obj
        assert name in told.nodes, f"{uid} goes to node {name}, which is gone"
        lacking = overcommitted(told.nodes[name], list(pods.values()))
        assert not lacking, f"{uid} goes to {name}, where {lacking} is short: {sorted(pods)}"


def overcommitted(node: Object, pods: Sequence[Object]) -> str:
    """The first resource of which pods that aren't finished want more than a node has."""
    running = [pod for pod in pods if not is_finished(pod)]
    wanted: Amounts = {"pods": len(running) * NANOS_PER_UNIT}
    for pod in running:
        for resource, amount in pod_requests(pod).items():
            wanted[resource] = wanted.get(resource, 0) + amount
    allocatable = node["status"]["allocatable"]
    for resource, amount in wanted.items():
        room = nanos(allocatable.get(resource, "0"))
        if amount and resource_amount(resource, amount) > resource_amount(resource, room):
            return resource
    return ""


class Victims(Checker):
    """Looks at each new record of a preemption, and at each deletion that is asked for."""

    def __init__(self, world: "World") -> None:
        super().__init__(world)
        self._records: dict[str, int] = defaultdict(int)
        self._sentenced: dict[str, set[str]] = defaultdict(set)

    def started(self, who: str) -> None:
        self._records.pop(who, None)
        self._sentenced.pop(who, None)

    def after(self, happening: DriverEvent) -> None:
        super().after(happening)
        if isinstance(happening, Stepped) and self.world.scheduler(happening.who) is not None:
            for effect in happening.effects:
                self._asked(happening.who, effect)

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told = self.world.told[who]
        for record in list(scheduler.preemptions.history)[self._records[who] :]:
            self._records[who] += 1
            preemptor = told.pods[record.preemptor.uid]
            assert preemptor["spec"].get("preemptionPolicy") != "Never", record
            assert not node_name_of(preemptor), record
            assert record.victims, record
            for victim in record.victims:
                pod = told.pods[victim.uid]
                assert node_name_of(pod) in ("", record.node_name), record
                assert pod["spec"]["priority"] < preemptor["spec"]["priority"], record
                self._sentenced[who].add(victim.uid)

    def _asked(self, who: str, effect: Effect) -> None:
        if isinstance(effect, Delete):
            purpose = effect.purpose
            assert isinstance(purpose, VictimCall), effect
            assert purpose.victim_uid in self._sentenced[who], effect
            assert effect.uid == purpose.victim_uid, effect


_WAITING = {QueueName.ACTIVE, QueueName.BACKOFF, QueueName.UNSCHEDULABLE, QueueName.GATED}


class Places(Checker):
    """Compares the queue and the bindings with the pods that the scheduler was told of."""

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        told = self.world.told[who]
        queue, bindings = scheduler.queue, scheduler.bindings
        waiting = {queued.uid for queued in queue if queued.place in _WAITING}
        in_flight = {queued.uid for queued in queue if queued.place is QueueName.IN_FLIGHT}
        on_permit = {task.pod.uid for task in bindings if task.stage is Stage.PERMIT}
        binding = {task.pod.uid for task in bindings} - on_permit
        pending = {
            uid
            for uid, pod in told.pods.items()
            if not node_name_of(pod) and not is_finished(pod) and scheduler_name_of(pod) == who
        }
        assert len(queue) == len(waiting) + len(in_flight)
        assert not (waiting | in_flight) & binding, (waiting, in_flight, binding)
        assert not waiting & on_permit
        bound = {uid for uid in pending if uid in scheduler.context.placed} - binding
        places = waiting | in_flight | binding | on_permit | bound
        assert places >= pending, f"nowhere: {pending - places}"
        assert waiting | in_flight <= pending, f"gone: {(waiting | in_flight) - pending}"


class Nominations(Checker):
    """Compares the nominator with the pending pods, and at rest with what is stored."""

    def stepped(self, who: str, scheduler: SchedulerMachine, event: Event) -> None:
        nominator, known = scheduler.scheduler.nominator, scheduler.context
        nominated = [
            pod
            for uid, pod in known.pending.items()
            if pod.nominated_node_name and uid not in known.placed and uid not in scheduler.bindings
        ]
        for pod in nominated:
            assert pod in nominator.on(pod.nominated_node_name), pod
        names = {*scheduler.scheduler.snapshot.row_of, *(p.nominated_node_name for p in nominated)}
        counted = [pod for name in names for pod in nominator.on(name)]
        assert len(counted) == len(nominated), (counted, nominated)
        assert bool(nominator) == bool(nominated)

    def at_rest(self) -> None:
        stored = {pod["metadata"]["uid"]: pod for pod in self.world.store.list("Pod").items}
        for name in self.world.schedulers:
            scheduler = self.world.scheduler(name)
            assert scheduler is not None
            for uid, pod in scheduler.context.pending.items():
                stated = (stored[uid].get("status") or {}).get("nominatedNodeName") or ""
                assert pod.nominated_node_name == stated, (pod, pod.nominated_node_name, stated)


class Refusals(Checker):
    """The end-to-end side of keeping to what nodes have."""

    def at_rest(self) -> None:
        if self.world.settings.is_calm:
            refused = [
                meta.key(pod)
                for pod in self.world.store.list("Pod").items
                if (pod.get("status") or {}).get("reason")
            ]
            assert not refused


_LOOKED_UP = frozenset(KINDS) - {"Pod", "Node", "Event", "PodDisruptionBudget"}


class AtRest(Checker):
    """Looks at what is stored, and asks a scheduler that knows nothing of what went before.

    A pod may keep its nomination that was told to wait for a terminating pod on its node: of that
    pod's end nobody tells it, unless its plugins care, until all pods are tried again (v1.36).
    """

    def at_rest(self) -> None:
        for name in self.world.schedulers:
            scheduler = self.world.scheduler(name)
            assert scheduler is not None
            assert not list(scheduler.bindings), "bindings are under way"
            assert not len(scheduler.preemptions), "preemptions are under way"
            assert scheduler.context.dispatcher.is_idle(), "something is still to be written"
        terminating = [meta.key(pod) for pod in self._stored("Pod") if meta.is_terminating(pod)]
        assert not terminating, "pods that were deleted are still there"
        self._check_pending()

    def long_at_rest(self) -> None:
        nominated = [meta.key(pod) for pod in self._stored("Pod") if nominated_node_of(pod)]
        assert not nominated, "pods are nominated to nodes that have no room for them"
        self.at_rest()

    def _check_pending(self) -> None:
        for name in self.world.schedulers:
            pending = [
                pod
                for pod in self._stored("Pod")
                if not node_name_of(pod) and not is_finished(pod) and scheduler_name_of(pod) == name
            ]
            fresh = self._fresh_scheduler(name, pending)
            for pod in pending:
                if not nominated_node_of(pod):
                    self._check_pod(fresh, pod, name)

    def _check_pod(self, fresh: Scheduler, pod: Object, name: str) -> None:
        decision = fresh.decide(fresh.pending(pod), name)
        if decision.gate is not None:
            return
        assert not decision.node_name, f"{meta.key(pod)} fits on {decision.node_name}"
        preemption = decision.preemption
        where = "" if preemption is None else preemption.node_name
        assert not where, f"{meta.key(pod)} could preempt on {where}"

    def _fresh_scheduler(self, name: str, pending: list[Object]) -> Scheduler:
        fresh = Scheduler(self.world.configuration_of(name), every_node=True)
        others = [obj for kind in sorted(_LOOKED_UP) for obj in self._stored(kind)]
        placed = [pod for pod in self._stored("Pod") if node_name_of(pod)]
        fresh.load(self._stored("Node"), [*placed, *pending], others)
        fresh.budgets.replace(Budget.of(pdb) for pdb in self._stored("PodDisruptionBudget"))
        return fresh

    def _stored(self, kind: str) -> list[Object]:
        return list(self.world.store.list(kind).items)


def all_checkers(world: "World") -> list[Checker]:
    kinds = (Streams, RoomForBindings, Victims, Places, Nominations, Refusals, AtRest)
    return [kind(world) for kind in kinds]
