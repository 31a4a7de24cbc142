"""How a simulated node feels what is used on it: eviction rounds, and the kernel between them.

The eviction manager looks at the node every now and then. If memory runs out meanwhile, the kernel
kills the container with the highest score; if a pod exceeds its own memory limit, it kills that.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from podium.api.quantity import NANOS_PER_UNIT
from podium.api.resources import pod_limits
from podium.node.life import Stage
from podium.node.pressure.config import EvictionConfig
from podium.node.pressure.filesystems import Reclaim
from podium.node.pressure.manager import (
    CLEANUP_POLL_S,
    CLEANUP_TIMEOUT_S,
    EvictionManager,
    Round,
)
from podium.node.pressure.oom import oom_score_adj
from podium.node.pressure.signals import MEMORY
from podium.node.residents import Resident
from podium.node.simulated.usage.curves import first_reaching
from podium.node.simulated.usage.measuring import Meter, Object
from podium.node.simulated.usage.scripts import NodeScript

STATUS_UPDATE_S = 10.0
"""How often a kubelet writes the status of its node."""

# Times of kills are told in thousandths of a second; none is sooner than the next one of these.
_TICKS_PER_SECOND = 1000


class Kill(NamedTuple):
    """A container that the kernel kills.

    Attributes:
        resident: its pod.
        is_systems: whether the node was out of memory, and not only the pod.
    """

    resident: Resident
    is_systems: bool


class Feeling:
    """One node's.

    Attributes:
        manager: its eviction manager.
        told: the conditions that its status tells, sorted.

    Args:
        node: the node.
        script: what it uses itself.
        config: how evictions are configured.
        seed: of walks.
        started_s: since when its agent runs.
        now_s: the time.
    """

    def __init__(
        self,
        node: Object,
        script: NodeScript,
        config: EvictionConfig,
        seed: int,
        started_s: float,
        now_s: float,
    ) -> None:
        self.manager = EvictionManager(config)
        self.told: Sequence[str] = ()
        self._config = config
        self._started_s = started_s
        self._meter = Meter(node, script, started_s, config, seed)
        self._next_look_s = now_s
        self._last_look_s: float | None = None
        self._leaves_out_looks = False
        # When the status is to tell what it doesn't yet; whoever looks late tells it late.
        self._telling_s: float | None = None

    def see(self, node: Object, script: NodeScript) -> None:
        """Take in how the node is now."""
        self._meter = replace(self._meter, node=node, script=script)

    def kills(self, residents: Sequence[Resident], now_s: float) -> Iterator[Kill]:
        """Whom the kernel kills now, one after another; each must be dead before the next."""
        for one in _running(residents):
            limit = _memory_limit_bytes(one.info.obj)
            if limit is not None and self._meter.memory_bytes(one, now_s) > limit:
                yield Kill(one, is_systems=False)
        capacity = self._meter.memory_capacity_bytes
        while capacity and self._meter.memory_total_bytes(residents, now_s) >= capacity:
            using = [one for one in _running(residents) if self._meter.memory_bytes(one, now_s)]
            if not using:
                return
            yield Kill(max(using, key=lambda one: self._score(one, now_s)), is_systems=True)

    def look(self, residents: Sequence[Resident], now_s: float) -> Round | None:
        """The manager's round, if it is time for one."""
        self._resume_looks(now_s)
        if now_s < self._next_look_s:
            return None
        self._last_look_s = now_s
        self._next_look_s = now_s + self._config.housekeeping_s
        pods = [one.info.obj for one in residents]
        round_ = self.manager.look(self._meter.statistics(residents, now_s), pods, now_s)
        if not round_.reclaims:
            return round_
        self._throw_away(round_.reclaims)
        afterwards = self._meter.statistics(residents, now_s).observations
        return self.manager.conclude(round_, afterwards)

    def wait_for(self, stops_s: Iterable[float], now_s: float) -> None:
        """Evicted pods will have stopped by these times: the next round waits for that."""
        polls = math.floor((max(stops_s) - now_s) / CLEANUP_POLL_S) + 1
        wait_s = min(polls * CLEANUP_POLL_S, CLEANUP_TIMEOUT_S)
        self._next_look_s = now_s + wait_s

    def tells_news(self, now_s: float) -> bool:
        """Whether the node's status is due, and tells other conditions than before."""
        if list(self.told) == self.manager.conditions:
            self._telling_s = None
            return False
        if self._telling_s is None:
            self._telling_s = self._status_s(now_s)
        if self._telling_s > now_s:
            return False
        self._telling_s = None
        self.told = tuple(self.manager.conditions)
        return True

    def next_s(self, residents: Sequence[Resident], now_s: float) -> float | None:
        """When to look again; None if nothing happens unless something else does."""
        self._leaves_out_looks = self._is_settled(residents, now_s)
        if self._leaves_out_looks:
            return None
        times_s = [self._next_look_s, *self._next_kills_s(residents, now_s)]
        if self._telling_s is not None:
            times_s.append(self._telling_s)
        return min(times_s)

    def _is_settled(self, residents: Sequence[Resident], now_s: float) -> bool:
        """Whether all rounds to come would be like the last one, which came to nothing."""
        manager = self.manager
        has_seen_all = self._last_look_s == now_s and not (manager.since or manager.conditions)
        return has_seen_all and not self.told and self._meter.is_level_from(residents, now_s)

    def _resume_looks(self, now_s: float) -> None:
        """Go on in the old rhythm after looks that had nothing to see were left out."""
        if self._leaves_out_looks:
            self._leaves_out_looks = False
            missed = math.ceil((now_s - self._next_look_s) / self._config.housekeeping_s)
            self._next_look_s += max(missed, 0) * self._config.housekeeping_s

    def _next_kills_s(self, residents: Sequence[Resident], now_s: float) -> Iterator[float]:
        """When the kernel will kill, if that is before the manager looks."""
        until_s = self._next_look_s
        meter, capacity = self._meter, self._meter.memory_capacity_bytes
        corners_s = meter.memory_corners_s(residents, now_s, until_s)
        if capacity and meter.memory_total_bytes(residents, now_s) < capacity:
            at_s = first_reaching(
                lambda time_s: meter.memory_total_bytes(residents, time_s), corners_s, capacity
            )
            if at_s is not None:
                yield _tick(at_s, now_s)
        for one in _running(residents):
            limit = _memory_limit_bytes(one.info.obj)
            if limit is None or "memory" not in one.usage.curves:
                continue
            used = _of(meter, one)
            at_s = first_reaching(used, corners_s, limit + 1)
            if at_s is not None:
                yield _tick(at_s, now_s)

    def _score(self, resident: Resident, now_s: float) -> float:
        """The highest score of a pod's containers."""
        capacity = self._meter.memory_capacity_bytes
        pod = resident.info.obj
        containers = pod["spec"]["containers"]
        share = self._meter.memory_bytes(resident, now_s) / len(containers) / capacity
        return 1000 * share + max(oom_score_adj(pod, one, capacity) for one in containers)

    def _status_s(self, now_s: float) -> float:
        """When the node's status is written next; may be now."""
        periods = math.ceil((now_s - self._started_s) / STATUS_UPDATE_S)
        return self._started_s + periods * STATUS_UPDATE_S

    def _throw_away(self, reclaims: Iterable[Reclaim]) -> None:
        script = self._meter.script
        freed = 0
        for reclaim in reclaims:
            if reclaim is Reclaim.IMAGES:
                freed += script.unused_images_bytes
            else:
                freed += script.dead_containers_bytes
        self._meter = replace(self._meter, freed_bytes=freed)


def _of(meter: Meter, resident: Resident) -> Callable[[float], int]:
    return lambda time_s: meter.memory_bytes(resident, time_s)


def _running(residents: Iterable[Resident]) -> Iterator[Resident]:
    return (one for one in list(residents) if one.life.stage is Stage.RUNNING)


def _memory_limit_bytes(pod: Object) -> int | None:
    """What the pod may use of memory; None if one of its containers isn't limited."""
    spec = pod["spec"]
    own = (spec.get("resources") or {}).get("limits") or {}
    limits = [(one.get("resources") or {}).get("limits") or {} for one in spec["containers"]]
    if MEMORY not in own and not all(MEMORY in one for one in limits):
        return None
    return pod_limits(pod)[MEMORY] // NANOS_PER_UNIT


def _tick(at_s: float, now_s: float) -> float:
    """The next thousandth of a second at which that has happened, after now."""
    tick_s = math.ceil(at_s * _TICKS_PER_SECOND) / _TICKS_PER_SECOND
    return max(tick_s, now_s + 1 / _TICKS_PER_SECOND)
