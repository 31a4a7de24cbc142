"""What slow API calls cost the pods that don't preempt, by the wall clock.

Of every ten pods one has to preempt another; the others find free room. They come at once, the
scheduler runs live over the API server of the same process, and every call takes as long as is
said. The throughput of the ordinary pods should not depend on how long that is.
"""

import argparse
import asyncio
from random import Random
from time import perf_counter
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.faults import Latency
from podium.cluster.drivers.live import LiveDriver, SteadyClock
from podium.machines.effects import Bind, Delete
from podium.scheduler.machine.context import Features
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from tests.cluster.drivers.in_process_api import InProcessApi

Object = dict[str, Any]

PODS_PER_PREEMPTOR = 10


def main() -> None:
    """Measure without and with latency, and print how they compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=3000, help="pods, preemptors among them")
    parser.add_argument("--latency-ms", type=float, default=100.0, help="of each API call")
    parser.add_argument(
        "--synchronous", action="store_true", help="without SchedulerAsyncPreemption"
    )
    options = parser.parse_args()
    rates = []
    for latency_s in (0.0, options.latency_ms / 1000):
        rate = asyncio.run(measured(options.pods, latency_s, synchronous=options.synchronous))
        rates.append(rate)
        print(f"{latency_s * 1000:5.0f} ms per call: {rate:7.0f} ordinary pods/s", flush=True)
    print(f"the second is {rates[1] / rates[0]:.0%} of the first")


async def measured(pods: int, latency_s: float, *, synchronous: bool) -> float:
    """Ordinary pods bound a second.

    Args:
        pods: how many, preemptors among them.
        latency_s: of each call.
        synchronous: whether the scheduler waits for its preemptions.
    """
    clock = SteadyClock()
    server = ApiServer(Store(), Random(1))
    server.bootstrap(clock.now_s())
    preemptors = pods // PODS_PER_PREEMPTOR
    prepare(server, pods, preemptors, clock.now_s())
    latency = Latency(apply_s=latency_s / 2, answer_s=latency_s / 2)
    features = Features(scheduler_async_preemption=not synchronous)
    goal = Goal(pods - preemptors, preemptors)
    async with LiveDriver(InProcessApi(server, clock.now_s, latency), clock) as driver:
        driver.hooks.append(goal.see)
        driver.add(SchedulerMachine(features=features))
        await asyncio.sleep(0.5)
        started_s = perf_counter()
        for number in range(pods):
            create_pod(server, number, clock.now_s())
        await goal.reached.wait()
    return (pods - preemptors) / (goal.last_ordinary_s - started_s)


class Goal:
    """Waits until every ordinary pod is bound, and every victim has been told to go.

    Attributes:
        reached: set when that is so.
        last_ordinary_s: when the last ordinary pod was bound, by the wall clock.
    """

    def __init__(self, ordinary: int, victims: int) -> None:
        self.reached = asyncio.Event()
        self.last_ordinary_s = 0.0
        self._ordinary = ordinary
        self._victims = victims

    def see(self, happening: DriverEvent) -> None:
        """Count what has succeeded."""
        if not isinstance(happening, Called) or happening.error is not None:
            return
        effect = happening.effect
        if isinstance(effect, Bind) and effect.name.startswith("ordinary"):
            self._ordinary -= 1
            self.last_ordinary_s = perf_counter()
        elif isinstance(effect, Delete):
            self._victims -= 1
        if self._ordinary <= 0 and self._victims <= 0:
            self.reached.set()


def prepare(server: ApiServer, pods: int, preemptors: int, now_s: float) -> None:
    """Room for the ordinary pods, and a node with a victim for each preemptor."""
    for name, value in (("low", 1), ("high", 1000)):
        fields = {"metadata": {"name": name}, "value": value}
        server.create(Attributes(KINDS["PriorityClass"], "", "", now_s), fields)
    for number in range(-(-pods // 100)):
        create_node(server, f"roomy-{number}", "100", {"room": "ordinary"}, now_s)
    for number in range(preemptors):
        create_node(server, f"full-{number}", "1", {"room": "full"}, now_s)
        spec = {"priorityClassName": "low", "nodeName": f"full-{number}"}
        create(server, f"victim-{number}", "1", spec, now_s)


def create_node(server: ApiServer, name: str, cpu: str, labels: Object, now_s: float) -> None:
    """A node that is ready."""
    status = {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "200"}}
    fields = {"metadata": {"name": name, "labels": labels}, "status": status}
    made = server.create(Attributes(KINDS["Node"], "", "", now_s), fields)
    server.replace(Attributes(KINDS["Node"], "", name, now_s), {**made, "spec": {}})


def create_pod(server: ApiServer, number: int, now_s: float) -> None:
    """Each tenth pod has to preempt."""
    if number % PODS_PER_PREEMPTOR:
        create(server, f"ordinary-{number}", "1", {"nodeSelector": {"room": "ordinary"}}, now_s)
    else:
        spec = {"priorityClassName": "high", "nodeSelector": {"room": "full"}}
        create(server, f"preemptor-{number}", "1", spec, now_s)


def create(server: ApiServer, name: str, cpu: str, spec: Object, now_s: float) -> None:
    """A pod that goes at once when it is told to."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    fields = {"containers": [container], "terminationGracePeriodSeconds": 0, **spec}
    server.create(
        Attributes(KINDS["Pod"], "default", "", now_s), {"metadata": {"name": name}, "spec": fields}
    )


if __name__ == "__main__":
    main()
