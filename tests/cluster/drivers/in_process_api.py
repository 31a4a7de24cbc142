"""The API of a live driver, answered by an API server in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random

from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import ExpiredError
from podium.cluster.drivers.api_caller import carry_out
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.machines.async_api import ObjectList, WatchEventLike, WatchExpiredError
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class InProcessApi:
    """Calls an API server in this process and event loop, with an optional latency.

    Args:
        latency: how long calls take; watches take at least as long as it says.
    """

    def __init__(
        self,
        server: ApiServer,
        now_s: Callable[[], float],
        latency: Latency = INSTANT,
        rng: Random | None = None,
    ) -> None:
        self._store = server.store
        self._server = server
        self._now_s = now_s
        self._latency = latency
        self._rng = rng or Random(0)

    async def call(self, effect: Effect) -> Outcome:
        await self._pass(self._latency.apply_s)
        outcome = carry_out(self._server, effect, self._now_s())
        await self._pass(self._latency.answer_s)
        return outcome

    async def list(self, kind: str) -> ObjectList:
        page = self._store.list(kind)
        return ObjectList(page.items, page.revision)

    async def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        written = asyncio.Event()
        try:
            watch = self._store.watch(kind, from_revision=revision, wake=written.set)
        except ExpiredError as error:
            raise WatchExpiredError(str(error)) from None
        try:
            while True:
                written.clear()
                events = watch.take()
                if events:
                    await self._pass(self._latency.news_s)
                    yield events
                else:
                    await written.wait()
        except ExpiredError as error:
            raise WatchExpiredError(str(error)) from None
        finally:
            watch.close()

    async def _pass(self, mean_s: float) -> None:
        if duration_s := self._latency.drawn_s(mean_s, self._rng):
            await asyncio.sleep(duration_s)
