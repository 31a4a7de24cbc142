"""Room for so many calls at once; who waits is let in by urgency, then in the order of coming."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush

from podium.control.effects import Bind, Delete, Effect
from podium.controllers.scheduler.preemption import VictimCall


def urgency_of(effect: Effect) -> int:
    """How urgent a call is, the smaller the more.

    Bindings end what was begun, and deletions make room, as does what is written about the last
    victim of a preemption. Were they to wait behind all that is written about pods, the first of
    many preemptors would wait for the victims of the last.
    """
    if isinstance(effect, Bind):
        return 0
    if isinstance(effect, Delete):
        return 1
    purpose = effect.purpose
    return 1 if isinstance(purpose, VictimCall) and purpose.is_last else 2


class CallRoom:
    """Lets calls in.

    Args:
        size: how many may be inside.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._count = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def place(self, urgency: int) -> AsyncIterator[None]:
        """Have a place until the end of `async with`."""
        await self._enter(urgency)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, urgency: int) -> None:
        if self._free:
            self._free -= 1
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heappush(self._waiting, (urgency, self._count, called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                # The place was given already; somebody else can have it.
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            _, _, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
