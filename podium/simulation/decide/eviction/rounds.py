"""A sequence of rounds of one node's eviction manager, and answers in the format of the records.

The time, the creation and deletion of pods, and the effects of garbage collection are those in the
record. An evicted pod is deleted before the next round, unless `keepEvicted` is set.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from typing_extensions import TypedDict

from podium.api.objects import Object, key, uid
from podium.api.values.times import NANOS_PER_SECOND, format_duration
from podium.kubelet.eviction.eviction_manager import (
    EvictionManager,
    EvictionRound,
    SplitFilesystemError,
)
from podium.kubelet.eviction.filesystems import NodeReclaim
from podium.kubelet.eviction.node_statistics import Observation, Statistics
from podium.kubelet.eviction.pod_eviction import REASON
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.pod_admission import pressure_rejection
from podium.simulation.decide.eviction.question import Configuration, EvictionStep, Usage
from podium.simulation.decide.eviction.recorded_statistics import (
    merged_groups,
    observations,
    pod_usage,
    usage_key,
    with_shared_filesystems,
)

_GC_FIELDS = {
    NodeReclaim.CONTAINERS: "gc_reclaims_containers",
    NodeReclaim.IMAGES: "gc_reclaims_images",
}


class ThresholdReport(TypedDict):
    """A threshold; `observedFor` is the time for which it has been met."""

    signal: str
    value: str
    hard: bool
    operator: NotRequired[str]
    percentage: NotRequired[float]
    gracePeriod: NotRequired[str]
    minReclaim: NotRequired[str]
    observedFor: NotRequired[str]


class QuantityReport(TypedDict):
    """The available amount of a signal and the amount of its threshold, in units."""

    signal: str
    hard: bool
    value: str
    available: int
    quantity: int
    minReclaimQuantity: NotRequired[int]


class AdmissionReport(TypedDict):
    """The kubelet's decision to admit a pod, with the reason if it doesn't."""

    admit: bool
    reason: str
    message: str


class StepReport(TypedDict):
    """The result of a round; `evicted` is empty if the node evicted no pod."""

    evicted: str
    gracePeriodOverride: int | None
    conditions: list[str]
    imageGC: bool
    containerGC: bool
    thresholdsMet: list[ThresholdReport]
    thresholdsObserved: list[ThresholdReport]
    reclaiming: NotRequired[str]
    message: NotRequired[str]
    reason: NotRequired[str]
    evictedAll: NotRequired[list[str]]
    podConditions: NotRequired[list[str]]
    annotations: NotRequired[dict[str, str]]
    admit: NotRequired[dict[str, AdmissionReport]]
    error: NotRequired[str]


class EvictionAnswer(TypedDict, total=False):
    """The answer to one question; its fields depend on the question."""

    id: Any
    error: str
    errors: list[str]
    steps: list[StepReport]
    thresholds: list[ThresholdReport]
    met: list[ThresholdReport]
    conditions: list[str]
    quantities: list[QuantityReport]
    quantity: str
    value: int
    order: list[str]
    oomScoreAdj: int | dict[str, int]
    qosClass: str
    computed: str
    critical: bool
    nodeCritical: bool
    static: bool
    mirror: bool
    admit: bool
    reason: str
    message: str


class Rounds:
    """A node's eviction manager and its pods, over the rounds of a record."""

    def __init__(
        self, config: Configuration, pods: list[Object], gates: Mapping[str, bool]
    ) -> None:
        self._config = config.eviction_config(gates)
        self._manager = EvictionManager(self._config)
        self._keeps_evicted = config.keep_evicted
        self._shares = not config.no_fs_defaulting
        self._pods = {key(pod): pod for pod in pods}
        self._groups: Object = {}
        self._times_s: dict[str, float] = {}
        self._usage: dict[str, Usage | None] = {}
        self._now_s = 0.0
        self._count_steps = 0

    def step(self, step: EvictionStep, added: list[Object]) -> StepReport:
        """Apply a step of the record with its added pods, and run a round."""
        self._now_s += step.advance
        self._groups = merged_groups(self._groups, step.node)
        self._pods.update((key(pod), pod) for pod in added)
        for name in step.remove_pods:
            self._pods.pop(usage_key(name), None)
        self._usage |= {usage_key(name): usage for name, usage in step.usage.items()}
        # Each step measures again, even if no time has passed since the last one.
        self._count_steps += 1
        for group in () if step.stale is True else self._groups:
            if group not in (step.stale or ()):
                self._times_s[group] = float(self._count_steps)
        usage = {
            uid(pod): pod_usage(pod, used)
            for name, pod in self._pods.items()
            if (used := self._usage.get(name)) is not None
        }
        statistics = Statistics(self._observations(self._groups), usage)
        try:
            round_ = self._manager.look(statistics, list(self._pods.values()), self._now_s)
        except SplitFilesystemError as error:
            return {**self._report(EvictionRound()), "error": str(error)}
        reclaims = round_.reclaims
        if reclaims:
            # What is observed once garbage collection has run; that it failed changes nothing.
            groups = self._groups
            for field in ("gc_reclaims", *(_GC_FIELDS[reclaim] for reclaim in reclaims)):
                groups = merged_groups(groups, getattr(step, field))
            round_ = self._manager.conclude(round_, self._observations(groups))
        report = self._report(round_)
        report["imageGC"] = NodeReclaim.IMAGES in reclaims
        report["containerGC"] = NodeReclaim.CONTAINERS in reclaims
        if not self._keeps_evicted:
            for eviction in round_.evictions:
                del self._pods[key(eviction.pod)]
        return report

    def admit(self, pods: list[Object]) -> dict[str, AdmissionReport]:
        """Return whether the node admits pods, by namespace and name."""
        return {key(pod): admission_report(self._manager.conditions, pod) for pod in pods}

    def _observations(self, groups: Object) -> dict[Signal, Observation]:
        times_s: Object = self._times_s
        if self._shares:
            filesystems = self._config.filesystems
            groups = with_shared_filesystems(groups, filesystems)
            times_s = with_shared_filesystems(times_s, filesystems)
        return observations(groups, times_s)

    def _report(self, round_: EvictionRound) -> StepReport:
        since_s = sorted(self._manager.since.items(), key=lambda item: item[0].order)
        report: StepReport = {
            "evicted": "",
            "gracePeriodOverride": None,
            "conditions": self._manager.conditions,
            "imageGC": False,
            "containerGC": False,
            "thresholdsMet": [threshold_report(threshold) for threshold in self._manager.met],
            "thresholdsObserved": [
                {
                    **threshold_report(threshold),
                    "observedFor": format_duration(round((self._now_s - at_s) * NANOS_PER_SECOND)),
                }
                for threshold, at_s in since_s
            ],
        }
        if round_.reclaiming:
            report["reclaiming"] = round_.reclaiming
        if round_.evictions:
            first = round_.evictions[0]
            report["evicted"] = key(first.pod)
            report["gracePeriodOverride"] = first.grace_period_s
            report["message"] = first.message
            report["reason"] = REASON
            if len(round_.evictions) > 1:
                report["evictedAll"] = sorted(key(eviction.pod) for eviction in round_.evictions)
            if first.disrupts:
                report["podConditions"] = ["DisruptionTarget=True/TerminationByKubelet"]
            if first.annotations:
                report["annotations"] = dict(first.annotations)
        return report


def threshold_report(threshold: Threshold) -> ThresholdReport:
    """Format a threshold as in the records."""
    report: ThresholdReport = {
        "signal": threshold.signal,
        "value": str(threshold.value),
        "hard": threshold.is_hard,
    }
    if threshold.is_set:
        report["operator"] = "LessThan"
    # A percentage that isn't a number isn't above zero either.
    if threshold.value.quantity is None and threshold.value.share > 0:
        report["percentage"] = threshold.value.share
    if not threshold.is_hard:
        report["gracePeriod"] = format_duration(round(threshold.grace_period_s * NANOS_PER_SECOND))
    if threshold.min_reclaim is not None:
        report["minReclaim"] = str(threshold.min_reclaim)
    return report


def admission_report(conditions: Sequence[str], pod: Object) -> AdmissionReport:
    """Report whether the kubelet admits a pod to a node with these pressure conditions."""
    rejection = pressure_rejection(conditions, pod)
    if rejection is None:
        return {"admit": True, "reason": "", "message": ""}
    return {"admit": False, "reason": rejection.reason, "message": rejection.message}
