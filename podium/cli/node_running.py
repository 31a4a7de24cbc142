"""The life of `podium node`: from joining a cluster to a signal, until all pods have stopped."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any

from podium.client.connection import load_connection
from podium.client.http_api import CallFailed, HttpApi
from podium.machine.cgroups import Cgroups
from podium.machine.containers import Containers
from podium.machine.directories import NodeDirectory
from podium.machine.facts import facts
from podium.machine.workshop import Fetch, Workshop
from podium.node.real.agent import NodeAgent
from podium.node.real.kubelet_config import KubeletConfig
from podium.node.real.registration import node_object
from podium.node.real.sources import Place
from podium.runtime.async_api import Unreachable
from podium.runtime.live import LiveDriver, SteadyClock

_NOT_FOR_US = (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be run.

    Attributes:
        kubeconfig: how to reach the cluster; None as for kubectl.
        context: of it; None for its current one.
        name: the node's.
        root: where volumes and logs of its pods are.
        config: how it is configured.
        labels: that it is to have besides those that each node has.
    """

    kubeconfig: str | None
    context: str | None
    name: str
    root: Path
    config: KubeletConfig
    labels: Mapping[str, str]


async def run(wish: Wish) -> None:
    """Be a node until Ctrl-C or SIGTERM; a second one kills all pods at once.

    Raises:
        PodiumError: the node can't join the cluster, or its directory can't be used.
    """
    connection = await load_connection(wish.kubeconfig, wish.context)
    fields = {"Pod": f"spec.nodeName={wish.name}", "Node": f"metadata.name={wish.name}"}
    async with HttpApi(connection, Random(), fields=fields) as api:
        with NodeDirectory(wish.root) as directory:
            await api.list("Node")
            await _live(wish, api, directory)


async def _live(wish: Wish, api: HttpApi, directory: NodeDirectory) -> None:
    clock = SteadyClock()
    found = facts(directory.root, directory.logs)
    containers = Containers(clock.now_s, Cgroups.delegated(), directory.root)
    # What an agent left that was killed itself.
    containers.kill_all()
    place = Place(found.address, found.cpus, found.memory_bytes)
    workshop = Workshop(api, _fetch_from(api), containers, directory, place, clock.now_s)
    node = node_object(wish.name, found, wish.config, wish.labels)
    loop = asyncio.get_running_loop()

    def end() -> None:
        if workshop.asked_to_end.is_set():
            workshop.has_ended.set()
        workshop.asked_to_end.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    print(f"node {wish.name} runs pods in {directory.root}", flush=True)
    try:
        async with LiveDriver(workshop, clock) as driver:
            driver.add(NodeAgent(node, found, wish.config), host=wish.name)
            await workshop.has_ended.wait()
    finally:
        containers.kill_all()


def _fetch_from(api: HttpApi) -> Fetch:
    async def fetch(kind: str, namespace: str, name: str) -> Mapping[str, Any] | None:
        try:
            return await api.get(kind, name, namespace)
        except CallFailed as failed:
            if failed.error.code in _NOT_FOR_US:
                return None
            raise Unreachable(failed.error.message) from None

    return fetch
