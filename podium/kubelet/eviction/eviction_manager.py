"""The eviction manager of one node, as a state machine: it decides, others act.

A round begins with `look`. It ends at once, with evictions or without, or it says what the node
should throw away first; once that is done, `conclude` is handed the new observations.

    round_ = manager.look(statistics, pods, now_s)
    if round_.reclaims:
        round_ = manager.conclude(round_, observations_afterwards)
    for eviction in round_.evictions: …

After evictions the next round comes when the pods are cleaned up, `CLEANUP_TIMEOUT_S` later at
most, otherwise after the housekeeping interval.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from podium.api.errors import PodiumError
from podium.api.objects import Object, uid
from podium.api.priority import is_critical
from podium.kubelet.eviction.eviction_ranking import EvictionOrder, rank
from podium.kubelet.eviction.filesystems import Filesystems, NodeReclaim
from podium.kubelet.eviction.local_storage_limits import limit_evictions
from podium.kubelet.eviction.node_statistics import Observations, Statistics
from podium.kubelet.eviction.pod_eviction import (
    IMMEDIATE_GRACE_PERIOD_S,
    Eviction,
    StarvedResource,
    pressure_message,
)
from podium.kubelet.eviction.thresholds import (
    Since,
    Threshold,
    conditions_observed,
    conditions_present,
    first_observed,
    merged,
    past_grace,
    starved_quantities,
    thresholds_met,
    updated,
)

DEFAULT_TRANSITION_PERIOD_S = 300.0
DEFAULT_HOUSEKEEPING_S = 10.0
"""How long the manager waits after a round in which it evicted no pod."""


class EvictionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The settings by which a node evicts pods under pressure.

    Attributes:
        max_pod_grace_period_s: what a pod gets at most when a soft threshold evicts it.
        transition_period_s: how long a node condition stays after its thresholds were last met.
        separates_disk_gc: the feature gate KubeletSeparateDiskGC, without which the kubelet can't
            work where images and containers are split.
    """

    thresholds: tuple[Threshold, ...] = ()
    max_pod_grace_period_s: int = 0
    transition_period_s: float = DEFAULT_TRANSITION_PERIOD_S
    isolates_local_storage: bool = True
    filesystems: Filesystems = msgspec.field(default_factory=Filesystems)
    order: EvictionOrder = EvictionOrder.DEFAULT
    housekeeping_s: float = DEFAULT_HOUSEKEEPING_S
    separates_disk_gc: bool = True


CLEANUP_TIMEOUT_S = 30.0
CLEANUP_POLL_S = 1.0


class EvictionRound(msgspec.Struct, frozen=True):
    """One round of the eviction manager: what it decided, or what has to be thrown away first.

    Attributes:
        evictions: whom to evict; several only for limits of local storage.
        reclaiming: the resource that is to be reclaimed; empty if none is.
    """

    evictions: tuple[Eviction, ...] = ()
    reclaiming: str = ""
    reclaims: tuple[NodeReclaim, ...] = ()
    _pods: Sequence[Object] = ()
    _statistics: Statistics = msgspec.field(default_factory=lambda: Statistics({}, {}))
    _acting: tuple[Threshold, ...] = ()


NOTHING = EvictionRound()


class SplitFilesystemError(PodiumError):
    """The node is partitioned in a way that its feature gates don't allow."""

    def __init__(self) -> None:
        super().__init__("KubeletSeparateDiskGC is turned off but we still have a split filesystem")


class EvictionManager:
    """The eviction manager of one node, which decides round by round whom to evict.

    Attributes:
        thresholds: that it looks after: the configured ones and, from the second round on, those
            of containerfs that follow from them.
        met: thresholds that drive evictions until they are resolved.
    """

    def __init__(self, config: EvictionConfig) -> None:
        self.config = config
        self.thresholds = config.thresholds
        self.conditions: list[str] = []
        self.met: list[Threshold] = []
        self.since: Since = {}
        self._conditions_observed: Mapping[str, float] = {}
        self._last: Observations = {}
        self._has_looked = False
        self._can_evict = True

    def look(self, statistics: Statistics, pods: Sequence[Object], now_s: float) -> EvictionRound:
        """Begin a round.

        Args:
            pods: that are active on the node; of equals the first goes first.

        Raises:
            QuantityError: a request or limit of a pod isn't a quantity.
            SplitFilesystemError: in the first round; in others no threshold evicts anybody.
        """
        if not self.thresholds and not self.config.isolates_local_storage:
            return NOTHING
        acting = self._observe(self._round_thresholds(), statistics.observations, now_s)
        if self.config.isolates_local_storage:
            dedicated = self.config.filesystems.dedicated_image_fs
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
            reclaims=self.config.filesystems.reclaims(signal),
            _pods=pods,
            _statistics=statistics,
            _acting=tuple(acting),
        )
        return begun if begun.reclaims else self._evict(begun)

    def conclude(self, begun: EvictionRound, afterwards: Observations) -> EvictionRound:
        """End a round after what it asked for was thrown away, as far as that was possible.

        No pod is evicted if no threshold of any signal is met any more, minimum reclaim included.
        """
        if not thresholds_met(self.thresholds, afterwards, with_min_reclaim=True):
            return replace(begun, reclaims=())
        return self._evict(begun)

    def _observe(
        self, thresholds: Sequence[Threshold], observations: Observations, now_s: float
    ) -> list[Threshold]:
        met = thresholds_met(thresholds, observations, with_min_reclaim=False)
        met = merged(met, thresholds_met(self.met, observations, with_min_reclaim=True))
        self.since = first_observed(met, self.since, now_s)
        self._conditions_observed = conditions_observed(met, self._conditions_observed, now_s)
        self.conditions = conditions_present(
            self._conditions_observed, self.config.transition_period_s, now_s
        )
        self.met = past_grace(self.since, now_s)
        before, self._last = self._last, observations
        return updated(self.met, observations, before)

    def _round_thresholds(self) -> Sequence[Threshold]:
        """The thresholds of this round.

        The kubelet learns in its first round how the node is partitioned. Those of containerfs
        that follow from it and weren't configured go from the second round on.
        """
        if self._has_looked:
            return self.thresholds
        self._has_looked = True
        filesystems = self.config.filesystems
        if filesystems.split_container_image_fs and not self.config.separates_disk_gc:
            self._can_evict = False
            raise SplitFilesystemError
        configured = len(self.thresholds)
        self.thresholds = filesystems.with_containerfs(self.thresholds)
        return self.thresholds[:configured]

    def _evict(self, begun: EvictionRound) -> EvictionRound:
        threshold = begun._acting[0]
        usage = begun._statistics.usage
        filesystems, order = self.config.filesystems, self.config.order
        ranking = rank(threshold.signal, begun._pods, usage, filesystems, order)
        pod = next((one.pod for one in ranking if not is_critical(one.pod)), None)
        if pod is None:
            return replace(begun, reclaims=())
        resource = threshold.signal.resource
        quantities = starved_quantities(resource, begun._acting, begun._statistics.observations)
        starved_resource = StarvedResource(resource, *(quantities or (None, None)))
        message, annotations = pressure_message(starved_resource, pod, usage.get(uid(pod)))
        grace_period_s = IMMEDIATE_GRACE_PERIOD_S
        if not threshold.is_hard:
            grace_period_s = self.config.max_pod_grace_period_s
            own_s = pod["spec"].get("terminationGracePeriodSeconds")
            if own_s is not None:
                grace_period_s = min(grace_period_s, own_s)
        eviction = Eviction(pod, grace_period_s, message, annotations, disrupts=True)
        return replace(begun, reclaims=(), evictions=(eviction,))
