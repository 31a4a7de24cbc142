"""Who is let in when."""

import asyncio

import pytest

from podium.cluster.real.call_queue import CallQueue, RateLimiter, urgency_of
from podium.machines.effects import Bind, Delete, Patch
from podium.scheduler.machine.preemption_executor import VictimCall

BIND = Bind(namespace="d", name="p", uid="u", node_name="n")
DELETE = Delete(kind="Pod", name="p")
PATCH = Patch(kind="Pod", name="p", body={})
FREE = RateLimiter(-1, 1, lambda: 0.0)
LAST = PATCH.with_purpose(VictimCall("preemptor", "victim", is_last=True))


async def test_the_urgent_come_first_and_equals_in_their_order() -> None:
    queue, order = CallQueue(1, FREE), list[str]()

    async def call(name: str, urgency: int) -> None:
        async with queue.slot(urgency):
            order.append(name)
            await asyncio.sleep(0)

    names = [("first", PATCH), ("a", PATCH), ("b", DELETE), ("c", BIND), ("d", LAST)]
    await asyncio.gather(*(call(name, urgency_of(effect)) for name, effect in names))
    assert order == ["first", "c", "b", "d", "a"]


async def test_who_gives_up_takes_nobodys_place() -> None:
    queue = CallQueue(1, FREE)
    async with queue.slot(0):
        waits = asyncio.create_task(queue.slot(0).__aenter__())
        await asyncio.sleep(0)
    # The place is given by now, but the task hasn't run since.
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waits
    async with asyncio.timeout(1), queue.slot(2):
        pass


async def test_the_limit_is_asked_for_the_most_urgent() -> None:
    queue, order = CallQueue(10, RateLimiter(100, 1, lambda: 0.0)), list[int]()

    async def call(urgency: int) -> None:
        async with queue.slot(urgency):
            order.append(urgency)

    await asyncio.gather(*(call(urgency) for urgency in (2, 2, 1, 0)))
    assert order == [2, 0, 1, 2]


async def test_who_goes_second_is_let_in_one_by_one_while_others_are_inside() -> None:
    second = CallQueue(2, FREE)
    first, inside = CallQueue(5, FREE, goes_before=second), list[int]()
    ends = asyncio.Event()

    async def call(number: int) -> None:
        async with second.slot(0):
            inside.append(number)
            await ends.wait()

    async with first.slot(0), asyncio.TaskGroup() as group:
        for number in range(3):
            group.create_task(call(number))
        await asyncio.sleep(0)
        assert inside == [0]
        ends.set()

    ends.clear()
    async with asyncio.TaskGroup() as group:
        for number in range(3, 6):
            group.create_task(call(number))
        await asyncio.sleep(0)
        assert inside == [0, 1, 2, 3, 4]
        ends.set()


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_after_a_burst_requests_come_one_by_one() -> None:
    clock = Clock()
    limiter = RateLimiter(10, 3, clock)
    waits = [limiter.reserve_s() for _ in range(5)]
    assert waits == pytest.approx([0, 0, 0, 0.1, 0.2])


def test_a_pause_fills_the_bucket_and_no_more() -> None:
    clock = Clock()
    limiter = RateLimiter(10, 2, clock)
    for _ in range(4):
        limiter.reserve_s()
    clock.now_s += 60
    assert [limiter.reserve_s() for _ in range(3)] == pytest.approx([0, 0, 0.1])


def test_without_a_limit_nobody_waits() -> None:
    limiter = RateLimiter(-1, 1, Clock())
    assert {limiter.reserve_s() for _ in range(100)} == {0.0}
