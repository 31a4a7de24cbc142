"""The virtual driver: the order of what happens, and what survives what goes wrong."""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.cluster.drivers import virtual
from podium.cluster.drivers.driver_events import (
    Called,
    DriverEvent,
    Relisted,
    Started,
    Stepped,
    Stopped,
)
from podium.cluster.drivers.faults import Faults, Latency
from podium.cluster.drivers.virtual import VirtualDriver
from podium.machines.effects import Effect, Record
from podium.machines.events import Change, Event, Outcome, Synced
from tests.cluster.drivers.machines import (
    START_S,
    Diary,
    at_the_start,
    create,
    delete,
    make_server,
    put,
    remove,
)


def driver_of(server: Any = None, **options: Any) -> VirtualDriver:
    return VirtualDriver(server or make_server(), START_S, Random(7), **options)


def noting(driver: VirtualDriver) -> list[DriverEvent]:
    """What happens from now on."""
    happened: list[DriverEvent] = []
    driver.hooks.append(happened.append)
    driver.step_hooks.append(happened.append)
    return happened


def test_a_machine_is_told_what_there_is_and_then_what_changes() -> None:
    server, diary = make_server(), Diary()
    driver = driver_of(server)
    put(server, "a")
    driver.add(diary)
    driver.settle()
    put(server, "b")
    remove(server, "a")
    driver.settle()
    assert diary.notes == ["+a", "synced", "+b", "-a"]


def test_at_one_moment_calls_come_before_news_and_news_before_outcomes() -> None:
    """The order that the module promises for latencies of 0."""
    driver = driver_of()
    first = Diary(at_the_start(create("a"), create("b")), name="first")
    second = Diary(name="second")
    happened = noting(driver)
    driver.add(second)
    driver.add(first)
    driver.settle()
    assert driver.now_s == START_S
    order = [
        f"call {one.effect.purpose}"
        if isinstance(one, Called)
        else f"{one.who}: {type(one.event).__name__}"
        for one in happened
        if isinstance(one, Called | Stepped)
    ]
    assert order[-8:] == [
        *("call a", "call b"),
        *("second: Change", "second: Change", "first: Change", "first: Change"),
        *("first: Outcome", "first: Outcome"),
    ]
    assert first.notes == ["synced", "+a", "+b", "a: done", "b: done"]


@pytest.mark.parametrize(
    ("latency", "notes"),
    [
        (Latency(apply_s=1, answer_s=2, news_s=5), ["5 synced", "8 a: done", "11 +a", "15 +b"]),
        (Latency(news_s=2), ["2 synced", "2 a: done", "4 +a", "12 +b"]),
    ],
    ids=["all", "news"],
)
def test_latencies_delay_calls_answers_and_news(latency: Latency, notes: list[str]) -> None:
    server, diary = make_server(), Diary(at_the_start(create("a")))
    driver = driver_of(server, latency=latency)
    driver.add(diary)
    driver.at(START_S + 10, partial(put, server, "b"))
    driver.settle()
    assert diary.notes == notes


def test_a_machine_is_woken_when_it_wants_and_not_before() -> None:
    driver, diary = driver_of(), Diary(wakeups_s=(3, 3.5, 100))
    driver.add(diary)
    driver.run_until(START_S + 3.25)
    assert diary.notes == ["synced", "3 woken"]
    assert driver.now_s == START_S + 3.25
    driver.advance(1)
    assert diary.notes[2:] == ["3.5 woken"]


def test_a_wakeup_that_is_no_longer_wanted_does_not_come() -> None:
    server, diary = make_server(), Diary(wakeups_s=(5,))
    driver = driver_of(server)

    def forget(event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Change):
            diary._wakeups_s.clear()
        return ()

    diary._react = forget
    driver.add(diary)
    driver.settle(far_s=1)
    put(server, "a")
    assert driver.settle()
    assert driver.now_s == START_S
    assert diary.notes == ["synced", "+a"]


def test_at_rest_only_far_wakeups_are_left() -> None:
    driver = driver_of()
    driver.add(Diary(wakeups_s=(10, 40, 500)))
    assert driver.settle(far_s=60)
    assert driver.now_s == START_S + 40
    assert not driver.settle(max_s=100, far_s=1000)
    assert driver.now_s == START_S + 140


@pytest.mark.parametrize("loses_calls", [False, True])
def test_a_crash_loses_outcomes_and_news_and_maybe_calls(loses_calls: bool) -> None:
    driver = driver_of(latency=Latency(apply_s=1, answer_s=1, news_s=1))
    first, second = Diary(at_the_start(create("a"))), Diary()
    handle = driver.add(first)
    driver.run_until(START_S + 1.5)
    happened = noting(driver)
    driver.crash(handle, loses_calls=loses_calls)
    driver.crash(handle)
    driver.run_until(START_S + 10)
    driver.restart(handle, second)
    driver.settle()
    assert first.notes == ["1 synced"]
    assert second.notes == [*([] if loses_calls else ["11 +a"]), "11 synced"]
    assert handle.machine is second
    lives = [one for one in happened if isinstance(one, Started | Stopped)]
    assert lives == [Stopped(START_S + 1.5, "diary"), Started(START_S + 10, "diary")]
    with pytest.raises(ValueError, match="there is a machine diary already"):
        driver.add(Diary())


def test_refused_calls_are_outcomes() -> None:
    driver, diary = driver_of(), Diary(at_the_start(delete("a"), create("b"), create("b")))
    driver.add(diary)
    driver.settle()
    outcomes = ["a: NotFound", "b: done", "b: AlreadyExists"]
    assert [note for note in diary.notes if ":" in note] == outcomes


def test_records_become_events_and_have_no_outcome() -> None:
    server = make_server()

    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if not isinstance(event, Change) or event.new is None:
            return ()
        words = {"type": "Normal", "reason": "Noted", "action": "Noting", "note": "It is there"}
        return [Record(regarding=event.new, reporting_controller="diary", **words)] * 3

    driver, diary = driver_of(server), Diary(react)
    driver.add(diary)
    driver.settle()
    put(server, "a")
    driver.settle()

    def counts() -> list[int]:
        events = [one for one in server.store.list("Event").items if one["reason"] == "Noted"]
        about_a = [one for one in events if one["involvedObject"]["name"] == "a"]
        return [one["series"]["count"] for one in about_a]

    assert counts() == [2]
    driver.advance(1000)
    assert counts() == [3]
    assert diary.notes[-1] == "+a"


def test_a_broken_watch_leads_to_the_same_knowledge() -> None:
    server, diary = make_server(), Diary()
    driver = driver_of(server, latency=Latency(news_s=1))
    handle, happened = driver.add(diary), noting(driver)
    driver.settle()
    put(server, "a")
    put(server, "b")
    driver.settle()
    put(server, "c")
    remove(server, "a")
    remove(server, "b")
    put(server, "b")
    assert handle.runner is not None
    for listener in handle.runner.listeners:
        listener.relist()
    driver.settle()
    assert diary.notes == ["1 synced", "2 +a", "2 +b", "3 -b", "3 +b", "3 +c", "3 -a"]
    assert Relisted(START_S + 2, "diary", "ConfigMap") in happened


FAULTS = Faults(
    **dict.fromkeys(("refused", "unanswered", "slow", "repeated"), 0.2),
    **dict.fromkeys(("broken_watches", "slow_watches"), 0.2),
    restarts=0.02,
)


class Writer(Diary):
    """Wants ten objects to be there, and tries until they are."""

    def __init__(self) -> None:
        super().__init__(name="writer")
        self._asked = False

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        super().step(event, now_s)
        missing = [f"m{i}" for i in range(10) if f"m{i}" not in self.known]
        if self._asked or not missing or "synced" not in " ".join(self.notes):
            self._asked = False
            self._wakeups_s = [now_s + 5] if missing else []
            return ()
        self._asked = True
        self._wakeups_s = [now_s + 5]
        return [create(missing[0])]


@pytest.mark.parametrize("latency", [Latency(), Latency(0.5, 0.5, 1.0, is_exponential=True)])
def test_faults_delay_but_all_is_well_in_the_end(latency: Latency) -> None:
    happened: list[DriverEvent] = []
    for seed in range(10):
        driver = VirtualDriver(make_server(), START_S, Random(seed), FAULTS, latency)
        driver.hooks.append(happened.append)
        driver.step_hooks.append(happened.append)
        driver.add(Writer(), renew=Writer)
        onlooker = Diary(name="onlooker")
        driver.add(onlooker)
        driver.run_until(START_S + 2000)
        assert set(onlooker.known) == {f"m{i}" for i in range(10)}
    events = [one.event for one in happened if isinstance(one, Stepped)]
    errors = [event.error for event in events if isinstance(event, Outcome)]
    reasons = {error.reason if error else "" for error in errors}
    assert reasons >= {"", "Timeout", "TooManyRequests", "InternalError", "AlreadyExists"}
    assert {Relisted, Stopped} <= {type(one) for one in happened}


def test_unanswered_calls_are_carried_out_before_after_or_never() -> None:
    """What a machine learns of such a call is the same in all three cases."""
    lost = applied_late = 0
    for seed in range(40):
        faults = Faults(unanswered=1.0, slow_s=2.0)
        driver = VirtualDriver(make_server(), START_S, Random(seed), faults)
        diary = Diary(at_the_start(create("a")))
        driver.add(diary)
        driver.settle(max_s=100)
        assert "2 a: Timeout" in diary.notes
        lost += "a" not in diary.known
        applied_late += "a" in diary.known and diary.notes.index("2 a: Timeout") == 1
    assert 5 < lost < 25
    assert 5 < applied_late < 25


def test_time_may_pass_before_what_is_due_is_done() -> None:
    driver, done = driver_of(), list[str]()
    for name, after_s in (("soon", 1.0), ("now", 0.0), ("later", 9.0)):
        driver.at(START_S + after_s, partial(done.append, name))
    driver.pass_time(START_S + 5.0)
    assert (driver.now_s, done) == (START_S + 5.0, [])
    assert [driver.step_now() for _ in range(3)] == [True, True, False]
    assert (driver.now_s, done) == (START_S + 5.0, ["now", "soon"])


def test_time_that_stands_still_is_an_error_that_names_the_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(virtual, "TIMERS_AT_ONE_MOMENT_MAX", 1000)
    driver = driver_of()
    driver.add(Diary(name="idle"))
    driver.advance(30)

    def makes(event: Event, now_s: float) -> Sequence[Effect]:
        is_gone = isinstance(event, Change) and event.new is None
        return [create("a")] if isinstance(event, Synced) or is_gone else ()

    def takes_away(event: Event, now_s: float) -> Sequence[Effect]:
        return [delete("a")] if isinstance(event, Change) and event.new else ()

    driver.add(Diary(makes, name="maker"))
    driver.add(Diary(takes_away, name="taker"))
    with pytest.raises(PodiumError) as raised:
        driver.advance(1)
    message = str(raised.value)
    assert message.startswith("time stands still 30 s after the start")
    assert "maker (" in message
    assert "taker (" in message
    assert message.endswith(("Create of ConfigMap default/a", "Delete of ConfigMap default/a"))
