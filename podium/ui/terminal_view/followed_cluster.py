"""Follows a cluster through its API, for as long as somebody looks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random

from podium.cluster.client.connection import Connection
from podium.cluster.client.http_api import HttpApi
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.machines.async_api import ForbiddenError
from podium.ui.terminal_view.connection_state import ConnectionState, RelistingApi
from podium.ui.terminal_view.watched_cluster import PREEMPTIONS, WatchedCluster


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
