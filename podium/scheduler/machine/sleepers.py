"""Pods that wait for an event although they would fit, since queueing hints miss some events.

They wait until the queue flushes pods that have waited for more than five minutes.
"""

from collections.abc import Iterator
from typing import NamedTuple

from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.scheduler import without_preemption
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo


class Sleeper(NamedTuple):
    """A pod that waits for an event although it fits, to be tried at `tried_at_s` otherwise."""

    pod: PodInfo
    node_name: str
    tried_at_s: float


def sleepers(machine: SchedulerMachine) -> Iterator[Sleeper]:
    """Decide about the pods that wait for an event, one of each class, without preemption."""
    scheduler, found = machine.scheduler, dict[tuple[str, PodClass], str]()
    machine.handlers.settle_budgets()
    watch, scheduler.watch = scheduler.watch, None
    try:
        with without_preemption(scheduler):
            for queued, tried_at_s in machine.queue.sleeping():
                kind = queued.scheduler_name, queued.pod.cls
                if kind not in found:
                    found[kind] = scheduler.decide(queued.pod, queued.scheduler_name).node_name
                if node_name := found[kind]:
                    yield Sleeper(queued.pod, node_name, tried_at_s)
    finally:
        scheduler.watch = watch
