"""The eviction manager and the OOM killer of a simulated node.

The OOM killer kills pods that exceed their memory limits. If the node's memory runs out between two
rounds of the eviction manager, it kills the container with the highest score.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial

from podium.api.objects import Object
from podium.api.pods import limits_of
from podium.api.resources import pod_limits
from podium.api.values.quantity import NANOS_PER_UNIT
from podium.kubelet.containers.container import OOM_KILLED
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.eviction.eviction_manager import EvictionLoop, EvictionManager
from podium.kubelet.eviction.filesystems import NodeReclaim
from podium.kubelet.eviction.node_statistics import Observation
from podium.kubelet.eviction.oom_score import oom_score_adj
from podium.kubelet.eviction.signals import MEMORY
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.kubelet_events import node_record
from podium.kubelet.simulated.behaviour import NodeSettings
from podium.kubelet.simulated.scripted_usage import first_reaching
from podium.kubelet.simulated.simulated_kubelet import SimulatedKubelet
from podium.kubelet.simulated.stats_provider import StatsProvider, memory_bytes_of, runs, script_of
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S

# Kills happen at whole thousandths of a second.
_TICKS_PER_SECOND = 1000


class NodePressure:
    """Evictions and OOM kills of a simulated node, by the usage of its pods."""

    def __init__(self, kubelet: SimulatedKubelet, settings: NodeSettings, now_s: float) -> None:
        self._kubelet = kubelet
        self._loop = EvictionLoop(EvictionManager(settings.eviction), kubelet.started_s, now_s)
        kubelet.eviction = self._loop
        self._stats = StatsProvider(kubelet, settings)
        self._script = kubelet.node_script
        self._skips_looks = False

    def advance(self, now_s: float) -> Iterator[Effect]:
        if self._kubelet.node_script != self._script:
            # The last round says nothing about the new script.
            self._loop.last_look_s, self._script = None, self._kubelet.node_script
        yield from self._kills(now_s)
        if self._skips_looks:
            self._skips_looks = False
            self._loop.resume(now_s)
        if self._loop.next_look_s <= now_s:
            yield from self._look(now_s)
        yield from self._kubelet.record_conditions(now_s)

    def memory_bytes(self, now_s: float) -> int:
        return self._stats.memory_total_bytes(self._active(), now_s)

    def readings(self, now_s: float) -> Iterator[tuple[Threshold, Observation | None]]:
        observed = self._stats.statistics(self._active(), now_s).observations
        for threshold in self._loop.manager.thresholds:
            if threshold.is_set:
                yield threshold, observed.get(threshold.signal)

    def next_s(self, now_s: float) -> float:
        """Return when to call `advance` next; `NEVER_S` if nothing is due before another event."""
        workers = self._active()
        # Whether all rounds to come would be like the last one, without any result.
        loop, manager = self._loop, self._loop.manager
        has_seen_all = loop.last_look_s == now_s and not (manager.since or manager.conditions)
        is_settled = has_seen_all and not loop.written
        self._skips_looks = is_settled and self._stats.is_level_from(workers, now_s)
        if self._skips_looks:
            return NEVER_S
        return min((self._loop.next_s(), *self._next_kills_s(workers, now_s)))

    def _active(self) -> list[PodWorker]:
        return list(self._kubelet.pods.active())

    def _look(self, now_s: float) -> Iterator[Effect]:
        workers = self._active()
        pods = [worker.pod for worker in workers]
        eviction_round = self._loop.look(self._stats.statistics(workers, now_s), pods, now_s)
        if eviction_round is not None and eviction_round.reclaims:
            script = self._kubelet.node_script
            reclaimable = {
                NodeReclaim.IMAGES: script.unused_images_bytes,
                NodeReclaim.CONTAINERS: script.dead_containers_bytes,
            }
            self._stats.freed_bytes = sum(map(reclaimable.__getitem__, eviction_round.reclaims))
            eviction_round = self._loop.look(self._stats.statistics(workers, now_s), pods, now_s)
        if eviction_round is not None:
            yield from self._kubelet.evict(eviction_round, now_s)

    def _kills(self, now_s: float) -> Iterator[Effect]:
        # The kernel kills one container after another.
        stats, workers = self._stats, self._active()
        for worker in filter(runs, workers):
            limit = _memory_limit_bytes(worker.pod)
            if limit is not None and memory_bytes_of(worker, now_s) > limit:
                yield from self._kill(worker, now_s)
        capacity = stats.memory_capacity_bytes

        def score(worker: PodWorker) -> float:
            containers = worker.pod["spec"]["containers"]
            share = memory_bytes_of(worker, now_s) / len(containers) / capacity
            adjustments = (oom_score_adj(worker.pod, one, capacity) for one in containers)
            return 1000 * share + max(adjustments)

        while capacity and stats.memory_total_bytes(workers, now_s) >= capacity:
            using = [worker for worker in workers if memory_bytes_of(worker, now_s)]
            if not using:
                return
            victim = max(using, key=score)
            yield from self._kill(victim, now_s)
            process = victim.pod["spec"]["containers"][0]["name"]
            note = f"System OOM encountered, victim process: {process}"
            yield node_record(self._kubelet.node, "Warning", "SystemOOM", note)

    def _kill(self, worker: PodWorker, now_s: float) -> Iterator[Effect]:
        yield from worker.kill(OOM_KILLED, now_s)
        self._kubelet.revisit(worker.pod, now_s)

    def _next_kills_s(self, workers: Sequence[PodWorker], now_s: float) -> Iterator[float]:
        stats, capacity = self._stats, self._stats.memory_capacity_bytes
        corners_s = stats.memory_corners_s(workers, now_s, self._loop.next_look_s)
        limits = []
        if capacity and stats.memory_total_bytes(workers, now_s) < capacity:
            limits.append((partial(stats.memory_total_bytes, workers), capacity))
        for worker in filter(runs, workers):
            limit = _memory_limit_bytes(worker.pod)
            if limit is not None and MEMORY in script_of(worker).curves:
                limits.append((partial(memory_bytes_of, worker), limit + 1))
        for usage, limit in limits:
            at_s = first_reaching(usage, corners_s, limit)
            if at_s is not None:
                tick_s = math.ceil(at_s * _TICKS_PER_SECOND) / _TICKS_PER_SECOND
                yield max(tick_s, now_s + 1 / _TICKS_PER_SECOND)


def _memory_limit_bytes(pod: Object) -> int | None:
    spec = pod["spec"]
    own, limits = limits_of(spec), [*map(limits_of, spec["containers"])]
    if MEMORY not in own and not all(MEMORY in limit for limit in limits):
        return None
    return pod_limits(pod)[MEMORY] // NANOS_PER_UNIT
