"""What a real node's kubelet makes of what its machine measures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from podium.api.quantity import NANOS_PER_UNIT, nanos
from podium.node.container import Container
from podium.node.eviction_loop import pods_memory_limit_bytes
from podium.node.pod_worker import PodWorker
from podium.node.pressure.eviction_config import EvictionConfig
from podium.node.pressure.node_statistics import Observation, Statistics
from podium.node.pressure.signals import MEMORY, Signal


def with_allocatable_memory(
    measured: Statistics, config: EvictionConfig, allocatable_bytes: int
) -> Statistics:
    """The statistics with what is left of the memory that pods may have together.

    Args:
        measured: what the machine tells.
        config: how evictions are configured.
        allocatable_bytes: what pods may request.
    """
    memory = measured.observations.get(Signal.MEMORY_AVAILABLE)
    if memory is None:
        return measured
    capacity = pods_memory_limit_bytes(config, allocatable_bytes, memory.capacity)
    used = sum(one.memory_bytes or 0 for one in measured.usage.values())
    left = Observation(max(capacity - used, 0), capacity, memory.observed_s)
    observations = {**measured.observations, Signal.ALLOCATABLE_MEMORY_AVAILABLE: left}
    return replace(measured, observations=observations)


def above_memory_limit(
    workers: Sequence[PodWorker], measured: Statistics
) -> Iterator[tuple[PodWorker, Container]]:
    """The containers that use more memory than their limit."""
    for worker in workers:
        usage = measured.usage.get(worker.uid)
        used = {one.name: one.memory_bytes or 0 for one in usage.containers} if usage else {}
        for one in worker.containers:
            limits = (one.spec.get("resources") or {}).get("limits") or {}
            if MEMORY in limits and used.get(one.name, 0) * NANOS_PER_UNIT > nanos(limits[MEMORY]):
                yield worker, one
