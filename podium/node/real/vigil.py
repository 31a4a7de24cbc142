"""When a real node looks at what is used, and what it makes of it.

Memory is measured every second, everything else at the housekeeping interval. When a threshold of
memory is met, the eviction manager looks at once, as a kubelet does that the kernel has notified.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from podium.api.meta import uid
from podium.api.quantity import NANOS_PER_UNIT, nanos
from podium.node.pressure.config import EvictionConfig
from podium.node.pressure.manager import CLEANUP_TIMEOUT_S, EvictionManager, Round
from podium.node.pressure.observing import thresholds_met
from podium.node.pressure.signals import MEMORY, Signal
from podium.node.pressure.statistics import Observation, Statistics

Object = Mapping[str, Any]

MEASURING_S = 1.0


class Excess(NamedTuple):
    """A container that uses more memory than it may."""

    pod_uid: str
    container: str


class Vigil:
    """One node's.

    Attributes:
        manager: its eviction manager.

    Args:
        config: how evictions are configured.
        allocatable_bytes: the memory that pods may have together.
    """

    def __init__(self, config: EvictionConfig, allocatable_bytes: int) -> None:
        self.manager = EvictionManager(config)
        self._config = config
        self._allocatable_bytes = allocatable_bytes
        self._measures_s = 0.0
        self._looks_s = 0.0
        self._is_under_way = False
        self._begun: Round | None = None
        self._evicted: set[str] = set()
        self._waits_until_s = 0.0

    @property
    def next_s(self) -> float:
        """When to measure next; `inf` while that goes on."""
        return float("inf") if self._is_under_way else self._measures_s

    def begin(self, now_s: float) -> bool:
        """Begin to measure; whether everything is to be measured, and not only memory."""
        self._is_under_way = True
        return now_s >= self._looks_s or self._begun is not None

    def fail(self, now_s: float) -> None:
        """Nothing could be measured."""
        self._end(now_s)

    def end(
        self, measured: Statistics, pods: Sequence[Object], active: Collection[str], now_s: float
    ) -> Round | None:
        """Take in what was measured; the manager's round, if it looks.

        If the round has something to throw away, that is to be done before the next measurement,
        which ends the round.

        Args:
            measured: all of it.
            pods: that run, in the order in which they came.
            active: the uids of all that haven't ended.
            now_s: the time.
        """
        self._end(now_s)
        statistics = self._completed(measured, now_s)
        self._evicted &= set(active)
        if self._begun is not None:
            begun, self._begun = self._begun, None
            return self._taken(self.manager.conclude(begun, statistics.observations), now_s)
        if self._evicted and now_s < self._waits_until_s:
            return None
        if now_s < self._looks_s and not self._lacks_memory(statistics):
            return None
        self._looks_s = now_s + self._config.housekeeping_s
        return self._taken(self.manager.look(statistics, pods, now_s), now_s)

    def _end(self, now_s: float) -> None:
        self._is_under_way = False
        self._measures_s = now_s + MEASURING_S

    def _taken(self, round_: Round, now_s: float) -> Round:
        if round_.reclaims:
            self._begun = round_
        if round_.evictions:
            self._evicted = {uid(one.pod) for one in round_.evictions}
            self._waits_until_s = now_s + CLEANUP_TIMEOUT_S
        return round_

    def _lacks_memory(self, statistics: Statistics) -> bool:
        of_memory = (one for one in self.manager.thresholds if one.signal.resource == MEMORY)
        return bool(thresholds_met(of_memory, statistics.observations, with_min_reclaim=False))

    def _completed(self, measured: Statistics, now_s: float) -> Statistics:
        """The statistics with what is left of the memory that pods may have together."""
        memory = measured.observations.get(Signal.MEMORY_AVAILABLE)
        if memory is None:
            return measured
        kept = (
            one.value.of(memory.capacity).nanos // NANOS_PER_UNIT
            for one in self._config.thresholds
            if one.signal is Signal.MEMORY_AVAILABLE and one.is_hard
        )
        capacity = min(self._allocatable_bytes + next(kept, 0), memory.capacity)
        used = sum(one.memory_bytes or 0 for one in measured.usage.values())
        left = Observation(max(capacity - used, 0), capacity, memory.observed_s)
        observations = {**measured.observations, Signal.ALLOCATABLE_MEMORY_AVAILABLE: left}
        return replace(measured, observations=observations)


def excesses(pods: Sequence[Object], measured: Statistics) -> Iterator[Excess]:
    """The containers that use more memory than their limit."""
    for pod in pods:
        usage = measured.usage.get(uid(pod))
        if usage is None:
            continue
        limits = dict(_memory_limits(pod))
        for one in usage.containers:
            limit = limits.get(one.name)
            if limit is not None and (one.memory_bytes or 0) * NANOS_PER_UNIT > limit:
                yield Excess(uid(pod), one.name)


def _memory_limits(pod: Object) -> Iterator[tuple[str, int]]:
    """The memory that containers may have, in nanos, by name."""
    spec = pod["spec"]
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        limits = (container.get("resources") or {}).get("limits") or {}
        if MEMORY in limits:
            yield container["name"], nanos(limits[MEMORY])
