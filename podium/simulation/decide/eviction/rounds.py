"""A sequence of rounds of one node's eviction manager.

A clock that only the record advances; pods that come and go; garbage collection that frees what
the record says. Whom the manager evicts is gone in the next round, unless `keepEvicted`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import Object, key, uid
from podium.api.values.durations import format_duration
from podium.api.values.times import NANOS_PER_SECOND
from podium.kubelet.eviction.eviction_manager import (
    EvictionManager,
    EvictionRound,
    SplitFilesystemError,
)
from podium.kubelet.eviction.filesystems import NodeReclaim
from podium.kubelet.eviction.node_statistics import Observation, PodUsage, Statistics
from podium.kubelet.eviction.pod_eviction import REASON
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.pod_admission import pressure_rejection
from podium.simulation.decide.eviction.eviction_answer import ThresholdReport
from podium.simulation.decide.eviction.question import Configuration, EvictionStep, Usage
from podium.simulation.decide.eviction.recorded_statistics import (
    merged_groups,
    observations,
    pod_usage,
    usage_key,
    with_shared_filesystems,
)

Json = dict[str, Any]

_CONDITION = "DisruptionTarget=True/TerminationByKubelet"
_GC_FIELDS = {
    NodeReclaim.CONTAINERS: "gc_reclaims_containers",
    NodeReclaim.IMAGES: "gc_reclaims_images",
}


class Rounds:
    """A node in the course of a record."""

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
        self._told: dict[str, Usage | None] = {}
        self._now_s = 0.0
        self._count_steps = 0

    def step(self, step: EvictionStep, added: list[Object]) -> Json:
        self._now_s += step.advance
        self._groups = merged_groups(self._groups, step.node)
        self._pods.update((key(pod), pod) for pod in added)
        for called in step.remove_pods:
            self._pods.pop(usage_key(called), None)
        for called, told in step.usage.items():
            self._told[usage_key(called)] = told
        # Each step measures anew, even if no time has passed since the last one.
        self._count_steps += 1
        for group in () if step.stale is True else self._groups:
            if group not in (step.stale or ()):
                self._times_s[group] = float(self._count_steps)
        try:
            round_ = self._manager.look(self._statistics(), list(self._pods.values()), self._now_s)
        except SplitFilesystemError as error:
            return {**self._answer(EvictionRound()), "error": str(error)}
        reclaims = round_.reclaims
        if reclaims:
            # What is observed once garbage collection has run; that it failed changes nothing.
            before = self._groups
            for field in ("gc_reclaims", *(_GC_FIELDS[reclaim] for reclaim in reclaims)):
                self._groups = merged_groups(self._groups, getattr(step, field))
            found = self._observations()
            self._groups = before
            round_ = self._manager.conclude(round_, found)
        answer = self._answer(round_)
        answer["imageGC"] = NodeReclaim.IMAGES in reclaims
        answer["containerGC"] = NodeReclaim.CONTAINERS in reclaims
        if not self._keeps_evicted:
            for eviction in round_.evictions:
                del self._pods[key(eviction.pod)]
        return answer

    def admit(self, pods: list[Object]) -> Json:
        return {key(pod): admission_report(self._manager.conditions, pod) for pod in pods}

    def _observations(self) -> dict[Signal, Observation]:
        if not self._shares:
            return observations(self._groups, self._times_s)
        filesystems = self._config.filesystems
        return observations(
            with_shared_filesystems(self._groups, filesystems),
            with_shared_filesystems(self._times_s, filesystems),
        )

    def _statistics(self) -> Statistics:
        usage: dict[str, PodUsage] = {}
        for called, pod in self._pods.items():
            told = self._told.get(called)
            if told is not None:
                usage[uid(pod)] = pod_usage(pod, told)
        return Statistics(self._observations(), usage)

    def _answer(self, round_: EvictionRound) -> Json:
        answer: Json = {
            "evicted": "",
            "gracePeriodOverride": None,
            "conditions": self._manager.conditions,
            "imageGC": False,
            "containerGC": False,
            "thresholdsMet": [threshold_report(one) for one in self._manager.met],
            "thresholdsObserved": [
                {**threshold_report(one), "observedFor": self._lasted(at_s)}
                for one, at_s in sorted(self._manager.since.items(), key=lambda it: it[0].order)
            ],
        }
        if round_.reclaiming:
            answer["reclaiming"] = round_.reclaiming
        if round_.evictions:
            answer |= _evictions_json(round_)
        return answer

    def _lasted(self, since_s: float) -> str:
        return format_duration(round((self._now_s - since_s) * NANOS_PER_SECOND))


def threshold_report(one: Threshold) -> ThresholdReport:
    """A threshold as records have it."""
    answer: ThresholdReport = {"signal": one.signal, "value": str(one.value), "hard": one.is_hard}
    if one.is_set:
        answer["operator"] = "LessThan"
    # Whether it is a percentage above zero; one that is no number doesn't count.
    if one.value.quantity is None and one.value.share > 0:
        answer["percentage"] = one.value.share
    if not one.is_hard:
        answer["gracePeriod"] = format_duration(round(one.grace_period_s * NANOS_PER_SECOND))
    if one.min_reclaim is not None:
        answer["minReclaim"] = str(one.min_reclaim)
    return answer


def admission_report(conditions: Sequence[str], pod: Object) -> Json:
    """Whether a node in these conditions takes a pod."""
    objection = pressure_rejection(conditions, pod)
    if objection is None:
        return {"admit": True, "reason": "", "message": ""}
    return {"admit": False, "reason": objection.reason, "message": objection.message}


def _evictions_json(round_: EvictionRound) -> Json:
    first = round_.evictions[0]
    answer: Json = {
        "evicted": key(first.pod),
        "gracePeriodOverride": first.grace_period_s,
        "message": first.message,
        "reason": REASON,
    }
    if len(round_.evictions) > 1:
        answer["evictedAll"] = sorted(key(one.pod) for one in round_.evictions)
    if first.disrupts:
        answer["podConditions"] = [_CONDITION]
    if first.annotations:
        answer["annotations"] = dict(first.annotations)
    return answer
