"""Follows a cluster through its API, for as long as somebody looks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random

from podium.client.connection import Connection
from podium.client.http_api import HttpApi
from podium.runtime.async_api import ForbiddenError
from podium.runtime.live import LiveDriver, SteadyClock
from podium.top.connection_state import ConnectionState, RelistingApi
from podium.top.watched_cluster import PREEMPTIONS, WatchedCluster


@asynccontextmanager
async def followed(
    connection: Connection, rng: Random
) -> AsyncIterator[tuple[WatchedCluster, ConnectionState]]:
    """What is known of a cluster, and whether it answers; both change in this event loop.

    Raises:
        PodiumError: the cluster can't be reached at the beginning.
    """
    cluster, state = WatchedCluster(), ConnectionState()
    async with HttpApi(connection, rng, fields=PREEMPTIONS) as http:
        with suppress(ForbiddenError):
            await http.list("Namespace")
        driver = LiveDriver(RelistingApi(http), SteadyClock(), drain_s=0.0, rng=rng)
        driver.hooks.append(state.happened)
        async with driver:
            driver.add(cluster)
            yield cluster, state
