"""Limits on concurrent calls and on calls a second, urgent calls first."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heappop, heappush

from podium.api.objects import status_of
from podium.machines.effects import Bind, Delete, Effect, Patch
from podium.scheduler.machine.preemption_executor import VictimCall


class RateLimiter:
    """Lets requests pass, in the order in which they come, as client-go's limiter does.

    Args:
        qps: how many a second; not above 0 for any number.
        burst: how many at once after a pause.
        clock_s: seconds that pass evenly.
    """

    def __init__(self, qps: float, burst: int, clock_s: Callable[[], float]) -> None:
        self._qps = qps
        self._burst = max(burst, 1)
        self._clock_s = clock_s
        # When the bucket was, or will be, full; each request takes it 1/qps further away.
        self._full_s = 0.0

    def reserve_s(self) -> float:
        """Take a place in line; how many seconds to wait before the request may be made."""
        if self._qps <= 0:
            return 0.0
        now_s = self._clock_s()
        self._full_s = max(self._full_s, now_s) + 1.0 / self._qps
        return max(0.0, self._full_s - now_s - self._burst / self._qps)

    async def wait(self) -> float:
        """Wait until the next request may be made; how many seconds that had to be."""
        wait_s = self.reserve_s()
        if wait_s > 0.0:
            await asyncio.sleep(wait_s)
        return wait_s


def urgency_of(effect: Effect) -> int:
    """Urgency of a call; smaller is more urgent.

    Bindings end what was begun, and deletions make room, as does what is written about the last
    victim of a preemption. Were they to wait behind all that is written about pods, the first of
    many preemptors would wait for the victims of the last. Nominations come next: others rely on
    them.
    """
    purpose = effect.purpose
    if isinstance(effect, Bind):
        return 0
    if isinstance(effect, Delete) or (isinstance(purpose, VictimCall) and purpose.is_last):
        return 1
    nominates = isinstance(effect, Patch) and status_of(effect.body).get("nominatedNodeName")
    return 2 if nominates else 3


class CallRoom:
    """Lets calls in, by urgency, then in the order of coming.

    The limit is asked in the name of whoever is most urgent once it lets somebody pass, so that
    nobody waits for a place in a line that was taken before.

    Args:
        size: how many may be inside.
        limiter: how many may enter a second.
        goes_before: another room, into which only one at a time is let while anybody is in this
            one, or waits.
    """

    def __init__(
        self, size: int, limiter: RateLimiter, goes_before: "CallRoom | None" = None
    ) -> None:
        self._size = size
        self._limiter = limiter
        self._goes_before = goes_before
        self._inside = 0
        self._count = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._next: asyncio.TimerHandle | None = None
        self._is_second = False

    @asynccontextmanager
    async def place(self, urgency: int) -> AsyncIterator[float]:
        """Hold a place until the end of `async with`; gives the seconds of waiting for it."""
        loop = asyncio.get_running_loop()
        came_s = loop.time()
        called: asyncio.Future[None] = loop.create_future()
        self._count += 1
        heappush(self._waiting, (urgency, self._count, called))
        self._let_in()
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                # The place was given already; somebody else can have it.
                self._leave()
            raise
        try:
            yield loop.time() - came_s
        finally:
            self._leave()

    def _leave(self) -> None:
        self._inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while (
            self._has_waiting()
            and self._inside < (1 if self._is_second else self._size)
            and self._next is None
        ):
            wait_s = self._limiter.reserve_s()
            if wait_s > 0.0:
                loop = asyncio.get_running_loop()
                self._next = loop.call_later(wait_s, self._limit_passed)
            else:
                self._let_one_in()
        if self._goes_before is not None:
            is_second, other = bool(self._inside or self._waiting), self._goes_before
            if other._is_second != is_second:
                other._is_second = is_second
                other._let_in()

    def _limit_passed(self) -> None:
        self._next = None
        if self._has_waiting():
            self._let_one_in()
        self._let_in()

    def _let_one_in(self) -> None:
        self._inside += 1
        heappop(self._waiting)[2].set_result(None)

    def _has_waiting(self) -> bool:
        while self._waiting and self._waiting[0][2].done():
            heappop(self._waiting)
        return bool(self._waiting)
