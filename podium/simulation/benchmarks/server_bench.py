"""Workloads for whichever scheduler is running, with nodes and a namespace of their own.

The shapes are those of kube-scheduler's performance suite, as far as an API server without kubelets
can have them. What is measured is what a user sees: from the first creation to the last binding.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

from podium.api.errors import PodiumError
from podium.api.pods import node_name_of
from podium.cluster.client.connection import load_connection
from podium.cluster.client.http_api import HttpApi
from podium.machines.async_api import UnreachableError
from podium.machines.effects import Create, Delete, Effect, Patch
from podium.simulation.benchmarks.results import ServerResult

CURRENT = "current"
_UNDER_WAY = 30
_LABEL = "podium.dev/bench"
_VICTIMS_A_NODE = 4
_AGAIN_S = 0.1


class ServerBenchError(PodiumError):
    """The API server refuses what has to be created, or nothing schedules there."""


@dataclass(frozen=True, slots=True)
class ServerBenchOptions:
    """What is measured on a server: how many nodes and pods, for which scheduler."""

    name: str
    scheduler_name: str
    nodes: int
    pods: int
    patience_s: float = 300.0


class ServerBench:
    """Runs workloads on an API server."""

    def __init__(
        self, api: HttpApi, options: ServerBenchOptions, clock_s: Callable[[], float]
    ) -> None:
        self._api = api
        self._options = options
        self._clock_s = clock_s
        self._namespace = f"podium-bench-{options.name}"
        self._bound_s: dict[str, float] = {}

    async def scheduling_basic(self) -> ServerResult:
        pods = [self._pod(f"pod-{number}", "100m") for number in range(self._options.pods)]
        return await self._measure("SchedulingBasic", [], pods, preemptions=0)

    async def preemption_basic(self) -> ServerResult:
        """Pods each of which has to preempt three others."""
        pods = [self._pod(f"high-{number}", "3", 100) for number in range(self._options.pods)]
        return await self._measure("PreemptionBasic", self._victims(), pods, len(pods))

    async def preemption_async(self) -> ServerResult:
        """Pods that have to preempt, and between them as many that fit."""
        pods = []
        for number in range(self._options.pods // 2):
            pods.append(self._pod(f"high-{number}", "3", 100))
            pods.append(self._pod(f"small-{number}", "1m", 50))
        return await self._measure("PreemptionAsync", self._victims(), pods, len(pods) // 2)

    async def _measure(
        self,
        workload: str,
        victims: Sequence[dict[str, Any]],
        pods: Sequence[dict[str, Any]],
        preemptions: int,
    ) -> ServerResult:
        try:
            await self._build(victims)
            listed = await self._api.list("Pod")
            watching = asyncio.create_task(self._watch(listed.revision, {_name(p) for p in pods}))
            started_s = self._clock_s()
            await self._all(Create(kind="Pod", obj=pod) for pod in pods)
            try:
                async with asyncio.timeout(self._options.patience_s):
                    await watching
            except TimeoutError:
                found = f"{len(self._bound_s)} of {len(pods)} pods were bound"
                raise ServerBenchError(f"{workload}: {found}; does anybody schedule?") from None
            times = [started_s, *sorted(self._bound_s.values())]
            gaps = [later - earlier for earlier, later in pairwise(times)]
            elapsed_s, count = times[-1] - started_s, len(pods)
            nodes = self._options.nodes
            return ServerResult(workload, nodes, count, preemptions, elapsed_s, max(gaps))
        finally:
            await self._clean_up()

    async def _watch(self, revision: int, names: set[str]) -> None:
        self._bound_s = {}
        while True:
            try:
                async for news in self._api.watch("Pod", revision):
                    now_s = self._clock_s()
                    for one in news:
                        revision, name = one.revision, one.obj["metadata"].get("name", "")
                        if name in names and name not in self._bound_s and node_name_of(one.obj):
                            self._bound_s[name] = now_s
                    if len(self._bound_s) == len(names):
                        return
            except UnreachableError:
                await asyncio.sleep(_AGAIN_S)

    async def _build(self, victims: Sequence[dict[str, Any]]) -> None:
        await self._all([Create(kind="Namespace", obj={"metadata": {"name": self._namespace}})])
        for value in (100, 50):
            meta = {"metadata": {"name": f"{self._namespace}-{value}"}, "value": value}
            await self._all([Create(kind="PriorityClass", obj=meta)])
        nodes = [self._node(number) for number in range(self._options.nodes)]
        await self._all(Create(kind="Node", obj=node) for node in nodes)
        # Admission taints new nodes, and no kubelet takes that away.
        none = {"spec": {"taints": None}}
        await self._all(Patch(kind="Node", name=_name(node), body=none) for node in nodes)
        await self._all(Create(kind="Pod", obj=pod) for pod in victims)

    async def _clean_up(self) -> None:
        listed = await self._api.list("Pod")
        ours = [one for one in listed.objects if one["metadata"]["namespace"] == self._namespace]
        place = self._namespace
        pods = (Delete(kind="Pod", name=_name(p), namespace=place, grace_period_s=0) for p in ours)
        await self._all(pods, may_fail=True)
        nodes = (self._node(number) for number in range(self._options.nodes))
        others: list[Effect] = [Delete(kind="Node", name=_name(node)) for node in nodes]
        names = (f"{self._namespace}-{value}" for value in (100, 50))
        others += [Delete(kind="PriorityClass", name=name) for name in names]
        others.append(Delete(kind="Namespace", name=self._namespace))
        await self._all(others, may_fail=True)

    async def _all(self, effects: Iterable[Effect], *, may_fail: bool = False) -> None:
        left = iter(effects)

        async def work() -> None:
            for effect in left:
                outcome = await self._api.call(effect)
                if outcome.error is not None and not may_fail:
                    raise ServerBenchError(outcome.error.message)

        await asyncio.gather(*(work() for _ in range(_UNDER_WAY)))

    def _node(self, number: int) -> dict[str, Any]:
        amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
        ready = [{"type": "Ready", "status": "True"}]
        labels = {_LABEL: self._options.name}
        return {
            "metadata": {"name": f"{self._namespace}-{number}", "labels": labels},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": ready},
        }

    def _victims(self) -> list[dict[str, Any]]:
        return [
            self._pod(f"low-{node}-{number}", "1", node=f"{self._namespace}-{node}")
            for node in range(self._options.nodes)
            for number in range(_VICTIMS_A_NODE)
        ]

    def _pod(self, name: str, cpu: str, priority: int = 0, node: str = "") -> dict[str, Any]:
        requests = {"cpu": cpu, "memory": "50Mi"}
        spec: dict[str, Any] = {
            "schedulerName": self._options.scheduler_name,
            "terminationGracePeriodSeconds": 0,
            "nodeSelector": {_LABEL: self._options.name},
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
        }
        if priority:
            spec["priorityClassName"] = f"{self._namespace}-{priority}"
        if node:
            spec["nodeName"] = node
        return {"metadata": {"name": name, "namespace": self._namespace}, "spec": spec}


def _name(obj: dict[str, Any] | Any) -> str:
    return str(obj["metadata"]["name"])


async def measure_server(
    server: str,
    names: Sequence[str],
    scheduler_name: str,
    nodes: int,
    pods: int,
    tell: Callable[[str], None],
) -> list[ServerResult]:
    """Run workloads on an API server, one after the other; raises PodiumError."""
    if unknown := [name for name in names if name not in _METHODS]:
        raise ServerBenchError(f"{unknown[0]}: with --server there are {', '.join(_METHODS)}")
    connection = await load_connection()
    if server != CURRENT:
        connection.url = server.rstrip("/")
    found = []
    async with HttpApi(connection, Random()) as api:
        await api.list("Node")
        for name in names or _METHODS:
            tell(f"measuring {name}")
            count = pods if name == "SchedulingBasic" else min(pods, nodes)
            options = ServerBenchOptions(uuid.uuid4().hex[:6], scheduler_name, nodes, count)
            if name == "PreemptionAsync":
                options = replace(options, pods=2 * count)
            found.append(await _METHODS[name](ServerBench(api, options, time.perf_counter)))
    return found


_METHODS: Mapping[str, Callable[[ServerBench], Awaitable[ServerResult]]] = {
    "SchedulingBasic": ServerBench.scheduling_basic,
    "PreemptionBasic": ServerBench.preemption_basic,
    "PreemptionAsync": ServerBench.preemption_async,
}
