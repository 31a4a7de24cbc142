"""The measurement of a workload in process.

The scheduler is called directly instead of through an API server. Nodes exist, and initial pods are
scheduled before the measurement. The time is measured from the arrival of the first measured pod to
the binding of the last. Pods arrive as decoded JSON; making their class, deciding, removing victims
and binding count.

Before the measurement the garbage collector runs once and ignores existing objects from then on
(`gc.freeze`), as in a server that has loaded its state; it stays enabled.
"""

import gc
import resource
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, count
from multiprocessing import get_context
from time import perf_counter, perf_counter_ns, process_time
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.api.well_known import HOSTNAME_LABEL, ZONE_LABEL
from podium.apiserver.admission.pod_plugins import add_default_tolerations
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.benchmarks.measured_workloads import Case, Workload, WorkloadPods
from podium.simulation.benchmarks.results import Result, latency_of

# A measured pod that preempts is decided a second time, and then must fit.
_CYCLES_MAX = 2


class TimedScheduler:
    """A scheduler that executes its decisions at once, and measures their latencies.

    If it `reserves`, pods have something to reserve, so that whole binding cycles run.
    """

    def __init__(self, scheduler: Scheduler, *, reserves: bool = False) -> None:
        self._scheduler = scheduler
        self._reserves = reserves
        self.latencies_ns: list[int] = []
        self.preemptions = 0

    def schedule(self, obj: Object) -> None:
        """Schedule and bind a pod, with preemption if needed; raises PodiumError if none fits."""
        pod = self._scheduler.pending(obj)
        spent_ns = 0
        for earlier_cycles in range(_CYCLES_MAX):
            began_ns = perf_counter_ns()
            decision = self._scheduler.decide(pod)
            spent_ns += perf_counter_ns() - began_ns
            if decision.node_name:
                if self._reserves:
                    profile = DEFAULT_SCHEDULER_NAME
                    self._scheduler.commit(pod, decision.node_name, profile)
                else:
                    self._scheduler.bind(pod, decision.node_name)
                self.latencies_ns.append(spent_ns)
                self.preemptions += earlier_cycles
                return
            self._scheduler.preempt(decision)
        raise PodiumError(f"pod {pod.key} fits no node")


class Churn:
    """Pods that arrive between the measured ones.

    A preemptor stays nominated until the next of these pods arrives, and is bound then; in a
    cluster it would wait for the deletion of its victims and its backoff. A pod that fits no node
    and can't preempt stays pending.
    """

    def __init__(self, scheduler: Scheduler, objects: Iterable[Object]) -> None:
        self._scheduler = scheduler
        self._objects = iter(objects)
        self._nominated: PodInfo | None = None

    def step(self) -> None:
        if self._nominated is not None:
            self._decide(self._nominated)
        pod = self._scheduler.pending(next(self._objects))
        self._decide(pod)
        self._nominated = pod if pod.nominated_node_name else None

    def _decide(self, pod: PodInfo) -> None:
        decision = self._scheduler.decide(pod)
        if decision.node_name:
            self._scheduler.bind(pod, decision.node_name)
        else:
            self._scheduler.preempt(decision)


# The reference suite adds a pod every 200 ms while it schedules about 500 measured pods a second.
# By the number of pods, rather than by time, a workload doesn't depend on how fast it is run.
MEASURED_PER_CHURN = 100

_MAXRSS_PER_MIB = 2**20 if sys.platform == "darwin" else 2**10


class ObjectFactory:
    """Makes objects of templates, with names, uids and defaults.

    Each is decoded from JSON, so that objects share no parts, as if from separate watch events.
    """

    def __init__(self) -> None:
        self._serials = count(1)

    def nodes(self, template: Object, number: int, zones: Sequence[str] = ()) -> list[Object]:
        """Make `number` nodes with hostname labels, and with labels of the zones by turns."""
        nodes = self._stamped(apply_defaults(template), number)
        for index, node in enumerate(nodes):
            metadata = node["metadata"]
            metadata["labels"] = {HOSTNAME_LABEL: metadata["name"]}
            if zones:
                metadata["labels"][ZONE_LABEL] = zones[index % len(zones)]
        return nodes

    def group(self, group: WorkloadPods, number: int) -> list[Object]:
        """Make `number` pods of a group."""
        pods = self.pods(group.template, number, group.namespace)
        if group.vary is not None:
            for number_of_pod, pod in enumerate(pods, group.first):
                group.vary(pod, number_of_pod)
        return pods

    def pods(self, template: Object, number: int, namespace: str) -> list[Object]:
        """Make `number` admitted pending pods."""
        placed = {**template, "metadata": {**template["metadata"], "namespace": namespace}}
        return self._stamped(add_default_tolerations(apply_defaults(placed)), number)

    def namespaces(self, names: Iterable[str]) -> list[Object]:
        """Make namespaces, one for each name."""
        namespace = {"apiVersion": "v1", "kind": "Namespace"}
        return [
            obj
            for name in dict.fromkeys(names)
            for obj in self._stamped(apply_defaults({**namespace, "metadata": {"name": name}}), 1)
        ]

    def _stamped(self, template: Any, number: int) -> list[Object]:
        text = msgspec.json.encode(template)
        objects = [msgspec.json.decode(text) for _ in range(number)]
        for obj in objects:
            serial, metadata = next(self._serials), obj["metadata"]
            metadata.setdefault("name", f"{metadata.get('generateName')}{serial}")
            metadata["uid"] = f"{serial:08x}-0000-4000-8000-000000000000"
            metadata["creationTimestamp"] = "2026-01-01T00:00:00Z"
        return objects


def measure_apart(workload: Workload) -> Result:
    """Measure a workload, its peak of memory included, in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        try:
            return pool.submit(measure, workload).result()
        except BrokenProcessPool as error:
            message = f"{workload.name}: its process died, perhaps for want of memory"
            raise PodiumError(message) from error


def measure(workload: Workload) -> Result:
    """Measure a workload in this process; raises PodiumError."""
    scheduler, factory = Scheduler(every_node=True), ObjectFactory()
    case, size = workload.case, workload.size
    groups = [g for g in (*case.init, case.measured, case.churn, case.placed) if g is not None]
    nodes = [
        *(node for template in case.extra_nodes for node in factory.nodes(template, 1)),
        *factory.nodes(case.node, size.nodes, case.zones),
    ]
    placed = [] if case.placed is None else factory.group(case.placed, size.init_pods)
    for number, pod in enumerate(placed):
        pod["spec"]["nodeName"] = nodes[number % len(nodes)]["metadata"]["name"]
    others = [*factory.namespaces(group.namespace for group in groups), *case.objects]
    if case.of_node is not None:
        others += (obj for node in nodes for obj in case.of_node(node["metadata"]["name"]))
    scheduler.load(nodes, placed, others)
    reserves = case.of_pod is not None
    unmeasured = TimedScheduler(scheduler, reserves=reserves)
    for group in case.init:
        for obj in _with_others(factory.group(group, size.init_pods), case, scheduler):
            unmeasured.schedule(obj)
    measured = _with_others(factory.group(case.measured, size.measured_pods), case, scheduler)
    churn = None
    if case.churn is not None:
        churned = factory.group(case.churn, -(-size.measured_pods // MEASURED_PER_CHURN))
        churn = Churn(scheduler, churned)
    timed = TimedScheduler(scheduler, reserves=reserves)
    gc.collect()
    gc.freeze()
    began_s, began_busy_s = perf_counter(), process_time()
    for number, obj in enumerate(measured):
        if churn is not None and number % MEASURED_PER_CHURN == 0:
            churn.step()
        timed.schedule(obj)
    elapsed_s, busy_s = perf_counter() - began_s, process_time() - began_busy_s
    return Result(
        workload=workload.name,
        nodes=workload.node_count,
        pods=len(measured),
        pods_per_second=len(measured) / elapsed_s,
        latency_ms=latency_of(timed.latencies_ns),
        peak_memory_mib=peak_memory_mib(),
        preemptions=timed.preemptions,
        processor_share=busy_s / elapsed_s,
    )


def _with_others(pods: list[Object], case: Case, scheduler: Scheduler) -> list[Object]:
    """Add the objects that come with pods to the cluster; return the pods."""
    if case.of_pod is not None:
        for obj in chain.from_iterable(map(case.of_pod, pods)):
            scheduler.listers.set(obj)
    return pods


def peak_memory_mib() -> float:
    """Return the largest resident set, in MiB; on Linux at least the parent's at the fork."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MAXRSS_PER_MIB
