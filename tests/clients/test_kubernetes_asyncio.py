"""The official client's asynchronous sibling: an informer's loop."""

import asyncio
from pathlib import Path

import pytest

from podium import Cluster
from tests.clients.conftest import pod

kubernetes_asyncio = pytest.importorskip(
    "kubernetes_asyncio", reason="the client `kubernetes_asyncio` isn't installed"
)

SPACE = "default"


def test_an_informer_sees_everything_once(cluster: Cluster) -> None:
    names = {f"p-{number}" for number in range(5)}
    seen = asyncio.run(_follow(cluster.kubeconfig, names))
    assert next(kind for kind, name in seen if name == "p-0") == "ADDED"
    assert {name for kind, name in seen if kind == "ADDED"} == names
    assert {name for kind, name in seen if kind == "DELETED"} == names
    assert [kind for kind, _ in seen].count("ADDED") == len(names)


async def _follow(kubeconfig: Path, names: set[str]) -> list[tuple[str, str]]:
    """List, then watch from there, while pods come and go."""
    client = await kubernetes_asyncio.config.new_client_from_config(str(kubeconfig))
    async with client:
        core = kubernetes_asyncio.client.CoreV1Api(client)
        listed = await core.list_namespaced_pod(SPACE)
        come_and_go = asyncio.create_task(_come_and_go(core, names))
        seen = []
        gone: set[str] = set()
        async with kubernetes_asyncio.watch.Watch() as watch:
            async for event in watch.stream(
                core.list_namespaced_pod,
                SPACE,
                resource_version=listed.metadata.resource_version,
                timeout_seconds=30,
            ):
                name = event["object"].metadata.name
                seen.append((event["type"], name))
                gone |= {name} if event["type"] == "DELETED" else set()
                if gone == names:
                    break
        await come_and_go
        return seen


async def _come_and_go(core, names: set[str]) -> None:
    await asyncio.gather(*(core.create_namespaced_pod(SPACE, pod(one)) for one in names))
    patch = {"metadata": {"labels": {"seen": "yes"}}}
    await asyncio.gather(*(core.patch_namespaced_pod(one, SPACE, patch) for one in names))
    for name in names:
        await core.delete_namespaced_pod(name, SPACE)
