"""Reads the names of objects in a running cluster, for completion in a shell."""

import asyncio
from collections.abc import Sequence

import aiohttp
import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import KINDS
from podium.cluster.client.calls import collection_path
from podium.cluster.client.connection import load_connection

_NAMES_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Item(msgspec.Struct):
    metadata: _Metadata


class _List(msgspec.Struct):
    items: list[_Item]


def names_of(
    kind: str, kubeconfig: str | None, context: str | None, within_s: float
) -> Sequence[tuple[str, str]]:
    """The namespaces and names of all objects of a kind; none if they can't be had in that time.

    Args:
        within_s: how long it may take, in seconds.
    """
    try:
        return asyncio.run(_names(kind, kubeconfig, context, within_s))
    except (PodiumError, aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return ()


async def _names(
    kind: str, kubeconfig: str | None, context: str | None, within_s: float
) -> Sequence[tuple[str, str]]:
    async with asyncio.timeout(within_s):
        connection = await load_connection(kubeconfig, context)
        headers = {"Accept": _NAMES_ALONE}
        if authorization := await connection.authorization():
            headers["Authorization"] = authorization
        tls = True if connection.tls is None else connection.tls
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls)) as session,
            session.get(
                connection.url + collection_path(KINDS[kind]),
                headers=headers,
                proxy=connection.proxy or None,
                server_hostname=connection.server_name or None,
                raise_for_status=True,
            ) as response,
        ):
            found = msgspec.json.decode(await response.read(), type=_List)
    return [(one.metadata.namespace, one.metadata.name) for one in found.items]
