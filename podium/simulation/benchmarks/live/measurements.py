"""Benchmarks of a running cluster: creations, bindings, lag of watches, memory."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np

from podium.simulation.benchmarks.live.process import LiveConnection, LiveTarget, UpProcess, up
from podium.simulation.benchmarks.results import Measurement

PODS = "/api/v1/namespaces/default/pods"
CONNECTIONS = 8
_NODE = ("--node-cpu", "32", "--node-memory", "256Gi")
_ALONE = ("--no-scheduler", "--controllers", "", "--nodes", "1")
_PATIENCE_S = 600.0


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of objects in the measurements."""

    creations: int = 5_000
    bindings: int = 5_000
    nodes: int = 1_000
    node_watches: int = 100
    watches: int = 3
    large_nodes: int = 5_000
    large_pods: int = 50_000


class _Meta(msgspec.Struct):
    name: str
    resourceVersion: str = ""  # noqa: N815 - the API's name


class _Spec(msgspec.Struct):
    nodeName: str = ""  # noqa: N815 - the API's name


class _Pod(msgspec.Struct):
    metadata: _Meta
    spec: _Spec = msgspec.field(default_factory=_Spec)


class _Event(msgspec.Struct):
    object: _Pod


_decode = msgspec.json.Decoder(_Event).decode


class Watcher:
    """The arrival times of the events of a watch."""

    def __init__(self) -> None:
        self.arrivals_s: dict[tuple[str, str], float] = {}
        self.bound_s: dict[str, float] = {}

    async def follow(self, connection: LiveConnection, path: str) -> None:
        async for line in connection.watch(path):
            now_s, pod = time.perf_counter(), _decode(line).object
            self.arrivals_s[pod.metadata.name, pod.metadata.resourceVersion] = now_s
            if pod.spec.nodeName:
                self.bound_s.setdefault(pod.metadata.name, now_s)


async def measure(sizes: Sizes, tell: Callable[[str], None]) -> list[Measurement]:
    """Take all measurements; raises PodiumError."""
    tell("creations in memory")
    measurements = [await creations(sizes, keeps=False)]
    tell("creations with SQLite")
    measurements.append(await creations(sizes, keeps=True))
    tell("bindings")
    measurements += await bindings(sizes)
    tell("memory")
    measurements.append(await memory(sizes))
    return measurements


async def creations(sizes: Sizes, *, keeps: bool) -> Measurement:
    """Measure pods created per second, without a scheduler or kubelets."""
    async with up(*_ALONE, keeps=keeps) as running:
        busy_s = running.processor_s()
        elapsed_s = await _create(running.target, sizes.creations)
        share = (running.processor_s() - busy_s) / elapsed_s
    where, goal = ("SQLite", "700") if keeps else ("memory", "1,000")
    rate = sizes.creations / elapsed_s
    return Measurement(f"pods created, {where}", rate, "1/s", f"at least {goal}", share)


async def bindings(sizes: Sizes) -> list[Measurement]:
    """Measure pods created and bound per second, and the lag of watches during that."""
    async with up("--nodes", str(sizes.nodes), *_NODE) as running, AsyncExitStack() as stack:
        every = [Watcher() for _ in range(sizes.watches)]
        few = [Watcher() for _ in range(sizes.node_watches)]
        for watcher in every:
            await _start(stack, running, watcher, f"{PODS}?watch=true")
        for number, watcher in enumerate(few, 1):
            selector = f"fieldSelector=spec.nodeName%3Dpodium-{number}"
            await _start(stack, running, watcher, f"{PODS}?watch=true&{selector}")
        began_s, busy_s = time.perf_counter(), running.processor_s()
        await _create(running.target, sizes.bindings)
        async with asyncio.timeout(_PATIENCE_S):
            while any(len(watcher.bound_s) < sizes.bindings for watcher in every):
                await asyncio.sleep(0.01)
        elapsed_s = max(max(watcher.bound_s.values()) for watcher in every) - began_s
        share = (running.processor_s() - busy_s) / elapsed_s
    rate = sizes.bindings / elapsed_s
    return [
        Measurement("pods created, scheduled and bound", rate, "1/s", "at least 1,000", share),
        _lag("watches of all pods, behind the first", every, every),
        _lag("watches of one node, behind the first of all", few, [*every, *few]),
    ]


async def memory(sizes: Sizes) -> Measurement:
    """Measure the memory of a large cluster at rest."""
    with TemporaryDirectory(prefix="podium-bench-") as directory:
        state = Path(directory) / "state.json"
        items = [
            _pod(f"pod-{number}", nodeName=f"podium-{number % sizes.large_nodes + 1}")
            for number in range(sizes.large_pods)
        ]
        state.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        async with up("--nodes", str(sizes.large_nodes), *_NODE, "-f", str(state)) as running:
            value = running.memory_mib()
    name = f"memory, {sizes.large_nodes:,} nodes and {sizes.large_pods:,} pods"
    return Measurement(name, value, "MiB", "under 1,536")


async def _start(stack: AsyncExitStack, running: UpProcess, watcher: Watcher, path: str) -> None:
    connection = await LiveConnection.open(running.target)
    task = asyncio.create_task(watcher.follow(connection, path))

    async def stop() -> None:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        connection.close()

    stack.push_async_callback(stop)


async def _create(target: LiveTarget, number: int) -> float:
    bodies = iter([msgspec.json.encode(_pod(f"pod-{index}")) for index in range(number)])
    connections = [await LiveConnection.open(target) for _ in range(CONNECTIONS)]

    async def create(connection: LiveConnection) -> None:
        for body in bodies:
            await connection.ask("POST", PODS, body)

    began_s = time.perf_counter()
    await asyncio.gather(*map(create, connections))
    elapsed_s = time.perf_counter() - began_s
    for connection in connections:
        connection.close()
    return elapsed_s


def _lag(name: str, watchers: Sequence[Watcher], first: Sequence[Watcher]) -> Measurement:
    arrived_s: dict[tuple[str, str], float] = {}
    for watcher in first:
        for key, at_s in watcher.arrivals_s.items():
            arrived_s[key] = min(at_s, arrived_s.get(key, at_s))
    lags_s = [
        at_s - arrived_s[key]
        for watcher in watchers
        for key, at_s in watcher.arrivals_s.items()
        if key in arrived_s
    ]
    worst_s = float(np.percentile(lags_s, 99)) if lags_s else 0.0
    return Measurement(f"{name}, 99th percentile", worst_s, "s", "at most 1")


def _pod(name: str, **spec: str) -> dict[str, Any]:
    requests = {"cpu": "100m", "memory": "128Mi"}
    container = {"name": "main", "image": "example/app", "resources": {"requests": requests}}
    metadata = {"name": name, "namespace": "default", "labels": {"app": "bench"}}
    body = {"containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}
