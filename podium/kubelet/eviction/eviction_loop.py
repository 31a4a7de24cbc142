"""Runs a kubelet's eviction manager: when it looks, and which events and conditions follow.

Times are those of v1.36: a look every ten seconds, the next one when evicted pods are cleaned up,
and conditions that are told with the node's status.
"""

import math
from collections.abc import Iterator, Sequence

from podium.api.objects import Object, name, uid
from podium.api.values.quantity import NANOS_PER_UNIT
from podium.kubelet.eviction.eviction_manager import (
    CLEANUP_POLL_S,
    CLEANUP_TIMEOUT_S,
    EvictionConfig,
    EvictionManager,
    EvictionRound,
)
from podium.kubelet.eviction.node_statistics import Statistics
from podium.kubelet.eviction.signals import MEMORY, PRESSURE_CONDITIONS, Signal
from podium.kubelet.eviction.thresholds import thresholds_met
from podium.kubelet.kubelet_events import node_record
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S

STATUS_UPDATE_S = 10.0
"""How often a kubelet writes the status of its node."""


class EvictionLoop:
    """The control loop around the eviction manager of one node.

    Attributes:
        told: the conditions that the node's status tells, sorted.

    Args:
        started_s: since when the kubelet runs: the status is written so often from then on.
        status_update_s: how often that is; 0 for whenever it changes.
    """

    def __init__(
        self,
        config: EvictionConfig,
        started_s: float,
        now_s: float,
        status_update_s: float = STATUS_UPDATE_S,
    ) -> None:
        self.manager = EvictionManager(config)
        self.told: Sequence[str] = ()
        self.next_look_s = now_s
        self.last_look_s: float | None = None
        self._started_s = started_s
        self._status_update_s = status_update_s
        self._begun: EvictionRound | None = None
        self._evicted: set[str] = set()
        # When the status is to tell what it doesn't yet; whoever looks late tells it late.
        self._telling_s = NEVER_S

    @property
    def has_begun(self) -> bool:
        """Whether a round has begun that is to be ended."""
        return self._begun is not None

    def next_s(self) -> float:
        """When there is something to do, if nothing else happens."""
        return min(self.next_look_s, self._telling_s)

    def look(
        self, statistics: Statistics, pods: Sequence[Object], now_s: float
    ) -> EvictionRound | None:
        """The manager's round, if it is time for one.

        If a round has something to throw away, that is to be done, and then looked again.
        """
        if self._begun is not None:
            begun, self._begun = self._begun, None
            eviction_round = self.manager.conclude(begun, statistics.observations)
        elif now_s < self.next_look_s:
            return None
        else:
            self.last_look_s = now_s
            self.next_look_s = now_s + self.manager.config.housekeeping_s
            self._evicted.clear()
            eviction_round = self.manager.look(statistics, pods, now_s)
        if eviction_round.reclaims:
            self._begun = eviction_round
        if eviction_round.evictions:
            self._evicted = {uid(one.pod) for one in eviction_round.evictions}
            self.last_look_s = now_s
            self.next_look_s = now_s + CLEANUP_TIMEOUT_S
        return eviction_round

    def ended(self, pod_uid: str, at_s: float) -> None:
        """A pod has ended; once all that were evicted have, the next round comes."""
        if pod_uid not in self._evicted:
            return
        self._evicted.discard(pod_uid)
        if not self._evicted:
            evicted_s = self.next_look_s - CLEANUP_TIMEOUT_S
            polls = math.floor((at_s - evicted_s) / CLEANUP_POLL_S) + 1
            self.next_look_s = min(evicted_s + polls * CLEANUP_POLL_S, self.next_look_s)

    def check_memory(self, statistics: Statistics, now_s: float) -> None:
        """Look at once if a threshold of memory is met, as if the kernel had notified."""
        of_memory = (one for one in self.manager.thresholds if one.signal.resource == MEMORY)
        if not self._evicted and thresholds_met(
            of_memory, statistics.observations, with_min_reclaim=False
        ):
            self.next_look_s = min(self.next_look_s, now_s)

    def resume(self, now_s: float) -> None:
        """Go on in the old rhythm after looks that had nothing to see were left out."""
        period_s = self.manager.config.housekeeping_s
        self.next_look_s += max(math.ceil((now_s - self.next_look_s) / period_s), 0) * period_s

    def is_status_due(self, now_s: float) -> bool:
        """Whether the node's status is due, and tells other conditions than before."""
        if list(self.told) == self.manager.conditions:
            self._telling_s = NEVER_S
            return False
        if self._telling_s == NEVER_S:
            self._telling_s = now_s
            if self._status_update_s:
                periods = math.ceil((now_s - self._started_s) / self._status_update_s)
                self._telling_s = self._started_s + periods * self._status_update_s
        if self._telling_s > now_s:
            return False
        self._telling_s = NEVER_S
        self.told = tuple(self.manager.conditions)
        return True


def pods_memory_limit_bytes(config: EvictionConfig, allocatable: int, capacity: int) -> int:
    """The memory that pods may use together: what is allocatable, and what is kept free for them.

    Args:
        config: its hard threshold of memory goes for what is allocatable, too.
    """
    kept = (
        one.value.of(capacity).nanos // NANOS_PER_UNIT
        for one in config.thresholds
        if one.signal is Signal.MEMORY_AVAILABLE and one.is_hard
    )
    return min(allocatable + next(kept, 0), capacity)


def transitions(node: Object, before: Sequence[str], now: Sequence[str]) -> Iterator[Effect]:
    """Record which conditions of pressure have come and gone."""
    for kind in sorted({*before} ^ {*now}):
        condition = PRESSURE_CONDITIONS[kind]
        reason = f"NodeHas{(condition.present if kind in now else condition.absent)[0]}"
        note = f"Node {name(node)} status is now: {reason}"
        yield node_record(node, "Normal", reason, note)
