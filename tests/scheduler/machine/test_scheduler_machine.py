"""The scheduler as a whole, driven by hand: events in, effects out."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from podium.machines.effects import Bind, Delete, Effect, Patch, Record
from podium.machines.events import Change, Synced, Woken
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.machine.context import Features
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.prometheus_metrics import SchedulerMetrics
from podium.scheduler.queue.queued_pod import QueueName
from tests import objects
from tests.objects import Obj
from tests.scheduler.machine.builders import done, failed, pod

NOW_S = 1_767_225_600.0


def node(name: str = "n1", cpu: str = "4") -> Obj:
    return objects.node(name, cpu, uid=f"uid-{name}")


class Hand:
    """Drives one scheduler, and keeps what it was told of the cluster."""

    def __init__(self, **options: Any) -> None:
        self.machine = SchedulerMachine(**options, metrics=SchedulerMetrics())
        self.now_s = NOW_S
        self.objects: dict[tuple[str, str], Mapping[str, Any]] = {}

    def tell(self, kind: str, obj: Mapping[str, Any]) -> list[Effect]:
        place = (kind, obj["metadata"]["name"])
        old = self.objects.get(place)
        self.objects[place] = obj
        return list(self.machine.step(Change(kind, old, obj), self.now_s))

    def tell_gone(self, kind: str, name: str) -> list[Effect]:
        old = self.objects.pop((kind, name))
        return list(self.machine.step(Change(kind, old, None), self.now_s))

    def start(self, *objects: Mapping[str, Any]) -> None:
        for obj in objects:
            self.tell(obj["kind"], obj)
        self.machine.step(Synced(), self.now_s)

    def wake(self, at_s: float | None = None) -> list[Effect]:
        """Wake the machine until it has nothing to do at this moment."""
        if at_s is not None:
            self.now_s = NOW_S + at_s
        effects: list[Effect] = []
        while (wakeup_s := self.machine.next_wakeup_s()) is not None and wakeup_s <= self.now_s:
            effects += self.machine.step(Woken(), self.now_s)
        return effects

    def answer(self, outcome: Any) -> list[Effect]:
        return list(self.machine.step(outcome, self.now_s))

    def place(self, name: str) -> QueueName | None:
        return self.machine.queue.place_of(f"uid-{name}")


def of(effects: Iterable[Effect], kind: type) -> list[Any]:
    return [effect for effect in effects if isinstance(effect, kind)]


def test_nothing_is_decided_before_everything_has_been_told() -> None:
    hand = Hand()
    hand.tell("Pod", pod("p"))
    assert hand.machine.next_wakeup_s() is None


def test_a_pod_that_is_on_its_way_takes_its_room() -> None:
    hand = Hand()
    hand.start(node(cpu="1"), pod("a"), pod("b"))
    effects = hand.wake()
    assert [b.name for b in of(effects, Bind)] == ["a"]
    (record,) = of(effects, Record)
    assert record.reason == "FailedScheduling"
    assert record.note.startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert hand.place("b") is QueueName.UNSCHEDULABLE


def test_a_binding_that_fails_gives_the_room_back_and_is_tried_again() -> None:
    hand = Hand()
    hand.start(node(cpu="1"), pod("p"))
    (binding,) = hand.wake()
    effects = hand.answer(failed(binding))
    (record,) = of(effects, Record)
    assert record.note == 'running Bind plugin "DefaultBinder": InternalError happened'
    (patch,) = of(effects, Patch)
    assert patch.body["status"]["conditions"][0]["reason"] == "SchedulerError"
    assert hand.wake() == []
    hand.answer(done(patch))
    assert [b.name for b in of(hand.wake(2), Bind)] == ["p"]


def test_a_pod_that_is_being_bound_is_not_decided_anew_when_it_may_go_elsewhere() -> None:
    hand = Hand(options=SchedulerOptions(eviction_guard_s="60s"))
    owner = [{"kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "TerminationByKubelet",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"phase": "Failed", "reason": "Evicted", "conditions": [target]}
    evicted = pod("evicted", node="n1", status=status, ownerReferences=owner)
    replacements = [pod(name, cpu="3", ownerReferences=owner) for name in ("first", "second")]
    hand.start(node("n1"), node("n2"), evicted, *replacements)
    effects = hand.wake()
    assert [(b.name, b.node_name) for b in of(effects, Bind)] == [("first", "n2")]
    assert hand.place("second") is QueueName.UNSCHEDULABLE
    hand.answer(done(of(effects, Patch)[0]))
    effects = hand.wake(61)
    assert [(b.name, b.node_name) for b in of(effects, Bind)] == [("second", "n1")]


def preempting_hand(**features: bool) -> tuple[Hand, list[Effect]]:
    hand = Hand(features=Features(**features))
    hand.start(node(), pod("low", node="n1", cpu="3"), pod("high", cpu="3", priority=10))
    return hand, hand.wake()


def test_a_preemptor_is_nominated_while_its_victim_is_told_to_go() -> None:
    hand, effects = preempting_hand()
    condition, status = of(effects, Patch)
    assert condition.name == "low"
    assert condition.body["status"]["conditions"][0]["reason"] == "PreemptionByScheduler"
    assert status.name == "high"
    assert status.body["status"]["nominatedNodeName"] == "n1"
    message = status.body["status"]["conditions"][0]["message"]
    assert message == "0/1 nodes are available: 1 Insufficient cpu."
    (deletion,) = hand.answer(done(condition))
    assert isinstance(deletion, Delete)
    (record,) = hand.answer(done(deletion))
    assert record.reason == "Preempted"
    assert hand.wake() == []
    hand.tell("Pod", pod("low", node="n1", cpu="3", deletionTimestamp="2026-01-01T00:00:30Z"))
    hand.tell("Pod", pod("high", cpu="3", priority=10, status={"nominatedNodeName": "n1"}))
    assert hand.wake() == []
    hand.answer(done(status))
    hand.now_s += 30
    hand.tell_gone("Pod", "low")
    (binding,) = of(hand.wake(), Bind)
    assert (binding.name, binding.node_name) == ("high", "n1")


def test_who_was_weighed_is_remembered_and_told() -> None:
    hand, effects = preempting_hand()
    (record,) = hand.machine.preemptions.history
    assert record.preemptor.name == "high"
    assert [victim.name for victim in record.victims] == ["low"]
    deletion = hand.answer(done(of(effects, Patch)[0]))[0]
    (event,) = hand.answer(done(deletion))
    assert (
        '"preemptor":{"namespace":"default","name":"high"'
        in event.annotations["podium.dev/preemption"]
    )


def test_other_pods_are_scheduled_while_victims_are_told_to_go() -> None:
    hand, _ = preempting_hand()
    hand.tell("Node", node("n2", cpu="1"))
    hand.tell("Pod", pod("small"))
    assert [b.name for b in of(hand.wake(), Bind)] == ["small"]


def test_synchronously_nothing_is_decided_before_victims_have_been_told_to_go() -> None:
    hand, effects = preempting_hand(scheduler_async_preemption=False)
    (condition,) = of(effects, Patch)
    hand.tell("Node", node("n2", cpu="1"))
    hand.tell("Pod", pod("small"))
    assert hand.wake() == []
    (deletion,) = hand.answer(done(condition))
    (status,) = of(hand.answer(done(deletion)), Patch)
    assert status.body["status"]["nominatedNodeName"] == "n1"
    assert [b.name for b in of(hand.wake(), Bind)] == ["small"]


@pytest.mark.parametrize("reverts", [False, True])
def test_after_a_failed_preemption_the_pod_is_tried_again(reverts: bool) -> None:
    hand, effects = preempting_hand(revert_failed_nominations=reverts)
    condition, status = of(effects, Patch)
    hand.answer(done(status))
    hand.tell("Pod", pod("high", cpu="3", priority=10, status={"nominatedNodeName": "n1"}))
    answers = hand.answer(failed(condition))
    assert bool(of(answers, Patch)) is reverts
    assert bool(hand.machine.scheduler.nominator) is not reverts
    # Another attempt at once: it finds the same victim.
    assert next(p.name for p in of(hand.wake(), Patch)) == "low"


def test_a_pod_bound_by_somebody_else_is_let_go() -> None:
    hand = Hand()
    hand.start(node(), node("n2", cpu="0"), pod("p"))
    (binding,) = hand.wake()
    hand.tell("Pod", pod("p", node="n2"))
    assert hand.answer(failed(binding, "Conflict", 409)) == []
    assert hand.wake(60) == []
    snapshot = hand.machine.scheduler.snapshot
    pods = {name: len(snapshot.pods_on[row]) for name, row in snapshot.row_of.items()}
    assert pods == {"n1": 0, "n2": 1}


def test_a_deleted_pod_gives_its_room_back_while_its_binding_is_under_way() -> None:
    hand = Hand()
    hand.start(node(cpu="1"), pod("a"), pod("b"))
    effects = hand.wake()
    (binding,), (status,) = of(effects, Bind), of(effects, Patch)
    hand.answer(done(status))
    hand.tell_gone("Pod", "a")
    assert [b.name for b in of(hand.wake(), Bind)] == ["b"]
    (record,) = hand.answer(failed(binding, "NotFound", 404))
    assert record.note == 'running Bind plugin "DefaultBinder": NotFound happened'


def test_a_pod_is_tried_eight_times_at_one_moment_and_again_a_second_later() -> None:
    hand = Hand()
    hand.start(node(), pod("p", cpu="100"))
    hand.wake()
    for _ in range(7):
        assert hand.machine.next_wakeup_s() != hand.now_s + 1
        hand.tell("Pod", pod("other", node="n1"))
        hand.tell_gone("Pod", "other")
        hand.wake()
    hand.tell("Pod", pod("other", node="n1"))
    hand.tell_gone("Pod", "other")
    assert hand.wake() == []
    assert hand.machine.next_wakeup_s() == hand.now_s + 1


def test_metrics_count_what_happened() -> None:
    hand, effects = preempting_hand()
    deletion = hand.answer(done(of(effects, Patch)[0]))[0]
    hand.answer(done(deletion))
    value = hand.machine.metrics.registry.get_sample_value
    assert value("scheduler_preemption_attempts_total") == 1
    assert value("scheduler_preemption_victims_sum") == 1
    for bound in ("1.0", "2.0", "64.0", "+Inf"):
        assert value("scheduler_preemption_victims_bucket", {"le": bound}) == 1
    assert value("scheduler_preemption_victims_bucket", {"le": "0.0"}) is None
    by_result = {"result": "success"}
    assert value("scheduler_preemption_goroutines_execution_total", by_result) == 1
    assert value("scheduler_pending_pods", {"queue": "unschedulable"}) == 1
    unschedulable = {"result": "unschedulable", "profile": "default-scheduler"}
    assert value("scheduler_schedule_attempts_total", unschedulable) == 1
    added = {"queue": "active", "event": "UnschedulablePodAdd"}
    assert value("scheduler_queue_incoming_pods_total", added) == 1
    handled = "scheduler_event_handling_duration_seconds_count"
    assert value(handled, {"event": "NodeAdd"}) == 1
    assert value(handled, {"event": "AssignedPodAdd"}) == 1
    assert value(handled, {"event": "UnschedulablePodAdd"}) == 1
    by_plugin = {"profile": "default-scheduler", "plugin": "NodeResourcesFit"}
    assert value("scheduler_unschedulable_pods", by_plugin) == 1
    assert value("scheduler_inflight_events", {"event": "PodPopped"}) == 0
