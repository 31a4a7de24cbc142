"""The eviction manager of a node, and the control loop that times its rounds.

A round begins with `look`. If the node has to reclaim resources first, `conclude` ends the round
with the observations after the reclaims.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from podium.api.errors import PodiumError
from podium.api.objects import Object, name, uid
from podium.api.priority import is_critical
from podium.api.values.quantity import NANOS_PER_UNIT
from podium.kubelet.eviction.eviction_ranking import EvictionOrder, rank
from podium.kubelet.eviction.filesystems import Filesystems, NodeReclaim
from podium.kubelet.eviction.node_statistics import Observation, Observations, Statistics
from podium.kubelet.eviction.pod_eviction import (
    IMMEDIATE_GRACE_PERIOD_S,
    Eviction,
    limit_evictions,
    pressure_message,
)
from podium.kubelet.eviction.signals import MEMORY, PRESSURE_CONDITIONS, Signal
from podium.kubelet.eviction.thresholds import Threshold, thresholds_met, updated
from podium.kubelet.kubelet_events import node_record
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S

DEFAULT_TRANSITION_PERIOD_S = 300.0
DEFAULT_HOUSEKEEPING_S = 10.0
"""The time between rounds if no pod is evicted."""


class EvictionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The eviction settings of a kubelet."""

    thresholds: tuple[Threshold, ...] = ()
    max_pod_grace_period_s: int = 0
    """Longest grace period of evictions by soft thresholds."""
    transition_period_s: float = DEFAULT_TRANSITION_PERIOD_S
    """Time for which a condition stays after its thresholds were last met."""
    isolates_local_storage: bool = True
    filesystems: Filesystems = msgspec.field(default_factory=Filesystems)
    order: EvictionOrder = EvictionOrder.DEFAULT
    housekeeping_s: float = DEFAULT_HOUSEKEEPING_S
    separates_disk_gc: bool = True
    """Feature gate KubeletSeparateDiskGC; without it, a kubelet evicts no pods if images and
    containers are on different filesystems."""


CLEANUP_TIMEOUT_S = 30.0
CLEANUP_POLL_S = 1.0


class EvictionRound(msgspec.Struct, frozen=True):
    """The decisions of a round of the eviction manager."""

    evictions: tuple[Eviction, ...] = ()
    """Evictions to carry out; several only for limits of local storage."""
    reclaiming: str = ""
    """Starved resource; empty if no resource is."""
    reclaims: tuple[NodeReclaim, ...] = ()
    """Reclaims to carry out before `EvictionManager.conclude`; empty if the round ended."""
    _pods: Sequence[Object] = ()
    _statistics: Statistics = msgspec.field(default_factory=lambda: Statistics({}, {}))
    _acting: Threshold | None = None


NOTHING = EvictionRound()


class SplitFilesystemError(PodiumError):
    """The feature gates don't allow the filesystem layout of the node."""

    def __init__(self) -> None:
        super().__init__("KubeletSeparateDiskGC is turned off but we still have a split filesystem")


class EvictionManager:
    """The eviction manager of a node."""

    def __init__(self, config: EvictionConfig) -> None:
        self.config = config
        self.thresholds = config.thresholds
        """Configured thresholds and, from the second round on, those of containerfs."""
        self.conditions: list[str] = []
        """Pressure conditions within their transition period, sorted."""
        self.met: list[Threshold] = []
        """Thresholds that are past their grace period and not resolved yet, sorted."""
        self.since: dict[Threshold, float] = {}
        """When each met threshold began to be met, in seconds since the epoch."""
        self._conditions_observed_s: dict[str, float] = {}
        self._last: Observations = {}
        self._has_looked = False
        self._can_evict = True

    def look(self, statistics: Statistics, pods: Sequence[Object], now_s: float) -> EvictionRound:
        """Begin a round with the node's active pods, whose order decides between equal pods.

        Raises:
            QuantityError: a request or limit of a pod isn't a quantity.
            SplitFilesystemError: the feature gates don't allow the filesystem layout; raised in the
                first round only.
        """
        if not self.thresholds and not self.config.isolates_local_storage:
            return NOTHING
        thresholds, filesystems = self.thresholds, self.config.filesystems
        if not self._has_looked:
            # The kubelet learns in its first round how the node is partitioned, so that thresholds
            # of containerfs that follow from that apply from the second round on.
            self._has_looked = True
            if filesystems.split_container_image_fs and not self.config.separates_disk_gc:
                self._can_evict = False
                raise SplitFilesystemError
            self.thresholds = filesystems.with_containerfs(self.thresholds)
            thresholds = self.thresholds[: len(thresholds)]
        observations = statistics.observations
        met = thresholds_met(thresholds, observations, with_min_reclaim=False)
        met += thresholds_met(self.met, observations, with_min_reclaim=True)
        self.since = {threshold: self.since.get(threshold, now_s) for threshold in met}
        for threshold in met:
            self._conditions_observed_s[threshold.signal.starved.condition] = now_s
        period_s, observed_s = self.config.transition_period_s, self._conditions_observed_s
        self.conditions = sorted(kind for kind in observed_s if now_s - observed_s[kind] < period_s)
        past_grace = (met for met, at_s in self.since.items() if now_s - at_s >= met.grace_period_s)
        self.met = sorted(past_grace, key=lambda threshold: threshold.order)
        before, self._last = self._last, observations
        acting = updated(self.met, observations, before)
        if self.config.isolates_local_storage:
            dedicated = filesystems.dedicated_image_fs
            over = limit_evictions(pods, statistics.usage, dedicated_image_fs=dedicated)
            if over:
                return EvictionRound(evictions=tuple(over))
        if not acting:
            return NOTHING
        signal = acting[0].signal
        if not self._can_evict:
            return EvictionRound(reclaiming=signal.resource)
        begun = EvictionRound(
            reclaiming=signal.resource,
            reclaims=filesystems.reclaims(signal),
            _pods=pods,
            _statistics=statistics,
            _acting=acting[0],
        )
        return begun if begun.reclaims else self._evict(begun)

    def conclude(self, begun: EvictionRound, afterwards: Observations) -> EvictionRound:
        """End a round after its reclaims: evict a pod if a threshold is still met.

        A threshold counts as met until its minimum reclaim is available, too.
        """
        if not thresholds_met(self.thresholds, afterwards, with_min_reclaim=True):
            return replace(begun, reclaims=())
        return self._evict(begun)

    def _evict(self, begun: EvictionRound) -> EvictionRound:
        threshold, usage = begun._acting, begun._statistics.usage
        assert threshold is not None
        filesystems, order = self.config.filesystems, self.config.order
        ranking = rank(threshold.signal, begun._pods, usage, filesystems, order)
        pod = next((ranked.pod for ranked in ranking if not is_critical(ranked.pod)), None)
        if pod is None:
            return replace(begun, reclaims=())
        observed = begun._statistics.observations[threshold.signal]
        message, annotations = pressure_message(threshold, observed, pod, usage.get(uid(pod)))
        grace_period_s = IMMEDIATE_GRACE_PERIOD_S
        if not threshold.is_hard:
            grace_period_s = self.config.max_pod_grace_period_s
            own_s = pod["spec"].get("terminationGracePeriodSeconds")
            if own_s is not None:
                grace_period_s = min(grace_period_s, own_s)
        eviction = Eviction(pod, grace_period_s, message, annotations, disrupts=True)
        return replace(begun, reclaims=(), evictions=(eviction,))


STATUS_UPDATE_S = 10.0
"""The period at which a kubelet writes its node's status."""


@dataclass(eq=False)
class EvictionLoop:
    """The control loop of an eviction manager, with the times of v1.36."""

    manager: EvictionManager
    started_s: float
    """Start of the kubelet, from which the periods of status updates count."""
    next_look_s: float
    status_update_s: float = STATUS_UPDATE_S
    """Period of status updates, in seconds; 0 to write each change at once."""
    written: Sequence[str] = ()
    """Pressure conditions in the node's status, sorted."""
    last_look_s: float | None = None
    begun: EvictionRound | None = None
    """Round that is concluded once what it reclaims was reclaimed."""
    _evicted: set[str] = field(default_factory=set)
    # When the node's status is written next with the current conditions.
    _writing_s: float = NEVER_S

    def next_s(self) -> float:
        return min(self.next_look_s, self._writing_s)

    def look(
        self, statistics: Statistics, pods: Sequence[Object], now_s: float
    ) -> EvictionRound | None:
        """Return the round that is due, if any; after reclaims, call again to conclude it."""
        if self.begun is not None:
            begun, self.begun = self.begun, None
            eviction_round = self.manager.conclude(begun, statistics.observations)
        elif now_s < self.next_look_s:
            return None
        else:
            self.last_look_s = now_s
            self.next_look_s = now_s + self.manager.config.housekeeping_s
            self._evicted.clear()
            eviction_round = self.manager.look(statistics, pods, now_s)
        if eviction_round.reclaims:
            self.begun = eviction_round
        if eviction_round.evictions:
            self._evicted = {uid(eviction.pod) for eviction in eviction_round.evictions}
            self.last_look_s = now_s
            self.next_look_s = now_s + CLEANUP_TIMEOUT_S
        return eviction_round

    def ended(self, pod_uid: str, at_s: float) -> None:
        """Note that a pod has ended; the next round is due once all evicted pods have."""
        if pod_uid not in self._evicted:
            return
        self._evicted.discard(pod_uid)
        if not self._evicted:
            evicted_s = self.next_look_s - CLEANUP_TIMEOUT_S
            polls = math.floor((at_s - evicted_s) / CLEANUP_POLL_S) + 1
            self.next_look_s = min(evicted_s + polls * CLEANUP_POLL_S, self.next_look_s)

    def check_memory(self, statistics: Statistics, now_s: float) -> None:
        """Make a round due now if a memory threshold is met, like the kernel's notification."""
        memory = (met for met in self.manager.thresholds if met.signal.resource == MEMORY)
        met = thresholds_met(memory, statistics.observations, with_min_reclaim=False)
        if met and not self._evicted:
            self.next_look_s = min(self.next_look_s, now_s)

    def resume(self, now_s: float) -> None:
        """Skip the rounds before a time; later rounds keep their times."""
        period_s = self.manager.config.housekeeping_s
        self.next_look_s += max(math.ceil((now_s - self.next_look_s) / period_s), 0) * period_s

    def is_status_due(self, now_s: float) -> bool:
        """Return whether changed conditions are to be written to the node's status now."""
        if list(self.written) == self.manager.conditions:
            self._writing_s = NEVER_S
            return False
        if self._writing_s == NEVER_S:
            self._writing_s = now_s
            if self.status_update_s:
                periods = math.ceil((now_s - self.started_s) / self.status_update_s)
                self._writing_s = self.started_s + periods * self.status_update_s
        if self._writing_s > now_s:
            return False
        self._writing_s = NEVER_S
        self.written = tuple(self.manager.conditions)
        return True


def allocatable_memory(
    config: EvictionConfig, allocatable: int, memory: Observation, used: int
) -> Observation:
    """Return the allocatable memory, plus the hard threshold, that pods don't use, in bytes."""
    hard = (
        threshold.value.of(memory.capacity).nanos // NANOS_PER_UNIT
        for threshold in config.thresholds
        if threshold.signal is Signal.MEMORY_AVAILABLE and threshold.is_hard
    )
    limit = min(allocatable + next(hard, 0), memory.capacity)
    return Observation(max(limit - used, 0), limit, memory.observed_s)


def transitions(node: Object, before: Sequence[str], now: Sequence[str]) -> Iterator[Effect]:
    """Yield an Event for each pressure condition that began or ended."""
    for kind in sorted({*before} ^ {*now}):
        condition = PRESSURE_CONDITIONS[kind]
        reason = f"NodeHas{(condition.present if kind in now else condition.absent)[0]}"
        note = f"Node {name(node)} status is now: {reason}"
        yield node_record(node, "Normal", reason, note)
