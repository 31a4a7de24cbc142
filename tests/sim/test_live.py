"""By the wall clock: a slow API doesn't slow the scheduling of ordinary pods, preemption or not.

One pod in ten has to preempt; its victim's removal takes two calls, one after the other.
"""

import asyncio
import gc
from dataclasses import dataclass
from random import Random

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.patching.patch_result import PatchRequest
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import DriverEvent, Stepped
from podium.cluster.drivers.faults import Latency
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.machines.effects import Bind
from podium.scheduler.machine.context import Features
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests import objects
from tests.cluster.drivers.in_process_api import InProcessApi
from tests.objects import Obj

LATENCY_S = 0.1
CALLS_PER_VICTIM = 2
ORDINARY, PREEMPTOR = "ordinary", "preemptor"
_MERGE = "application/merge-patch+json"


@dataclass
class Load:
    """So many ordinary pods that fit, and preemptors, each with a node that a victim fills."""

    ordinary: int
    preemptors: int
    nodes: int = 20

    def fill(self, server: ApiServer, now_s: float) -> None:
        for name, value in (("low", 1), ("high", 1000)):
            create(server, objects.priority_class(name, value), now_s)
        for number in range(self.nodes):
            add_node(server, f"open-{number}", "open", "1000", now_s)
        for number in range(self.preemptors):
            node_name, victim = f"full-{number}", f"victim-{number}"
            add_node(server, node_name, "full", "4", now_s)
            create(server, pod(victim, "low", "full", "4"), now_s)
            binding = {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": victim},
                "target": {"kind": "Node", "name": node_name},
            }
            server.bind(Attributes(KINDS["Pod"], "default", victim, now_s), binding)

    def arrive(self, server: ApiServer, now_s: float) -> None:
        every = max(self.ordinary // max(self.preemptors, 1), 1)
        for number in range(self.ordinary):
            create(server, pod(f"{ORDINARY}-{number}", "high", "open", "100m"), now_s)
            if number % every == 0 and number // every < self.preemptors:
                create(server, pod(f"{PREEMPTOR}-{number}", "high", "full", "4"), now_s)


async def seconds_to_schedule(load: Load, latency_s: float, features: Features) -> float:
    """From the pods' arrival until the last of the ordinary ones is being bound."""
    clock, server = SteadyClock(), ApiServer(Store(), Random(1))
    server.bootstrap(clock.now_s())
    load.fill(server, clock.now_s())
    machine, binds_s = SchedulerMachine(features=features), list[float]()

    def note_binds(happening: DriverEvent) -> None:
        if isinstance(happening, Stepped) and happening.who == machine.name:
            names = [one.name for one in happening.effects if isinstance(one, Bind)]
            binds_s.extend(clock.now_s() for name in names if name.startswith(ORDINARY))

    latency = Latency(latency_s / 2, latency_s / 2)
    async with LiveDriver(InProcessApi(server, clock.now_s, latency), clock) as driver:
        driver.add(machine)
        while machine.next_wakeup_s() is not None or len(machine.context.placed) < load.preemptors:
            await asyncio.sleep(0.01)
        driver.hooks.append(note_binds)
        gc.collect()
        load.arrive(server, clock.now_s())
        arrived_s = clock.now_s()
        while len(binds_s) < load.ordinary:
            await asyncio.sleep(0.005)
        assert len(machine.preemptions.history) > 0 or not load.preemptors
    return max(binds_s) - arrived_s


def measure(load: Load, latency_s: float, *, is_async: bool = True) -> float:
    features = Features(scheduler_async_preemption=is_async)
    return asyncio.run(seconds_to_schedule(load, latency_s, features))


def test_ordinary_pods_do_not_wait_for_the_victims_of_others() -> None:
    """One after the other, the preemptions alone would take a second and a half."""
    load = Load(ordinary=80, preemptors=8)
    in_line_s = load.preemptors * CALLS_PER_VICTIM * LATENCY_S
    assert measure(load, LATENCY_S) < in_line_s / 2
    assert measure(load, LATENCY_S, is_async=False) > in_line_s / 2


@pytest.mark.soak
def test_throughput_with_a_slow_api_is_nine_tenths_of_that_with_a_quick_one() -> None:
    """The best of several runs each, since other programs only ever slow a run down."""
    load = Load(ordinary=4_000, preemptors=400, nodes=200)
    quick, slow = [], []
    for _ in range(6):
        quick.append(measure(load, 0.0))
        slow.append(measure(load, LATENCY_S))
    assert min(quick) / min(slow) >= 0.9, (quick, slow)


def pod(name: str, class_name: str, pool: str, cpu: str) -> Obj:
    spec = {"priorityClassName": class_name, "terminationGracePeriodSeconds": 0}
    return objects.pod(name, cpu, nodeSelector={"pool": pool}, **spec)


def add_node(server: ApiServer, name: str, pool: str, cpu: str, now_s: float) -> None:
    create(server, objects.node(name, cpu, pods="10000", labels={"pool": pool}), now_s)
    untainted = PatchRequest(_MERGE, {"spec": {"taints": None}})
    server.patch(Attributes(KINDS["Node"], "", name, now_s), untainted)


def create(server: ApiServer, obj: Obj, now_s: float) -> None:
    namespace = obj["metadata"].get("namespace", "")
    server.create(Attributes(KINDS[obj["kind"]], namespace, "", now_s), obj)
