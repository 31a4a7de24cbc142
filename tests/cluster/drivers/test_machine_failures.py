"""Machines that raise, and what they had asked for before: in virtual time."""

import logging
from collections.abc import Sequence
from random import Random

import pytest

from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.drivers.machine_health import MachineError, MachineHealth
from podium.cluster.drivers.virtual import VirtualDriver
from podium.machines.effects import Effect, Panic, Patch, Record
from podium.machines.events import Change, Event, Outcome, Synced, Woken
from tests.cluster.drivers.machines import (
    START_S,
    Diary,
    React,
    at_the_start,
    create,
    make_server,
    put,
    remove,
)

BAD = "change of ConfigMap default/bad"


def stumble(event: Event, now_s: float) -> Sequence[Effect]:
    """A machine's reaction that fails at an object."""
    if isinstance(event, Change) and event.new and event.new["metadata"]["name"] == "bad":
        raise ValueError("bad is bad")
    return ()


class Scene:
    """A server, and a driver over it that goes on after failures."""

    def __init__(self, latency: Latency = INSTANT) -> None:
        self.server, self.health = make_server(), MachineHealth()
        self.driver = VirtualDriver(self.server, START_S, Random(7), latency=latency)
        self.driver.health = self.health

    def why(self, name: str = "diary") -> str:
        return self.health.failures(self.driver.now_s)[name]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def at_outcome(event: Event, now_s: float) -> Sequence[Effect]:
    if isinstance(event, Outcome):
        raise TypeError("unexpected")
    return [create("a")] if isinstance(event, Synced) else ()


NO_EVENT = Record(
    regarding={}, reporting_controller="d", type="Normal", reason="R", action="", note=""
)
PANIC = Panic(task="default/a", error=ValueError("no"), again_s=START_S + 30)
PATCH = Patch(kind="ConfigMap", namespace="default", name="a", body={})


@pytest.mark.parametrize(
    ("react", "failed_at"),
    [
        (stumble, f"a {BAD}: ValueError: bad is bad ("),
        (at_outcome, "the outcome of its Create of ConfigMap default/a: TypeError: unexpected"),
        (at_the_start(NO_EVENT), "its start: KeyError"),
        (at_the_start(PATCH), "its Patch of ConfigMap default/a: KeyError"),
        (at_the_start(PANIC), "default/a: ValueError: no"),
    ],
    ids=["a change", "an outcome", "a record that makes no Event", "behind a call", "a task"],
)
def test_a_run_ends_with_a_failure_that_names_the_machine_and_what_it_was_handling(
    scene: Scene, react: React, failed_at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.driver.health = None
    monkeypatch.setattr(scene.server, "patch", lambda *args, **options: {}["nothing"])
    put(scene.server, "bad")
    scene.driver.add(Diary(react), renew=lambda: Diary(react))
    with pytest.raises(MachineError) as caught:
        scene.driver.settle()
    assert str(caught.value).startswith(f"machine diary failed at {failed_at}")
    if react is stumble:
        line = stumble.__code__.co_firstlineno + 3
        assert str(caught.value).endswith(f"({__file__.rsplit('/', 1)[1]}:{line})")
        assert isinstance(caught.value.__cause__, ValueError)


def test_the_others_go_on_and_the_machine_comes_back_when_the_object_is_gone(scene: Scene) -> None:
    lives, other = list[Diary](), Diary(name="other")

    def renew() -> Diary:
        lives.append(Diary(stumble))
        return lives[-1]

    scene.driver.add(renew(), renew=renew)
    scene.driver.add(other)
    scene.driver.settle()
    put(scene.server, "bad")
    scene.driver.advance(10)
    put(scene.server, "a")
    scene.driver.advance(60)
    assert other.notes == ["synced", "+bad", "10 +a"]
    # At once, and then after 1, 2, 4, 8, 16 and 32 s.
    assert len(lives) == 8
    assert scene.health.panics == {"diary": 8}
    why = "ValueError, restarts at 2026-01-01T00:02:03Z"
    assert (scene.why(), scene.why("other")) == (why, "")
    remove(scene.server, "bad")
    put(scene.server, "b")
    scene.driver.advance(60)
    assert lives[-1].notes == ["123 +a", "123 +b", "123 synced"]
    assert scene.why() == ""


def test_waits_start_all_over_once_all_was_well_for_long(scene: Scene) -> None:
    scene.driver.add(Diary(stumble), renew=lambda: Diary(stumble))
    for _ in range(2):
        put(scene.server, "bad")
        scene.driver.advance(60)
        remove(scene.server, "bad")
        scene.driver.advance(300)
    assert scene.health.panics == {"diary": 14}


def test_what_was_asked_for_before_is_done_and_what_was_asked_with_the_failure_is_not() -> None:
    driver = Scene(Latency(apply_s=2, answer_s=2)).driver
    happened, first = list[DriverEvent](), [True]

    class Asker(Diary):
        def step(self, event: Event, now_s: float) -> Sequence[Effect]:
            super().step(event, now_s)
            if isinstance(event, Synced) and first[0]:
                return [create("early")]
            return [create("late")] if isinstance(event, Woken) else ()

        def next_wakeup_s(self) -> float | None:
            if first[0] and any("woken" in note for note in self.notes):
                first[0] = False
                raise ValueError("no time")
            return super().next_wakeup_s()

    driver.hooks.append(happened.append)
    handle = driver.add(Asker(wakeups_s=[1]), renew=Asker)
    driver.settle()
    calls = [event.effect.purpose for event in happened if isinstance(event, Called)]
    assert calls == ["early"]
    assert isinstance(handle.machine, Asker)
    assert handle.machine.notes == ["1 synced", "2 +early"]


def test_whether_a_change_matters_may_fail_too(scene: Scene) -> None:

    class Choosy(Diary):
        def heeds(self, change: Change) -> bool:
            stumble(change, 0.0)
            return True

    scene.driver.add(Choosy(), renew=Choosy)
    put(scene.server, "bad")
    scene.driver.settle()
    assert scene.health.panics["diary"] > 1


def test_a_failure_behind_a_call_is_an_internal_error(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = Diary(at_the_start(create("a")))
    monkeypatch.setattr(scene.server, "create", lambda *args: {}["nothing"])
    handle = scene.driver.add(diary, renew=Diary)
    scene.driver.settle()
    assert diary.notes == ["synced", "a: InternalError"]
    assert handle.machine is diary
    assert scene.health.panics == {"diary": 1}


def test_each_failure_is_logged_once_with_its_traceback(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:

    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Woken):
            raise TypeError("another")
        return stumble(event, now_s)

    def renew() -> Diary:
        return Diary(react, wakeups_s=[600])

    scene.driver.add(renew(), renew=renew)
    put(scene.server, "bad")
    with caplog.at_level(logging.ERROR):
        scene.driver.advance(500)
        assert len(caplog.records) == 1
        remove(scene.server, "bad")
        scene.driver.advance(500)
    assert [record.exc_text is not None for record in caplog.records] == [True, True]
    first, second = caplog.messages
    assert BAD in first
    assert "machine diary failed at its wake-up: TypeError: another" in second


def test_a_task_that_fails_leaves_the_machine_as_it_is(scene: Scene) -> None:
    diary = Diary(at_the_start(PANIC, create("b")))
    scene.driver.add(diary, renew=Diary)
    scene.driver.advance(1)
    assert diary.notes == ["synced", "+b", "b: done"]
    assert scene.why() == "ValueError, tried again at 2026-01-01T00:00:30Z"
    scene.driver.advance(31)
    assert scene.why() == ""


def test_a_failure_at_the_first_list_names_its_kind(scene: Scene) -> None:
    class Lister(Diary):
        takes_lists = True

        def step(self, event: Event, now_s: float) -> Sequence[Effect]:
            raise ValueError(type(event).__name__)

    scene.driver.health = None
    put(scene.server, "a")
    scene.driver.add(Lister())
    with pytest.raises(MachineError, match="at the list of all ConfigMap objects: ValueError: Fi"):
        scene.driver.settle()
