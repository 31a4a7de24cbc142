"""The virtual driver: what happens in which order, and what survives what goes wrong."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from random import Random

import pytest

from podium.cluster.drivers import virtual
from podium.cluster.drivers.driver_events import (
    Called,
    DriverEvent,
    Relisted,
    Started,
    Stepped,
    Stopped,
)
from podium.cluster.drivers.faults import ExponentialLatency, Faults, Latency
from podium.cluster.drivers.virtual import EndlessMomentError, VirtualDriver
from podium.machines.effects import Effect, Record
from podium.machines.events import Change, Event, Outcome, Synced
from tests.cluster.drivers.machines import (
    START_S,
    Diary,
    create,
    delete,
    make_server,
    put,
    remove,
)


def make_driver(**options: object) -> VirtualDriver:
    return VirtualDriver(make_server(), START_S, Random(7), **options)  # type: ignore[arg-type]


def test_a_machine_is_told_what_there_is_and_then_what_changes() -> None:
    server = make_server()
    driver, diary = VirtualDriver(server, START_S, Random(7)), Diary()
    put(server, "a")
    driver.add(diary)
    driver.settle()
    put(server, "b")
    remove(server, "a")
    driver.settle()
    assert diary.notes == ["+a", "synced", "+b", "-a"]


def test_at_one_moment_calls_come_before_news_and_news_before_outcomes() -> None:
    """The order that the module promises for latencies of 0."""
    driver, order = make_driver(), list[str]()

    def react(event: Event, now_s: float) -> Sequence[Effect]:
        return [create("a"), create("b")] if isinstance(event, Synced) else ()

    first, second = Diary(react, name="first"), Diary(name="second")

    def note(h: DriverEvent) -> None:
        if isinstance(h, Called):
            order.append(f"call {h.effect.purpose}")
        elif isinstance(h, Stepped):
            order.append(f"{h.who}: {type(h.event).__name__}")

    driver.hooks.append(note)
    driver.step_hooks.append(note)
    driver.add(second)
    driver.add(first)
    driver.settle()
    assert driver.now_s == START_S
    assert order[-8:] == [
        "call a",
        "call b",
        "second: Change",
        "second: Change",
        "first: Change",
        "first: Change",
        "first: Outcome",
        "first: Outcome",
    ]
    assert first.notes == ["synced", "+a", "+b", "a: done", "b: done"]


def test_latencies_delay_calls_answers_and_news() -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        return [create("a")] if isinstance(event, Synced) else ()

    driver = make_driver(latency=Latency(apply_s=1, answer_s=2, news_s=5))
    diary = Diary(react)
    driver.add(diary)
    driver.settle()
    assert diary.notes == ["5 synced", "8 a: done", "11 +a"]


def test_news_are_not_told_earlier_than_their_latency() -> None:
    server = make_server()
    driver = VirtualDriver(server, START_S, Random(7), latency=Latency(news_s=2))
    diary = Diary()
    driver.add(diary)
    driver.at(START_S + 10, partial(put, server, "a"))
    driver.at(START_S + 11, partial(put, server, "b"))
    driver.settle()
    assert diary.notes == ["2 synced", "12 +a", "13 +b"]


def test_a_machine_is_woken_when_it_wants_and_not_before() -> None:
    driver, diary = make_driver(), Diary(wakeups_s=(3, 3.5, 100))
    driver.add(diary)
    driver.run_until(START_S + 3.25)
    assert diary.notes == ["synced", "3 woken"]
    assert driver.now_s == START_S + 3.25
    driver.advance(1)
    assert diary.notes[2:] == ["3.5 woken"]


def test_a_wakeup_that_is_no_longer_wanted_does_not_come() -> None:
    server = make_server()
    driver, diary = VirtualDriver(server, START_S, Random(7)), Diary(wakeups_s=(5,))

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
    driver = make_driver()
    driver.add(Diary(wakeups_s=(10, 40, 500)))
    assert driver.settle(far_s=60)
    assert driver.now_s == START_S + 40
    assert not driver.settle(max_s=100, far_s=1000)
    assert driver.now_s == START_S + 140


def test_a_crash_loses_outcomes_and_news_but_not_calls() -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        return [create("a")] if isinstance(event, Synced) else ()

    driver = make_driver(latency=Latency(apply_s=1, answer_s=1, news_s=1))
    first, second = Diary(react), Diary()
    handle = driver.add(first)
    driver.run_until(START_S + 1.5)
    driver.crash(handle)
    driver.run_until(START_S + 10)
    driver.restart(handle, second)
    driver.settle()
    assert first.notes == ["1 synced"]
    assert second.notes == ["11 +a", "11 synced"]
    assert handle.machine is second


def test_a_crash_may_lose_calls_that_are_on_their_way() -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        return [create("a")] if isinstance(event, Synced) else ()

    driver = make_driver(latency=Latency(apply_s=1))
    handle, onlooker = driver.add(Diary(react)), Diary(name="onlooker")
    driver.add(onlooker)
    driver.run_until(START_S + 0.5)
    driver.crash(handle, loses_calls=True)
    driver.settle()
    assert onlooker.notes == ["synced"]


def test_refused_calls_are_outcomes() -> None:
    def react(event: Event, now_s: float) -> Sequence[Effect]:
        return [delete("a"), create("b"), create("b")] if isinstance(event, Synced) else ()

    driver, diary = make_driver(), Diary(react)
    driver.add(diary)
    driver.settle()
    assert [note for note in diary.notes if ":" in note] == [
        "a: NotFound",
        "b: done",
        "b: AlreadyExists",
    ]


def test_records_become_events_and_have_no_outcome() -> None:
    server = make_server()

    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if not isinstance(event, Change) or event.new is None:
            return ()
        note = Record(
            regarding=event.new,
            reporting_controller="diary",
            type="Normal",
            reason="Noted",
            action="Noting",
            note="It is there",
        )
        return [note, note, note]

    driver, diary = VirtualDriver(server, START_S, Random(7)), Diary(react)
    driver.add(diary)
    driver.settle()
    put(server, "a")
    driver.settle()
    events = [e for e in server.store.list("Event").items if e["reason"] == "Noted"]
    assert [event["series"]["count"] for event in events if "series" in event][-1:] == [2]
    driver.advance(1000)
    (event,) = [e for e in server.store.list("Event").items if "a." in e["metadata"]["name"]]
    assert event["series"]["count"] == 3
    assert diary.notes[-1] == "+a"


def test_a_broken_watch_leads_to_the_same_knowledge() -> None:
    server = make_server()
    driver = VirtualDriver(server, START_S, Random(7), latency=Latency(news_s=1))
    diary, happened = Diary(), list[object]()
    handle = driver.add(diary)
    driver.hooks.append(happened.append)
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


def test_starts_and_stops_are_told() -> None:
    driver, happened = make_driver(), list[object]()
    driver.hooks.append(happened.append)
    handle = driver.add(Diary())
    driver.crash(handle)
    driver.crash(handle)
    assert happened == [Started(START_S, "diary"), Stopped(START_S, "diary")]
    with pytest.raises(ValueError, match="there is a machine diary already"):
        driver.add(Diary())


FAULTS = Faults(
    refused=0.2,
    unanswered=0.2,
    slow=0.2,
    repeated=0.2,
    broken_watches=0.2,
    slow_watches=0.2,
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


def _outcomes(happened: Iterable[DriverEvent]) -> Iterator[Outcome]:
    for one in happened:
        if isinstance(one, Stepped) and isinstance(one.event, Outcome):
            yield one.event


@pytest.mark.parametrize("latency", [Latency(), ExponentialLatency(0.5, 0.5, 1.0)])
def test_faults_delay_but_all_is_well_in_the_end(latency: Latency) -> None:
    happened: list[DriverEvent] = []
    for seed in range(10):
        server = make_server()
        driver = VirtualDriver(server, START_S, Random(seed), FAULTS, latency)
        driver.hooks.append(happened.append)
        driver.step_hooks.append(happened.append)
        driver.add(Writer(), renew=Writer)
        onlooker = Diary(name="onlooker")
        driver.add(onlooker)
        driver.run_until(START_S + 2000)
        assert set(onlooker.known) == {f"m{i}" for i in range(10)}
    told = [outcome.error for outcome in _outcomes(happened)]
    reasons = {error.reason if error else "" for error in told}
    assert reasons >= {"", "Timeout", "TooManyRequests", "InternalError", "AlreadyExists"}
    assert any(isinstance(h, Relisted) for h in happened)
    assert any(isinstance(h, Stopped) for h in happened)


def test_a_seed_repeats_everything() -> None:
    def run(seed: int) -> list[object]:
        driver = VirtualDriver(
            make_server(), START_S, Random(seed), FAULTS, ExponentialLatency(0.5, 0.5, 1.0)
        )
        happened: list[object] = []
        driver.hooks.append(happened.append)
        driver.step_hooks.append(happened.append)
        driver.add(Writer(), renew=Writer)
        driver.run_until(START_S + 300)
        return happened

    assert run(3) == run(3)
    assert run(3) != run(4)


def test_unanswered_calls_are_carried_out_before_after_or_never() -> None:
    """What a machine learns of such a call is the same in all three cases."""
    outcomes: list[str] = []
    applied_late = 0
    for seed in range(40):

        def react(event: Event, now_s: float) -> Sequence[Effect]:
            return [create("a")] if isinstance(event, Synced) else ()

        driver = VirtualDriver(
            make_server(), START_S, Random(seed), Faults(unanswered=1.0, slow_s=2.0)
        )
        diary = Diary(react)
        driver.add(diary)
        driver.settle(max_s=100)
        assert "2 a: Timeout" in diary.notes
        outcomes.append("applied" if "a" in diary.known else "lost")
        applied_late += "a" in diary.known and diary.notes.index("2 a: Timeout") == 1
    assert 5 < outcomes.count("lost") < 25
    assert 5 < applied_late < 25


def test_time_may_pass_before_what_is_due_is_done() -> None:
    driver, done = make_driver(), list[str]()
    for name, after_s in (("soon", 1.0), ("now", 0.0), ("later", 9.0)):
        driver.at(START_S + after_s, partial(done.append, name))
    driver.pass_time(START_S + 5.0)
    assert (driver.now_s, done) == (START_S + 5.0, [])
    assert driver.step_now()
    assert driver.step_now()
    assert not driver.step_now()
    assert (driver.now_s, done) == (START_S + 5.0, ["now", "soon"])


def test_time_that_stands_still_is_an_error_that_names_the_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(virtual, "TIMERS_AT_ONE_MOMENT_MAX", 1000)
    driver = make_driver()
    driver.add(Diary(name="idle"))
    driver.advance(30)

    def makes(event: Event, now_s: float) -> Sequence[Effect]:
        return [create("a")] if isinstance(event, Synced) or _is(event, gone=True) else ()

    def takes_away(event: Event, now_s: float) -> Sequence[Effect]:
        return [delete("a")] if _is(event, gone=False) else ()

    driver.add(Diary(makes, name="maker"))
    driver.add(Diary(takes_away, name="taker"))
    with pytest.raises(EndlessMomentError) as raised:
        driver.advance(1)
    message = str(raised.value)
    assert message.startswith("time stands still 30 s after the start")
    assert "maker (" in message
    assert "taker (" in message
    assert message.endswith(("Create of ConfigMap default/a", "Delete of ConfigMap default/a"))


def _is(event: Event, *, gone: bool) -> bool:
    return isinstance(event, Change) and (event.new is None) is gone
