"""The live driver: machines over an API that takes its time, by the wall clock."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from podium.apiserver.server import ApiServer
from podium.cluster.drivers import driver_events
from podium.cluster.drivers.faults import Latency
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.cluster.drivers.machine_health import MachineError
from podium.machines import async_api
from podium.machines.effects import Effect
from podium.machines.events import Event, Outcome, Synced, Woken
from podium.machines.reconciler.work_queue import Backoff
from tests.cluster.drivers.in_process_api import InProcessApi
from tests.cluster.drivers.machines import Diary, at_the_start, create, make_server, put, remove


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def texts(diary: Diary) -> list[str]:
    """The notes without their times."""
    return [note.split(" ", 1)[1] for note in diary.notes]


def driver_over(server: ApiServer, latency_s: float = 0.0) -> LiveDriver:
    clock = SteadyClock()
    return LiveDriver(InProcessApi(server, clock.now_s, Latency(latency_s / 2)), clock)


async def test_a_machine_is_told_what_there_is_and_what_changes() -> None:
    server, diary = make_server(), Diary()
    put(server, "a")
    async with driver_over(server) as driver:
        handle = driver.add(diary)
        await until(lambda: "synced" in texts(diary))
        put(server, "b")
        remove(server, "a")
        await until(lambda: len(diary.notes) == 4)
        driver.wake(handle)
        await until(lambda: len(diary.notes) == 5)
    assert texts(diary) == ["+a", "synced", "+b", "-a", "woken"]


class ForbiddenApi(InProcessApi):
    """Lets nobody list anything."""

    async def list(self, kind: str) -> async_api.ObjectList:
        raise async_api.ForbiddenError(f"{kind} is forbidden")


async def test_a_machine_can_go_on_without_what_the_user_may_not_list() -> None:
    diary, happened, clock = Diary(), list[driver_events.DriverEvent](), SteadyClock()
    api = ForbiddenApi(make_server(), clock.now_s)
    async with LiveDriver(api, clock, skips_forbidden=True) as driver:
        driver.hooks.append(happened.append)
        driver.add(diary)
        await until(lambda: "synced" in texts(diary))
    assert any(isinstance(event, driver_events.ListFailed) for event in happened)


class CountingApi(InProcessApi):
    """Counts the calls that are under way."""

    def __init__(self, server: ApiServer) -> None:
        super().__init__(server, SteadyClock().now_s, Latency(0.005, 0.005))
        self.most = self._now = 0
        self.begun: list[object] = []

    async def call(self, effect: Effect) -> Outcome:
        self._now += 1
        self.most = max(self.most, self._now)
        self.begun.append(effect.purpose)
        try:
            return await super().call(effect)
        finally:
            self._now -= 1


async def test_calls_begin_in_order_and_no_more_are_under_way_than_allowed() -> None:
    api = CountingApi(make_server())
    diary = Diary(at_the_start(*(create(f"m{i}") for i in range(10))))
    async with LiveDriver(api, SteadyClock(), calls_max=3) as driver:
        driver.add(diary)
        await until(lambda: sum("done" in note for note in diary.notes) == 10)
    assert api.most == 3
    assert api.begun == [f"m{i}" for i in range(10)]


async def test_a_machine_is_woken_on_time() -> None:
    clock, woken_s = SteadyClock(), list[float]()

    def note(event: Event, now_s: float) -> Sequence[Effect]:
        woken_s.extend([now_s] if isinstance(event, Woken) else [])
        return ()

    diary, at_s = Diary(note), clock.now_s() + 0.05
    diary._wakeups_s = [at_s]
    async with LiveDriver(InProcessApi(make_server(), clock.now_s), clock) as driver:
        driver.add(diary)
        await until(lambda: bool(woken_s))
    assert len(woken_s) == 1
    assert woken_s[0] >= at_s


class Busy(Diary):
    """Always has something to do."""

    def next_wakeup_s(self) -> float | None:
        return 0.0


async def test_a_busy_machine_leaves_room_for_its_calls_and_for_others() -> None:
    busy, other = Busy(at_the_start(create("a")), name="busy"), Diary(name="other")
    async with driver_over(make_server(), 0.01) as driver:
        driver.add(busy)
        driver.add(other)
        await until(lambda: "+a" in texts(other))
        await until(lambda: "a: done" in texts(busy))


async def test_stopping_waits_for_calls_and_leaves_nothing_behind() -> None:
    server, happened = make_server(), list[driver_events.DriverEvent]()
    async with driver_over(server, 0.1) as driver:
        driver.hooks.append(happened.append)
        diary = Diary(at_the_start(create("a")))
        driver.add(diary)
        await until(lambda: "synced" in texts(diary))
    assert server.store.get("ConfigMap", "default", "a") is not None
    assert "a: done" not in texts(diary)
    assert len(asyncio.all_tasks()) == 1
    assert isinstance(happened[0], driver_events.Started)
    assert isinstance(happened[-1], driver_events.Stopped)
    timed = [
        event.took_s
        for event in happened
        if isinstance(event, driver_events.Stepped | driver_events.Called)
    ]
    assert min(timed) > 0


async def test_what_a_machine_raises_stops_everything_and_comes_out() -> None:
    def fail(event: Event, now_s: float) -> Sequence[Effect]:
        raise RuntimeError("a bug")

    async def run_both() -> None:
        async with driver_over(make_server()) as driver:
            driver.add(Diary(name="other"))
            driver.add(Diary(fail))
            await asyncio.sleep(60)

    with pytest.raises(ExceptionGroup) as caught:
        await run_both()
    assert caught.group_contains(MachineError, match="diary failed at its start: Runtim")
    assert len(asyncio.all_tasks()) == 1


async def test_a_machine_that_raises_is_followed_by_a_fresh_one() -> None:
    server, lives, other = make_server(), list[Diary](), Diary(name="other")

    def react(event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Outcome) and len(lives) == 1:
            raise RuntimeError("a bug")
        return [create("a")] if isinstance(event, Synced) and len(lives) == 1 else ()

    def renew() -> Diary:
        lives.append(Diary(react))
        return lives[-1]

    async with driver_over(server) as driver:
        driver.add(renew(), renew=renew)
        driver.add(other)
        await until(lambda: len(lives) == 2 and "synced" in texts(lives[1]))
        assert texts(lives[1]) == ["+a", "synced"]
        assert driver.health.panics == {"diary": 1}
        put(server, "b")
        await until(lambda: "+b" in texts(other) and "+b" in texts(lives[1]))
    assert "+b" not in texts(lives[0])
    assert len(asyncio.all_tasks()) == 1


class BreakingApi(InProcessApi):
    """Fails in turn: a list, a watch at its start, a watch after its first news, and expires."""

    def __init__(self, server: ApiServer) -> None:
        super().__init__(server, SteadyClock().now_s)
        self._failures = ["list", "watch", "news", "expired"]

    def _fails(self, how: str) -> bool:
        if self._failures[:1] != [how]:
            return False
        self._failures.pop(0)
        return True

    async def list(self, kind: str) -> async_api.ObjectList:
        if self._fails("list"):
            raise async_api.UnreachableError("no route")
        return await super().list(kind)

    async def watch(
        self, kind: str, revision: int
    ) -> AsyncIterator[Sequence[async_api.WatchEventLike]]:
        if self._fails("watch"):
            raise async_api.UnreachableError("no route")
        if self._fails("expired"):
            raise async_api.WatchExpiredError("too old")
        async for news in super().watch(kind, revision):
            yield news
            if self._fails("news"):
                return


async def test_lists_and_watches_go_on_after_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.cluster.drivers.live.BACKOFF", Backoff(0.001, 30.0))
    server, diary, happened = make_server(), Diary(), list[driver_events.DriverEvent]()
    async with LiveDriver(BreakingApi(server), SteadyClock()) as driver:
        driver.hooks.append(happened.append)
        driver.add(diary)
        await until(lambda: "synced" in texts(diary))
        for name in "abc":
            put(server, name)
            await asyncio.sleep(0.01)
        await until(lambda: len(diary.known) == 3)
    assert texts(diary) == ["synced", "+a", "+b", "+c"]
    assert sum(isinstance(event, driver_events.Relisted) for event in happened) == 1


def test_the_clock_never_goes_backwards() -> None:
    clock = SteadyClock()
    times = [clock.now_s() for _ in range(1000)]
    assert times == sorted(times)
