"""Watching of a cluster through its API, and the state of the connection."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from random import Random

from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import HttpApi
from podium.cluster.drivers.driver_events import DriverEvent, Listed, ListFailed
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.machines.async_api import (
    ForbiddenError,
    NotServedError,
    ObjectList,
    UnreachableError,
    WatchEventLike,
    WatchExpiredError,
)
from podium.machines.effects import Effect
from podium.machines.events import Outcome
from podium.scheduler.preemption.record import PREEMPTIONS
from podium.ui.terminal_view.watched_cluster import WatchedCluster


class ConnectionState:
    """The kinds that can't be listed and watched, with the reasons; a hook of the driver."""

    def __init__(self) -> None:
        self.failing: dict[str, str] = {}
        """Reasons by kind, as long as the API server doesn't answer."""
        self.left_out: dict[str, str] = {}
        """Reasons by kind, for kinds that the user isn't allowed to list."""

    def happened(self, event: DriverEvent) -> None:
        """Note that a list has succeeded or failed."""
        if isinstance(event, Listed):
            self.failing.pop(event.kind, None)
            self.left_out.pop(event.kind, None)
        elif isinstance(event, ListFailed):
            if isinstance(event.error, NotServedError | ForbiddenError):
                self.failing.pop(event.kind, None)
                self.left_out[event.kind] = str(event.error)
            else:
                self.failing[event.kind] = str(event.error)

    def sentence(self) -> str:
        """Return a sentence about the connection's problem; empty if there is none."""
        if self.failing:
            return f"The connection is lost, trying again: {next(iter(self.failing.values()))}"
        if self.left_out:
            kind, why = next(iter(self.left_out.items()))
            return f"{kind} is left out: {why}"
        return ""


class RelistingApi:
    """An API client that lists a kind again after a failed watch, to notice when it recovers.

    A new watch alone delivers nothing until an object changes.
    """

    def __init__(self, api: HttpApi) -> None:
        self._api = api
        self._lost: set[str] = set()

    async def call(self, effect: Effect) -> Outcome:
        return await self._api.call(effect)

    async def list(self, kind: str) -> ObjectList:
        listed = await self._api.list(kind)
        self._lost.discard(kind)
        return listed

    async def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        if kind in self._lost:
            raise WatchExpiredError(f"{kind} was out of sight")
        try:
            async for news in self._api.watch(kind, revision):
                yield news
        except UnreachableError:
            self._lost.add(kind)
            raise


@asynccontextmanager
async def followed(
    connection: Connection, rng: Random
) -> AsyncIterator[tuple[WatchedCluster, ConnectionState]]:
    """Watch a cluster inside of `async with`; raises PodiumError."""
    cluster, state = WatchedCluster(), ConnectionState()
    async with HttpApi(connection, rng, fields=PREEMPTIONS) as http:
        with suppress(ForbiddenError):
            await http.list("Namespace")
        api, clock = RelistingApi(http), SteadyClock()
        driver = LiveDriver(api, clock, drain_s=0.0, rng=rng, skips_forbidden=True)
        driver.hooks.append(state.happened)
        async with driver:
            driver.add(cluster)
            yield cluster, state
