"""Pods on their way through a scheduler, timed."""

from collections.abc import Iterable
from time import perf_counter_ns

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo

# A measured pod that preempts is decided a second time, and then must fit.
_CYCLES_MAX = 2


class StuckPodError(PodiumError):
    """A pod of a workload, which should have found a node, didn't."""


class TimedScheduler:
    """Takes pods in, has them decided and carries the decisions out at once.

    Attributes:
        latencies_ns: for each pod the time that deciding took, all cycles together.
        preemptions: how many pods were bound after making others go.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.latencies_ns: list[int] = []
        self.preemptions = 0

    def schedule(self, obj: Object) -> None:
        """Bring a pod from its arrival to its binding; raises StuckPodError if no node fits."""
        pod = self._scheduler.pending(obj)
        spent_ns = 0
        for earlier_cycles in range(_CYCLES_MAX):
            began_ns = perf_counter_ns()
            decision = self._scheduler.decide(pod)
            spent_ns += perf_counter_ns() - began_ns
            if decision.node_name:
                self._scheduler.bind(pod, decision.node_name)
                self.latencies_ns.append(spent_ns)
                self.preemptions += earlier_cycles
                return
            self._scheduler.preempt(decision)
        raise StuckPodError(f"pod {pod.key} fits no node")


class Churn:
    """Pods that come in between the measured ones.

    One that preempts stays nominated until the next one comes, and is bound then, as a pod waits
    for its victims to be gone and for its backoff. One that fits nowhere and can't help itself
    stays pending: nothing happens that could make room for it.
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
