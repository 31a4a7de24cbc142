"""Reads the names of objects in a running cluster, for completion in a shell."""

import asyncio
from collections.abc import Sequence
from random import Random

from podium.api.errors import PodiumError
from podium.api.objects import place_of
from podium.cluster.client.connection import load_connection
from podium.cluster.client.http_api import HttpApi

_NAMES_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"


def names_of(
    kind: str, kubeconfig: str | None, context: str | None, within_s: float
) -> Sequence[tuple[str, str]]:
    """The namespaces and names of all objects of a kind; none if they can't be had in that time."""

    async def listed() -> Sequence[tuple[str, str]]:
        async with asyncio.timeout(within_s):
            connection = await load_connection(kubeconfig, context)
            async with HttpApi(connection, Random(), accept=_NAMES_ALONE) as api:
                found = await api.list(kind)
        return [*map(place_of, found.objects)]

    try:
        return asyncio.run(listed())
    except (PodiumError, TimeoutError, OSError, ValueError):
        return ()
