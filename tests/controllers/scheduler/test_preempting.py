"""Victims: condition, deletion, event; all but the last at once, the last at the end."""

import pytest

from podium.control.effects import Delete, Effect, Patch, Record
from podium.control.events import Change
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.preempting import Preemptions, PreemptionTask, VictimCall
from podium.core.pods import PodInfo
from tests.controllers.scheduler.builders import done, failed, pending, placed, pod

NOW_S = 1_767_225_600.0


class Bench:
    """Preemptions with everything around them played by the test."""

    def __init__(self) -> None:
        self.outbox = Outbox()
        self.pods: dict[str, PodInfo] = {}
        self.waiting: set[str] = set()
        self.preempting: set[str] = set()
        self.finished: list[PreemptionTask] = []
        self.preemptor = pending("high", priority=10)
        self.preemptions = Preemptions(
            self.outbox,
            self.pods.get,
            lambda uid, now_s: uid in self.waiting,
            self.preempting,
        )
        self.preemptions.when_finished(lambda task, now_s: self.finished.append(task))

    def start(self, *names: str, **fields: object) -> bool:
        victims = [placed(name, **fields) for name in names]
        self.pods.update((victim.uid, victim) for victim in victims)
        task = PreemptionTask(self.preemptor, "default-scheduler", "n1", NOW_S)
        return self.preemptions.start(task, victims, NOW_S)

    def answer(self, effect: Effect, outcome) -> list[Effect]:
        assert isinstance(effect.purpose, VictimCall)
        self.preemptions.outcome(effect.purpose, outcome, NOW_S)
        return self.outbox.take()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def said(effects: list[Effect]) -> list[tuple[str, str]]:
    return [
        (type(e).__name__, e.regarding["metadata"]["name"] if isinstance(e, Record) else e.name)
        for e in effects
    ]


def test_the_last_victim_is_removed_when_the_others_are_done(bench: Bench) -> None:
    assert bench.start("a", "b", "c")
    patch_a, patch_b = bench.outbox.take()
    assert said([patch_a, patch_b]) == [("Patch", "a"), ("Patch", "b")]
    (delete_b,) = bench.answer(patch_b, done(patch_b))
    (delete_a,) = bench.answer(patch_a, done(patch_a))
    assert said(bench.answer(delete_a, done(delete_a))) == [("Record", "a")]
    record_b, patch_c = bench.answer(delete_b, done(delete_b))
    assert said([record_b, patch_c]) == [("Record", "b"), ("Patch", "c")]
    (delete_c,) = bench.answer(patch_c, done(patch_c))
    assert isinstance(delete_c, Delete)
    assert delete_c.uid == "uid-c"
    assert not bench.finished
    assert said(bench.answer(delete_c, done(delete_c))) == [("Record", "c")]
    assert bench.finished[0].error is None


def test_the_preemptor_is_kept_back_until_the_last_victim_terminates(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.outbox.take()
    bench.answer(patch, done(patch))
    assert bench.preempting == {bench.preemptor.uid}
    terminating = pod("a", node="n1", deletionTimestamp="2026-01-01T00:00:30Z")
    bench.preemptions.changed(Change("Pod", bench.pods["uid-a"].obj, terminating))
    assert not bench.preempting


def test_the_condition_and_the_event_say_what_kube_scheduler_says(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.outbox.take()
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
    assert not bench.start("a", deletionTimestamp="2026-01-01T00:00:30Z")
    assert bench.outbox.take() == []
    assert len(bench.preemptions) == 0


def test_a_victim_that_is_gone_is_no_failure_and_no_event(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.outbox.take()
    assert bench.answer(patch, failed(patch, "NotFound", 404)) == []
    assert bench.finished[0].error is None


def test_after_a_failure_nobody_else_is_removed(bench: Bench) -> None:
    bench.start("a", "b", "c")
    patch_a, patch_b = bench.outbox.take()
    assert bench.answer(patch_a, failed(patch_a)) == []
    assert not bench.finished
    assert bench.answer(patch_b, done(patch_b)) == []
    assert bench.finished[0].error is not None


@pytest.mark.parametrize(("is_there", "is_failure"), [(True, True), (False, False)])
def test_a_conflict_is_a_failure_only_while_the_victim_is_there(
    bench: Bench, is_there: bool, is_failure: bool
) -> None:
    bench.start("a")
    (patch,) = bench.outbox.take()
    if not is_there:
        bench.pods.clear()
    bench.answer(patch, failed(patch, "Conflict", 409))
    assert (bench.finished[0].error is not None) is is_failure


def test_a_victim_that_waits_for_permission_is_rejected_instead(bench: Bench) -> None:
    bench.waiting.add("uid-a")
    assert bench.start("a")
    assert said(bench.outbox.take()) == [("Record", "a")]
    assert bench.finished


def test_outcomes_that_come_twice_change_nothing(bench: Bench) -> None:
    bench.start("a")
    (patch,) = bench.outbox.take()
    (delete,) = bench.answer(patch, done(patch))
    assert bench.answer(patch, done(patch)) == []
    bench.answer(delete, done(delete))
    assert bench.answer(delete, failed(delete)) == []
    assert len(bench.finished) == 1
