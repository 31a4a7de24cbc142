"""The benchmark of the scheduler of an API server, with nodes and a namespace made for it.

The workloads are those of kube-scheduler's performance suite that need no kubelets. The time is
measured from the first creation to the last binding.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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

WORKLOADS = ("SchedulingBasic", "PreemptionBasic", "PreemptionAsync")
_UNDER_WAY = 30
_LABEL = "podium.dev/bench"
_VICTIMS_A_NODE = 4
_AGAIN_S = 0.1


@dataclass
class ServerBench:
    """Measures workloads on an API server, with nodes and a namespace made for them."""

    api: HttpApi
    namespace: str
    scheduler_name: str
    nodes: int
    pods: int
    clock_s: Callable[[], float]
    patience_s: float = 300.0

    async def measure(self, workload: str) -> ServerResult:
        """Run one of `WORKLOADS`; raises PodiumError."""
        self._bound_s: dict[str, float] = {}
        preemptors = range(0 if workload == WORKLOADS[0] else min(self.pods, self.nodes))
        # Each of these has to preempt three others; in the last workload as many fit between them.
        pods = [self._pod(f"high-{number}", "3", 100) for number in preemptors]
        if workload == WORKLOADS[0]:
            pods = [self._pod(f"pod-{number}", "100m") for number in range(self.pods)]
        elif workload == WORKLOADS[2]:
            small = [self._pod(f"small-{number}", "1m", 50) for number in preemptors]
            pods = [pod for pair in zip(pods, small, strict=True) for pod in pair]
        victims = [
            self._pod(f"low-{node}-{number}", "1", node=f"{self.namespace}-{node}")
            for node in range(self.nodes if preemptors else 0)
            for number in range(_VICTIMS_A_NODE)
        ]
        try:
            await self._build(victims)
            listed = await self.api.list("Pod")
            watching = asyncio.create_task(self._watch(listed.revision, {_name(p) for p in pods}))
            started_s = self.clock_s()
            await self._all(Create(kind="Pod", obj=pod) for pod in pods)
            try:
                async with asyncio.timeout(self.patience_s):
                    await watching
            except TimeoutError:
                problem = f"{len(self._bound_s)} of {len(pods)} pods were bound"
                raise PodiumError(f"{workload}: {problem}; is a scheduler running?") from None
            times = [started_s, *sorted(self._bound_s.values())]
            gaps = [later - earlier for earlier, later in pairwise(times)]
            elapsed_s, preemptions = times[-1] - started_s, len(preemptors)
            return ServerResult(workload, self.nodes, len(pods), preemptions, elapsed_s, max(gaps))
        finally:
            await self._clean_up()

    async def _watch(self, revision: int, names: set[str]) -> None:
        while True:
            try:
                async for news in self.api.watch("Pod", revision):
                    now_s = self.clock_s()
                    for event in news:
                        revision, name = event.revision, event.obj["metadata"].get("name", "")
                        if name in names and name not in self._bound_s and node_name_of(event.obj):
                            self._bound_s[name] = now_s
                    if len(self._bound_s) == len(names):
                        return
            except UnreachableError:
                await asyncio.sleep(_AGAIN_S)

    async def _build(self, victims: Sequence[dict[str, Any]]) -> None:
        await self._all([Create(kind="Namespace", obj={"metadata": {"name": self.namespace}})])
        for value in (100, 50):
            meta = {"metadata": {"name": f"{self.namespace}-{value}"}, "value": value}
            await self._all([Create(kind="PriorityClass", obj=meta)])
        nodes = [self._node(number) for number in range(self.nodes)]
        await self._all(Create(kind="Node", obj=node) for node in nodes)
        # Admission taints new nodes, and no kubelet takes that away.
        none = {"spec": {"taints": None}}
        await self._all(Patch(kind="Node", name=_name(node), body=none) for node in nodes)
        await self._all(Create(kind="Pod", obj=pod) for pod in victims)

    async def _clean_up(self) -> None:
        listed = await self.api.list("Pod")
        ours = [obj for obj in listed.objects if obj["metadata"]["namespace"] == self.namespace]
        place = self.namespace
        pods = (Delete(kind="Pod", name=_name(p), namespace=place, grace_period_s=0) for p in ours)
        await self._all(pods, may_fail=True)
        nodes = (self._node(number) for number in range(self.nodes))
        others: list[Effect] = [Delete(kind="Node", name=_name(node)) for node in nodes]
        names = (f"{self.namespace}-{value}" for value in (100, 50))
        others += [Delete(kind="PriorityClass", name=name) for name in names]
        others.append(Delete(kind="Namespace", name=self.namespace))
        await self._all(others, may_fail=True)

    async def _all(self, effects: Iterable[Effect], *, may_fail: bool = False) -> None:
        left = iter(effects)

        async def work() -> None:
            for effect in left:
                outcome = await self.api.call(effect)
                if outcome.error is not None and not may_fail:
                    raise PodiumError(outcome.error.message)

        await asyncio.gather(*(work() for _ in range(_UNDER_WAY)))

    def _node(self, number: int) -> dict[str, Any]:
        amounts = {"cpu": "4", "memory": "32Gi", "pods": "110"}
        ready = [{"type": "Ready", "status": "True"}]
        labels = {_LABEL: self.namespace}
        return {
            "metadata": {"name": f"{self.namespace}-{number}", "labels": labels},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": ready},
        }

    def _pod(self, name: str, cpu: str, priority: int = 0, node: str = "") -> dict[str, Any]:
        requests = {"cpu": cpu, "memory": "50Mi"}
        spec: dict[str, Any] = {
            "schedulerName": self.scheduler_name,
            "terminationGracePeriodSeconds": 0,
            "nodeSelector": {_LABEL: self.namespace},
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
        }
        if priority:
            spec["priorityClassName"] = f"{self.namespace}-{priority}"
        if node:
            spec["nodeName"] = node
        return {"metadata": {"name": name, "namespace": self.namespace}, "spec": spec}


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
    if unknown := [name for name in names if name not in WORKLOADS]:
        raise PodiumError(f"{unknown[0]}: with --server there are {', '.join(WORKLOADS)}")
    connection = await load_connection()
    if server != "current":
        connection.url = server.rstrip("/")
    results = []
    async with HttpApi(connection, Random()) as api:
        await api.list("Node")
        for name in names or WORKLOADS:
            tell(f"measuring {name}")
            namespace = f"podium-bench-{uuid.uuid4().hex[:6]}"
            bench = ServerBench(api, namespace, scheduler_name, nodes, pods, time.perf_counter)
            results.append(await bench.measure(name))
    return results
