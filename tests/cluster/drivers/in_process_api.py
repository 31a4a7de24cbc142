"""The API of a live driver, answered by an API server in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random

from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import ExpiredError
from podium.cluster.drivers.api_caller import ApiCaller
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
        self._dispatcher = ApiCaller(server)
        self._now_s = now_s
        self._latency = latency
        self._rng = rng or Random(0)

    async def call(self, effect: Effect) -> Outcome:
        apply_s, answer_s = self._latency.call_s(self._rng)
        await _pass(apply_s)
        outcome = self._dispatcher.call(effect, self._now_s())
        await _pass(answer_s)
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
                    await _pass(self._latency.watch_s(self._rng))
                    yield events
                else:
                    await written.wait()
        except ExpiredError as error:
            raise WatchExpiredError(str(error)) from None
        finally:
            watch.close()


async def _pass(duration_s: float) -> None:
    if duration_s > 0:
        await asyncio.sleep(duration_s)
