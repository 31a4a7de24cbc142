"""Victims: condition, deletion, event; all but the last at once, the last at the end."""

import pytest

from podium.api.values.times import timestamp
from podium.machines.effects import Delete, Effect, Patch, Record
from podium.machines.events import Change, Outcome
from podium.scheduler.framework.interface import PostFilterResult
from podium.scheduler.machine.context import Failure
from podium.scheduler.machine.preemption_executor import PreemptionExecutor, VictimCall
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.prometheus_metrics import SchedulerMetrics
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.snapshot.pod_info import PodInfo
from tests.scheduler.machine.builders import done, failed, pending, placed, pod
from tests.scheduler.machine.test_scheduler_machine import Hand, node, of

NOW_S = 1_767_225_600.0


class Waiting:
    """The binding cycles, as far as victims may wait in them for permission."""

    def __init__(self) -> None:
        self.uids: set[str] = set()

    def preempt(self, uid: str, plugin: str) -> bool:
        return uid in self.uids


class Bench:
    """An executor with everything around it played by the test."""

    def __init__(self) -> None:
        self.context = SchedulerMachine(metrics=SchedulerMetrics()).context
        self.context.scheduler.clock.now_s = NOW_S
        self.waiting = Waiting()
        self.preemptor = pending("high", priority=10)
        self.executor = PreemptionExecutor(self.context, self.waiting)

    def start(self, *names: str, preemptor: PodInfo | None = None, **fields: object) -> None:
        victims = tuple(placed(name, **fields) for name in names)
        self.context.placed.update((victim.uid, victim) for victim in victims)
        queued = QueuedPod(preemptor or self.preemptor, "default-scheduler", NOW_S, 0)
        found = PostFilterResult(nominated_node_name="n1", victims=victims)
        self.executor.start(queued, found, Failure("no room"))

    def answer(self, effect: Effect, outcome: Outcome) -> list[Effect]:
        assert isinstance(effect.purpose, VictimCall)
        self.executor.outcome(effect.purpose, outcome)
        return self.take()

    def take(self) -> list[Effect]:
        """All effects but the event of the preemptor's failed attempt."""
        effects = self.context.dispatcher.take()
        return [e for e in effects if getattr(e, "reason", "") != "FailedScheduling"]

    @property
    def preempting(self) -> set[str]:
        return self.context.scheduler.preempting

    def ended(self, result: str) -> int:
        """How many preemptions have ended in this way."""
        name = "scheduler_preemption_goroutines_execution_total"
        count = self.context.metrics.registry.get_sample_value(name, {"result": result})
        return int(count or 0)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def said(effects: list[Effect]) -> list[tuple[str, str]]:
    return [
        (type(e).__name__, e.regarding["metadata"]["name"] if isinstance(e, Record) else e.name)
        for e in effects
    ]


def test_the_last_victim_is_removed_when_the_others_are_done(bench: Bench) -> None:
    bench.start("a", "b", "c")
    patch_a, patch_b = bench.take()
    assert said([patch_a, patch_b]) == [("Patch", "a"), ("Patch", "b")]
    (delete_b,) = bench.answer(patch_b, done(patch_b))
    (delete_a,) = bench.answer(patch_a, done(patch_a))
    assert said(bench.answer(delete_a, done(delete_a))) == [("Record", "a")]
    record_b, patch_c = bench.answer(delete_b, done(delete_b))
    assert said([record_b, patch_c]) == [("Record", "b"), ("Patch", "c")]
    (delete_c,) = bench.answer(patch_c, done(patch_c))
    assert isinstance(delete_c, Delete)
    assert delete_c.uid == "uid-c"
    assert len(bench.executor) == 1
    assert said(bench.answer(delete_c, done(delete_c))) == [("Record", "c")]
    assert (bench.ended("success"), bench.ended("error")) == (1, 0)


def test_the_preemptor_is_kept_back_until_the_last_victim_terminates(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    bench.answer(patch, done(patch))
    assert bench.preempting == {bench.preemptor.uid}
    terminating = pod("a", node="n1", deletionTimestamp="2026-01-01T00:00:30Z")
    bench.executor.pod_changed(Change("Pod", pod("a", node="n1"), terminating))
    assert not bench.preempting


def test_pods_of_less_priority_lose_their_nomination_to_the_node(bench: Bench) -> None:
    nominations = {"low": (0, "n1"), "equal": (10, "n1"), "elsewhere": (0, "n2")}
    for name, (priority, node_name) in nominations.items():
        status = {"nominatedNodeName": node_name}
        nominated = pending(name, priority=priority, status=status)
        bench.context.pending[nominated.uid] = nominated
        bench.context.scheduler.nominator.nominate(nominated, node_name)
    bench.start("a")
    on_node = bench.context.scheduler.nominator.on("n1")
    assert [one.uid for one in on_node] == ["uid-equal"]
    cleared, marked = bench.take()
    assert isinstance(cleared, Patch)
    assert (cleared.name, cleared.body["status"]) == ("low", {"nominatedNodeName": None})
    assert said([marked]) == [("Patch", "a")]


def test_an_answer_before_the_event_lets_nobody_in(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    (delete,) = bench.answer(patch, done(patch))
    bench.answer(delete, done(delete))
    assert not bench.executor
    assert bench.preempting == {bench.preemptor.uid}
    bench.executor.pod_changed(Change("Pod", pod("a", node="n1"), None))
    assert not bench.preempting


def test_the_condition_and_the_event_say_what_kube_scheduler_says(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    assert isinstance(patch, Patch)
    (condition,) = patch.body["status"]["conditions"]
    assert condition == {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
        "message": "default-scheduler: preempting to accommodate a higher priority pod",
        "observedGeneration": 1,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    (delete,) = bench.answer(patch, done(patch))
    (record,) = bench.answer(delete, done(delete))
    assert isinstance(record, Record)
    assert record.note == "Preempted by pod uid-high on node n1"
    assert (record.type, record.reason, record.action) == ("Normal", "Preempted", "Preempting")


def test_terminating_victims_need_no_call(bench: Bench) -> None:
    bench.start("a", deletionTimestamp="2026-01-01T00:00:30Z")
    assert bench.take() == []
    assert len(bench.executor) == 0


def test_a_victim_that_is_gone_is_no_failure_and_no_event(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    assert bench.answer(patch, failed(patch, "NotFound", 404)) == []
    assert (bench.ended("success"), bench.ended("error")) == (1, 0)


def test_after_a_failure_nobody_else_is_removed(bench: Bench) -> None:
    bench.start("a", "b", "c")
    patch_a, patch_b = bench.take()
    assert bench.answer(patch_a, failed(patch_a)) == []
    assert len(bench.executor) == 1
    assert bench.answer(patch_b, done(patch_b)) == []
    assert (bench.ended("success"), bench.ended("error")) == (0, 1)


@pytest.mark.parametrize(("is_there", "is_failure"), [(True, True), (False, False)])
def test_a_conflict_is_a_failure_only_while_the_victim_is_there(
    bench: Bench, is_there: bool, is_failure: bool
) -> None:
    bench.start("a")
    (patch,) = bench.take()
    if not is_there:
        bench.context.placed.clear()
    bench.answer(patch, failed(patch, "Conflict", 409))
    assert bench.ended("error") == is_failure


def test_a_victim_that_waits_for_permission_is_rejected_instead(bench: Bench) -> None:
    bench.waiting.uids.add("uid-a")
    bench.start("a")
    (record,) = bench.take()
    assert isinstance(record, Record)
    assert record.note == "Preempted by pod uid-high on node n1 (in kube-scheduler memory)."
    assert bench.ended("success") == 1


def test_outcomes_that_come_twice_change_nothing(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    (delete,) = bench.answer(patch, done(patch))
    assert bench.answer(patch, done(patch)) == []
    bench.answer(delete, done(delete))
    assert bench.answer(delete, failed(delete)) == []
    assert bench.ended("success") == 1


def test_the_second_failure_and_all_after_it_wait(bench: Bench) -> None:
    bench.context.queue.add(bench.preemptor, "default-scheduler", NOW_S)
    clock, waits_s = bench.context.scheduler.clock, []
    for _ in range(7):
        bench.start("a")
        (patch,) = bench.take()
        bench.answer(patch, failed(patch))
        due_s = bench.executor.next_wakeup_s() or clock.now_s
        waits_s.append(due_s - clock.now_s)
        clock.now_s = due_s
        bench.executor.wake()
    assert waits_s == [0.0, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_failures_of_a_pod_that_is_gone_are_forgotten(bench: Bench) -> None:
    """The preemptor isn't in the queue; a pod that is would be tried again, later each time."""
    for _ in range(3):
        bench.start("a")
        (patch,) = bench.take()
        bench.answer(patch, failed(patch))
        assert bench.executor.next_wakeup_s() is None


def test_for_a_preemptor_that_is_gone_nobody_else_has_to_go(bench: Bench) -> None:
    bench.start("a", "b", "c")
    patch_a, patch_b = bench.take()
    (delete_b,) = bench.answer(patch_b, done(patch_b))
    assert not bench.executor.is_needless(patch_a)
    bench.executor.pod_changed(Change("Pod", bench.preemptor.obj, None))
    assert bench.executor.is_needless(patch_a)
    assert bench.answer(patch_a, done(patch_a)) == []
    assert said(bench.answer(delete_b, done(delete_b))) == [("Record", "b")]
    assert (len(bench.executor), bench.preempting) == (0, set())


def test_a_victim_of_two_preemptions_is_removed_once(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    bench.start("a", "b", preemptor=pending("higher", priority=20))
    assert bench.take() == []
    (delete,) = bench.answer(patch, done(patch))
    record, patch_b = bench.answer(delete, done(delete))
    assert said([record, patch_b]) == [("Record", "a"), ("Patch", "b")]
    (delete_b,) = bench.answer(patch_b, done(patch_b))
    bench.answer(delete_b, done(delete_b))
    assert (bench.ended("success"), len(bench.executor)) == (2, 0)


def test_a_victim_goes_for_the_second_if_the_first_is_gone(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    bench.start("a", preemptor=pending("higher", priority=20))
    bench.executor.pod_changed(Change("Pod", bench.preemptor.obj, None))
    assert not bench.executor.is_needless(patch)
    (delete,) = bench.answer(patch, done(patch))
    assert isinstance(delete, Delete)
    assert bench.answer(delete, failed(delete)) == []
    assert (bench.ended("success"), bench.ended("error")) == (1, 1)


def test_a_pod_may_preempt_again_before_its_first_preemption_has_ended(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.take()
    (delete,) = bench.answer(patch, done(patch))
    bench.start("b")
    bench.take()
    assert said(bench.answer(delete, done(delete))) == [("Record", "a")]
    assert (len(bench.executor), bench.preempting) == (1, {bench.preemptor.uid})


@pytest.mark.parametrize(("start_s", "chosen"), [(30, "n1"), (-30, "n2")])
def test_a_start_that_lies_ahead_is_later_than_none(start_s: int, chosen: str) -> None:
    """The node whose victim started last is taken; a pod without a start time starts now."""
    hand = Hand()
    start = timestamp(NOW_S + start_s)
    victims = [
        pod("ahead", node="n1", cpu="4", status={"startTime": start}),
        pod("none", node="n2", cpu="4"),
    ]
    hand.start(node("n1"), node("n2"), *victims, pod("high", cpu="4", priority=10))
    status = of(hand.wake(), Patch)[-1]
    assert status.body["status"]["nominatedNodeName"] == chosen
