"""What becomes of machines that raise, and of what they had asked for: in virtual time."""

import logging
from collections.abc import Sequence
from random import Random

import pytest

from podium.apiserver.server import ApiServer
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.drivers.machine_health import MachineError, MachineHealth
from podium.cluster.drivers.virtual import VirtualDriver
from podium.machines.effects import Effect, Panic, Patch, Record
from podium.machines.events import Change, Event, Outcome, Synced, Woken
from tests.cluster.drivers.machines import START_S, Diary, create, make_server, put, remove

BAD = "change of ConfigMap default/bad"


def stumble(event: Event, now_s: float) -> Sequence[Effect]:
    """A machine's reaction that fails at an object."""
    if isinstance(event, Change) and event.new and event.new["metadata"]["name"] == "bad":
        raise ValueError("bad is bad")
    return ()


def make_driver(
    server: ApiServer, *, goes_on: bool = True, latency: Latency = INSTANT
) -> VirtualDriver:
    driver = VirtualDriver(server, START_S, Random(7), latency=latency)
    driver.health = MachineHealth() if goes_on else None
    return driver


def test_a_run_ends_with_the_machine_and_what_it_was_handling() -> None:
    server = make_server()
    put(server, "bad")
    driver = make_driver(server, goes_on=False)
    driver.add(Diary(stumble), renew=lambda: Diary(stumble))
    with pytest.raises(MachineError) as caught:
        driver.settle()
    text = str(caught.value)
    assert text.startswith(f"machine diary failed at a {BAD}: ValueError: bad is bad (")
    assert text.endswith(f"{__file__.rsplit('/', 1)[1]}:{stumble.__code__.co_firstlineno + 3})")
    assert isinstance(caught.value.__cause__, ValueError)


def test_the_others_go_on_and_the_machine_comes_back_when_the_object_is_gone() -> None:
    server, lives, other = make_server(), list[Diary](), Diary(name="other")

    def renew() -> Diary:
        lives.append(Diary(stumble))
        return lives[-1]

    driver = make_driver(server)
    driver.add(renew(), renew=renew)
    driver.add(other)
    driver.settle()
    put(server, "bad")
    driver.advance(10)
    put(server, "a")
    driver.advance(60)
    assert other.notes == ["synced", "+bad", "10 +a"]
    assert driver.health is not None
    assert driver.health.failures(driver.now_s)["other"] == ""
    # At once, and then after 1, 2, 4, 8, 16 and 32 s.
    assert len(lives) == 8
    assert driver.health.panics == {"diary": 8}
    why = "ValueError, restarts at 2026-01-01T00:02:03Z"
    assert driver.health.failures(driver.now_s)["diary"] == why
    remove(server, "bad")
    put(server, "b")
    driver.advance(60)
    assert lives[-1].notes == ["123 +a", "123 +b", "123 synced"]
    assert driver.health.failures(driver.now_s)["diary"] == ""


def test_waits_start_all_over_once_all_was_well_for_long() -> None:
    server = make_server()
    driver = make_driver(server)
    driver.add(Diary(stumble), renew=lambda: Diary(stumble))
    for _ in range(2):
        put(server, "bad")
        driver.advance(60)
        remove(server, "bad")
        driver.advance(300)
    assert driver.health is not None
    assert driver.health.panics == {"diary": 14}


def test_what_was_asked_for_before_is_done_and_what_was_asked_with_the_failure_is_not() -> None:
    server, happened = make_server(), list[DriverEvent]()
    first = [True]

    class Asker(Diary):
        def step(self, event: Event, now_s: float) -> Sequence[Effect]:
            super().step(event, now_s)
            if isinstance(event, Synced) and first[0]:
                return [create("early")]
            if isinstance(event, Woken):
                return [create("late")]
            return ()

        def next_wakeup_s(self) -> float | None:
            if first[0] and any("woken" in note for note in self.notes):
                first[0] = False
                raise ValueError("no time")
            return super().next_wakeup_s()

    driver = make_driver(server, latency=Latency(apply_s=2, answer_s=2))
    driver.hooks.append(happened.append)
    handle = driver.add(Asker(wakeups_s=[1]), renew=Asker)
    driver.settle()
    calls = [happening.effect for happening in happened if isinstance(happening, Called)]
    assert [call.purpose for call in calls] == ["early"]
    assert isinstance(handle.machine, Asker)
    assert handle.machine.notes == ["1 synced", "2 +early"]


def test_whether_a_change_matters_may_fail_too() -> None:
    class Choosy(Diary):
        def heeds(self, change: Change) -> bool:
            stumble(change, 0.0)
            return True

    server = make_server()
    driver = make_driver(server)
    driver.add(Choosy(), renew=Choosy)
    put(server, "bad")
    driver.settle()
    assert driver.health is not None
    assert driver.health.panics["diary"] > 1


def test_a_failure_behind_a_call_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    server, diary = make_server(), Diary(lambda e, _: [create("a")] if e == Synced() else ())
    monkeypatch.setattr(server, "create", lambda *args: {}["nothing"])
    driver = make_driver(server)
    handle = driver.add(diary, renew=Diary)
    driver.settle()
    assert diary.notes == ["synced", "a: InternalError"]
    assert handle.machine is diary
    assert driver.health is not None
    assert driver.health.panics == {"diary": 1}


def test_a_failure_behind_a_call_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    server = make_server()
    monkeypatch.setattr(server, "patch", lambda *args, **options: {}["nothing"])
    patch = Patch(kind="ConfigMap", namespace="default", name="a", body={})
    driver = make_driver(server, goes_on=False)
    driver.add(Diary(lambda e, _: [patch] if e == Synced() else ()))
    with pytest.raises(MachineError, match="diary failed at its Patch of ConfigMap default/a: Key"):
        driver.settle()


def test_a_record_that_makes_no_event_is_a_failure() -> None:
    record = Record(
        regarding={}, reporting_controller="d", type="Normal", reason="R", action="", note=""
    )
    driver = make_driver(make_server(), goes_on=False)
    driver.add(Diary(lambda e, _: [record] if e == Synced() else ()))
    with pytest.raises(MachineError, match="diary failed at its start: KeyError"):
        driver.settle()


def test_each_failure_is_logged_once_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Woken):
            raise TypeError("another")
        return stumble(event, now_s)

    server = make_server()
    driver = make_driver(server)
    diary = Diary(react, wakeups_s=[600])
    driver.add(diary, renew=lambda: Diary(react, wakeups_s=[600]))
    put(server, "bad")
    with caplog.at_level(logging.ERROR):
        driver.advance(500)
        assert len(caplog.records) == 1
        remove(server, "bad")
        driver.advance(500)
    assert [record.exc_text is not None for record in caplog.records] == [True, True]
    first, second = caplog.messages
    assert BAD in first
    assert "machine diary failed at its wake-up: TypeError: another" in second


def test_outcomes_that_fail_are_named() -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Outcome):
            raise TypeError("unexpected")
        return [create("a")] if isinstance(event, Synced) else ()

    driver = make_driver(make_server(), goes_on=False)
    driver.add(Diary(react))
    with pytest.raises(MachineError, match="the outcome of its Create of ConfigMap default/a: Typ"):
        driver.settle()


def test_a_task_that_fails_leaves_the_machine_as_it_is() -> None:
    panic = Panic(task="default/a", error=ValueError("no"), again_s=START_S + 30)
    diary = Diary(lambda e, _: [panic, create("b")] if e == Synced() else ())
    driver = make_driver(make_server())
    driver.add(diary, renew=Diary)
    driver.advance(1)
    assert diary.notes == ["synced", "+b", "b: done"]
    assert driver.health is not None
    why = "ValueError, tried again at 2026-01-01T00:00:30Z"
    assert driver.health.failures(driver.now_s) == {"diary": why}
    driver.advance(31)
    assert driver.health.failures(driver.now_s) == {"diary": ""}


def test_a_task_that_fails_ends_a_run() -> None:
    panic = Panic(task="default/a", error=ValueError("no"), again_s=START_S + 30)
    driver = make_driver(make_server(), goes_on=False)
    driver.add(Diary(lambda e, _: [panic] if e == Synced() else ()))
    with pytest.raises(MachineError, match="diary failed at default/a: ValueError: no"):
        driver.settle()
