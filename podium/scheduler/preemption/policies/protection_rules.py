"""The rules that protect pods from preemption though their priority is lower, one an option."""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from podium.api.objects import annotations, condition_of
from podium.api.pods import priority_class_of
from podium.api.values.durations import duration_seconds
from podium.api.values.quantity import INT64_MAX
from podium.api.values.times import NANOS_PER_SECOND, epoch_s
from podium.scheduler.config.scheduler_options import (
    EVERY,
    MinimumRunTime,
    NeverPreempt,
    PreemptionProtection,
    RepeatedVictims,
)
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.preemption.policies.preemption_rates import PreemptionRates
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo

MINIMUM_RUN_TIME = "podium.dev/minimum-run-time"
NEVER_PREEMPT = "podium.dev/never-preempt"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_TOLERATION = "preemption-toleration.scheduling.x-k8s.io/"
MINIMUM_PREEMPTABLE_PRIORITY = f"{_TOLERATION}minimum-preemptable-priority"
TOLERATION_SECONDS = f"{_TOLERATION}toleration-seconds"


FOR_EVER = math.inf
EVERYBODY = INT64_MAX


class ProtectionPeriod(msgspec.Struct, frozen=True):
    """For how long a pod may not be preempted, by which preemptors, and why.

    Attributes:
        reason: in words that go on from "the pod may not be preempted: ".
        until_s: up to this moment, in seconds since the epoch; `FOR_EVER`.
        below: by pods of a lower priority than this; `EVERYBODY`.
    """

    reason: str
    until_s: float = FOR_EVER
    below: int = EVERYBODY

    def holds(self, priority: int, now_s: float) -> bool:
        """Whether a preemptor of a priority may not preempt the pod now."""
        return priority < self.below and now_s < self.until_s


ProtectionRule = Callable[[PodInfo], ProtectionPeriod | None]
"""A rule: how it protects a pod on a node; None if it doesn't."""


def rules_of(
    options: PreemptionProtection,
    listers: Listers,
    history: VictimHistory,
    rates: PreemptionRates | None,
) -> list[ProtectionRule]:
    """The rules that the options switch on."""
    rules: list[ProtectionRule] = []
    if options.minimum_run_times or options.annotated_run_time_max_s:
        rules.append(
            MinimumRunTimeRule(options.minimum_run_times, options.annotated_run_time_max_s)
        )
    if options.toleration:
        rules.append(TolerationRule(listers))
    if options.never is not None:
        rules.append(NeverRule(options.never))
    if options.repeated_victims is not None:
        rules.append(RepeatedVictimsRule(options.repeated_victims, history))
    if rates is not None:
        rules.append(RateRule(rates))
    return rules


class MinimumRunTimeRule:
    """Protects a pod until it has run for some time."""

    def __init__(self, by_class: Sequence[MinimumRunTime], annotated_max_s: float) -> None:
        self._by_class = by_class
        self._annotated_max_s = annotated_max_s

    def __call__(self, pod: PodInfo) -> ProtectionPeriod | None:
        accepted = (priority_class_of(pod.obj), EVERY)
        named = (one.duration_s for one in self._by_class if one.priority_class in accepted)
        asked_s = duration_seconds(annotations(pod.obj).get(MINIMUM_RUN_TIME, "0")) or 0.0
        wanted_s = max(next(named, 0.0), min(asked_s, self._annotated_max_s))
        if not wanted_s:
            return None
        reason = f"it has to run for {wanted_s:g} s first"
        started = pod.start_ns
        return ProtectionPeriod(
            reason, FOR_EVER if started is None else started / NANOS_PER_SECOND + wanted_s
        )


class TolerationRule:
    """PreemptionToleration of scheduler-plugins: a PriorityClass says what its pods tolerate.

    Preemptors below the minimum preemptable priority, by default one above the class's own, have
    to wait for toleration-seconds after the pod was scheduled: 0 by default, for ever if negative.
    An annotation that isn't a number is as if it weren't there.
    """

    def __init__(self, listers: Listers) -> None:
        self._listers = listers

    def __call__(self, pod: PodInfo) -> ProtectionPeriod | None:
        found = self._listers.get("PriorityClass", priority_class_of(pod.obj))
        noted = {} if found is None else annotations(found)
        if found is None or not {MINIMUM_PREEMPTABLE_PRIORITY, TOLERATION_SECONDS} & {*noted}:
            return None
        below = _integer(noted, MINIMUM_PREEMPTABLE_PRIORITY, int(found.get("value") or 0) + 1)
        seconds = _integer(noted, TOLERATION_SECONDS, 0)
        reason = f"its PriorityClass tolerates no preemption by priorities below {below}"
        if seconds < 0:
            return ProtectionPeriod(reason, FOR_EVER, below)
        scheduled = condition_of(pod.obj, "PodScheduled")
        if scheduled is None or scheduled.get("status") != "True":
            return ProtectionPeriod(reason, FOR_EVER, below)
        at_s = epoch_s(scheduled["lastTransitionTime"])
        return ProtectionPeriod(f"{reason} for {seconds} s", at_s + seconds, below)


class NeverRule:
    """Protects a pod for ever whose annotation asks for it, if its class and namespace may ask."""

    def __init__(self, options: NeverPreempt) -> None:
        self._options = options

    def __call__(self, pod: PodInfo) -> ProtectionPeriod | None:
        noted, options = annotations(pod.obj), self._options
        asks = noted.get(NEVER_PREEMPT) == "true"
        if not asks and options.safe_to_evict:
            asks = noted.get(SAFE_TO_EVICT) == "false"
        may_ask = priority_class_of(pod.obj) in options.priority_classes and (
            not options.namespaces or pod.namespace in options.namespaces
        )
        return ProtectionPeriod("it asks never to be preempted") if asks and may_ask else None


class RepeatedVictimsRule:
    """Protects a pod that was preempted often enough within a window, until the window ends."""

    def __init__(self, options: RepeatedVictims, history: VictimHistory) -> None:
        self._options = options
        self._history = history

    def __call__(self, pod: PodInfo) -> ProtectionPeriod | None:
        times, within_s = self._options.times, self._options.within_s
        moments = self._history.moments(pod)[-times:]
        if len(moments) < times:
            return None
        if moments[-1] - moments[0] > within_s:
            return None
        reason = f"it has been preempted {times} times within {within_s:g} s"
        return ProtectionPeriod(reason, moments[0] + within_s)


class RateRule:
    """Protects the pods of which no more may be preempted at the moment."""

    def __init__(self, rates: PreemptionRates) -> None:
        self._rates = rates

    def __call__(self, pod: PodInfo) -> ProtectionPeriod | None:
        objection = self._rates.objection_to(pod)
        return None if objection is None else ProtectionPeriod(objection.reason, objection.until_s)


def _integer(noted: Mapping[str, str], annotation: str, default: int) -> int:
    try:
        return int(noted[annotation])
    except (KeyError, ValueError):
        return default
