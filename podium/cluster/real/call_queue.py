"""Limits on concurrent calls and on calls per second, with urgent calls first."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from heapq import heappop, heappush

from podium.api.objects import status_of
from podium.machines.effects import Bind, Delete, Effect, Patch
from podium.scheduler.machine.preemption_executor import VictimCall


class RateLimiter:
    """A token bucket that admits requests in the order of their arrival, like client-go's.

    `qps` are tokens per second; 0 or less for no limit.
    """

    def __init__(self, qps: float, burst: int, clock_s: Callable[[], float]) -> None:
        self._qps = qps
        self._burst = max(burst, 1)
        self._clock_s = clock_s
        # When the bucket was, or will be, full; each request takes it 1/qps further away.
        self._full_s = 0.0

    def reserve_s(self) -> float:
        """Take a token, and return how many seconds to wait before making the request."""
        if self._qps <= 0:
            return 0.0
        now_s = self._clock_s()
        self._full_s = max(self._full_s, now_s) + 1.0 / self._qps
        return max(0.0, self._full_s - now_s - self._burst / self._qps)


def urgency_of(effect: Effect) -> int:
    """Return the urgency of a call; a smaller number is more urgent.

    Bindings come first, as they complete decisions. Deletions and the status update of a
    preemption's last victim come next, as they free capacity: behind all other writes about pods,
    the first of many preemptors would wait for the victims of the last. Then come nominations, on
    which other decisions rely.
    """
    purpose = effect.purpose
    if isinstance(effect, Bind):
        return 0
    if isinstance(effect, Delete) or (isinstance(purpose, VictimCall) and purpose.is_last):
        return 1
    nominates = isinstance(effect, Patch) and status_of(effect.body).get("nominatedNodeName")
    return 2 if nominates else 3


class CallQueue:
    """Admits calls by urgency, then in the order of their arrival.

    Each token of the rate limiter is used by the call that is the most urgent when the token
    becomes available, not by the call that was the most urgent when the wait began.

    Args:
        size: limit of concurrent calls.
        goes_before: another queue, which admits one call at a time while this queue has calls.
    """

    def __init__(
        self, size: int, limiter: RateLimiter, goes_before: "CallQueue | None" = None
    ) -> None:
        self._size = size
        self._limiter = limiter
        self._goes_before = goes_before
        self._active = 0
        self._count = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._next: asyncio.TimerHandle | None = None
        self._is_second = False

    @asynccontextmanager
    async def slot(self, urgency: int) -> AsyncIterator[float]:
        """Hold a slot inside of `async with`; yields how many seconds the call waited for it."""
        loop = asyncio.get_running_loop()
        came_s = loop.time()
        admitted: asyncio.Future[None] = loop.create_future()
        self._count += 1
        heappush(self._waiting, (urgency, self._count, admitted))
        self._admit()
        try:
            await admitted
        except asyncio.CancelledError:
            if admitted.done() and not admitted.cancelled():
                # The slot was assigned before the cancellation: free it for another call.
                self._leave()
            raise
        try:
            yield loop.time() - came_s
        finally:
            self._leave()

    def _leave(self) -> None:
        self._active -= 1
        self._admit()

    def _admit(self) -> None:
        while (
            self._has_waiting()
            and self._active < (1 if self._is_second else self._size)
            and self._next is None
        ):
            wait_s = self._limiter.reserve_s()
            if wait_s > 0.0:
                loop = asyncio.get_running_loop()
                self._next = loop.call_later(wait_s, self._token_is_there)
            else:
                self._admit_one()
        if self._goes_before is not None:
            is_second, other = bool(self._active or self._waiting), self._goes_before
            if other._is_second != is_second:
                other._is_second = is_second
                other._admit()

    def _token_is_there(self) -> None:
        self._next = None
        if self._has_waiting():
            self._admit_one()
        self._admit()

    def _admit_one(self) -> None:
        self._active += 1
        heappop(self._waiting)[2].set_result(None)

    def _has_waiting(self) -> bool:
        # Cancelled calls are still in the heap.
        while self._waiting and self._waiting[0][2].done():
            heappop(self._waiting)
        return bool(self._waiting)
