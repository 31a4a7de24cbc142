"""Time that passes by a clock of the test's own: what happens when, and when it jumps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from random import Random

import pytest

from podium.cluster.drivers.virtual import VirtualDriver
from podium.cluster.embedded.cluster_clock import (
    MOMENT_S_MAX,
    QUIET_S,
    REAL_TIME,
    REST_S,
    SPEEDS,
    STOPPED,
    ClockSpeed,
    ClusterClock,
)
from tests.cluster.drivers.machines import START_S, make_server, put


class World:
    """A cluster in which only what a test puts there happens.

    Attributes:
        told: what has happened, and how many seconds after the start.
    """

    def __init__(self, speed: ClockSpeed) -> None:
        self.server = make_server()
        self.driver = VirtualDriver(self.server, START_S, Random(1))
        self.told: list[tuple[str, float]] = []
        self.clock_s = 0.0
        self.clock = ClusterClock(
            self.driver, speed, lambda: self.server.store.revision, clock=lambda: self.clock_s
        )

    def plan(self, name: str, after_s: float, *, writes: bool = True) -> None:
        self.driver.at(START_S + after_s, partial(self._happen, name, writes))

    def _happen(self, name: str, writes: bool) -> None:
        if writes:
            put(self.server, name)
        self.told.append((name, round(self.driver.now_s - START_S, 3)))


@asynccontextmanager
async def running(speed: ClockSpeed) -> AsyncIterator[World]:
    world = World(speed)
    task = asyncio.create_task(world.clock.run())
    try:
        yield world
    finally:
        task.cancel()


async def turns(number: int = 5) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def test_things_happen_when_the_clock_says_so() -> None:
    async with running(SPEEDS["10x"]) as world:
        world.plan("a", 1.0)
        world.plan("b", 20.0)
        await turns()
        assert world.told == []
        world.clock_s = 0.1
        world.clock.request_made()
        await turns()
        assert world.told == [("a", 1.0)]
        world.clock_s = 3.0
        world.clock.request_made()
        await turns()
        assert world.told == [("a", 1.0), ("b", 30.0)]


async def test_it_wakes_by_itself_when_something_is_due() -> None:
    server = make_server()
    driver = VirtualDriver(server, START_S, Random(1))
    done = asyncio.Event()
    driver.at(START_S + 0.02, done.set)
    task = asyncio.create_task(ClusterClock(driver, REAL_TIME, lambda: server.store.revision).run())
    await done.wait()
    task.cancel()
    assert driver.now_s >= START_S + 0.02


async def test_advancing_does_everything_that_is_due_at_its_own_time() -> None:
    async with running(STOPPED) as world:
        for name, after_s in (("a", 1.0), ("b", 20.0), ("c", 30.0), ("d", 30.5)):
            world.plan(name, after_s)
        world.clock_s = 1000.0
        await turns()
        assert world.told == []
        await world.clock.advance(30.0)
        assert world.told == [("a", 1.0), ("b", 20.0), ("c", 30.0)]
        assert world.driver.now_s == START_S + 30.0
        await world.clock.advance(0.0)
        assert world.driver.now_s == START_S + 30.0


async def test_time_jumps_to_what_is_due_once_nobody_asks() -> None:
    async with running(SPEEDS["max"]) as world:
        world.plan("a", 50.0)
        world.plan("b", 300.0)
        world.clock.request_made()
        await turns()
        assert world.told == []
        world.clock_s = QUIET_S + 0.001
        world.clock.catch_up()
        # Woken as by its own timer: asking would make it wait again.
        world.clock._awake.set()
        await turns(20)
        assert world.told == [("a", 50.0), ("b", 300.0)]
        assert world.driver.now_s == START_S + 300.0


async def test_time_does_not_jump_where_nothing_is_written() -> None:
    async with running(SPEEDS["max"]) as world:
        for step in range(2_000):
            world.plan("tick", 5.0 * step, writes=step == 100)
        world.clock_s = 1.0
        world.clock._awake.set()
        await turns(5_000)
        assert REST_S + 495 < world.driver.now_s - START_S < REST_S + 510


def keep_busy(world: World, takes_s: float, times: int) -> None:
    """Have so many things be due at once, each of which takes its time by the clock."""

    def busy(left: int) -> None:
        world.told.append(("busy", world.driver.now_s - START_S))
        world.clock_s += takes_s
        if left:
            world.driver.at(world.driver.now_s, partial(busy, left - 1))

    world.driver.at(START_S, partial(busy, times))


async def test_a_busy_cluster_is_late_but_loses_nothing() -> None:
    async with running(REAL_TIME) as world:
        keep_busy(world, 0.003, 10)
        world.plan("a", 0.005)
        seen = set[int]()
        while len(world.told) < 12:
            seen.add(len(world.told))
            await turns(1)
        assert len(seen) > 3, "others have their turn in between"
        assert 0.005 <= next(at for name, at in world.told if name == "a") < 0.02


@pytest.mark.parametrize(
    ("takes_s", "times", "is_late"),
    [(0.003, 100, [False] * 101), (0.4 * MOMENT_S_MAX, 4, [False, False, False, True, True])],
)
async def test_a_moment_takes_no_time_where_time_jumps_unless_it_goes_on_for_long(
    takes_s: float, times: int, is_late: list[bool]
) -> None:
    async with running(SPEEDS["max"]) as world:
        keep_busy(world, takes_s, times)
        while len(world.told) <= times:
            await turns(1)
        assert [late_s > 0.0 for _, late_s in world.told] == is_late
