"""The protection of pods from preemption by rules, one for each option."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.objects import annotations, condition_of
from podium.api.pods import priority_class_of
from podium.api.values.quantity import INT64_MAX
from podium.api.values.times import NANOS_PER_SECOND, duration_seconds, epoch_s
from podium.scheduler.config.scheduler_options import (
    EVERY,
    MinimumRunTime,
    NeverPreempt,
    PreemptionProtection,
    RepeatedVictims,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.preemption.policies.preemption_rates import PreemptionRates
from podium.scheduler.preemption.policy import Objection, PreemptionPolicy, before
from podium.scheduler.preemption.victim_order import Integers
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.log import Log
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
    """A period in which a pod may not be preempted."""

    reason: str
    """The end of a sentence that begins with "the pod may not be preempted: "."""
    until_s: float = FOR_EVER
    """The end of the period, in seconds since the epoch; `FOR_EVER` if it has none."""
    below: int = EVERYBODY
    """The pod is protected from preemptors of lower priority; `EVERYBODY` for all."""

    def holds(self, priority: int, now_s: float) -> bool:
        """Whether the pod is protected from a preemptor of a priority at `now_s`."""
        return priority < self.below and now_s < self.until_s


_UNPROTECTED = ProtectionPeriod("", -math.inf, 0)

ProtectionRule = Callable[[PodInfo], ProtectionPeriod | None]
"""Returns the period in which a placed pod is protected; None if it isn't protected."""


def rules_of(
    options: PreemptionProtection,
    listers: Listers,
    history: VictimHistory,
    rates: PreemptionRates | None,
) -> list[ProtectionRule]:
    """Make the rules that the options enable."""
    rules: list[ProtectionRule] = []
    if options.minimum_run_times or options.annotated_run_time_max_s:
        by_class, annotated_max_s = options.minimum_run_times, options.annotated_run_time_max_s
        rules.append(partial(minimum_run_time, by_class, annotated_max_s))
    if options.toleration:
        rules.append(partial(toleration, listers))
    if options.never is not None:
        rules.append(partial(never, options.never))
    if options.repeated_victims is not None:
        rules.append(partial(repeated_victim, options.repeated_victims, history))
    if rates is not None:
        rules.append(partial(rate, rates))
    return rules


def minimum_run_time(
    by_class: Sequence[MinimumRunTime], annotated_max_s: float, pod: PodInfo
) -> ProtectionPeriod | None:
    """Protect a pod until it has run for the minimum time of its class or annotation."""
    accepted = (priority_class_of(pod.obj), EVERY)
    named = (entry.duration_s for entry in by_class if entry.priority_class in accepted)
    asked_s = duration_seconds(annotations(pod.obj).get(MINIMUM_RUN_TIME, "0")) or 0.0
    wanted_s = max(next(named, 0.0), min(asked_s, annotated_max_s))
    if not wanted_s:
        return None
    started = pod.start_ns
    until_s = FOR_EVER if started is None else started / NANOS_PER_SECOND + wanted_s
    return ProtectionPeriod(f"it has to run for {wanted_s:g} s first", until_s)


def toleration(listers: Listers, pod: PodInfo) -> ProtectionPeriod | None:
    """Protect a pod by annotations of its PriorityClass: PreemptionToleration of scheduler-plugins.

    The pod is protected from preemptors below the minimum preemptable priority (default: one
    above the class's own value) for toleration-seconds after it was scheduled (default: 0; for
    ever if negative). An annotation that isn't a number is ignored.
    """
    priority_class = listers.get("PriorityClass", priority_class_of(pod.obj)) or {}
    noted = annotations(priority_class)
    if not {MINIMUM_PREEMPTABLE_PRIORITY, TOLERATION_SECONDS} & {*noted}:
        return None
    default = int(priority_class.get("value") or 0) + 1
    below = _integer(noted, MINIMUM_PREEMPTABLE_PRIORITY, default)
    seconds = _integer(noted, TOLERATION_SECONDS, 0)
    reason = f"its PriorityClass tolerates no preemption by priorities below {below}"
    scheduled = condition_of(pod.obj, "PodScheduled") or {}
    if seconds < 0 or scheduled.get("status") != "True":
        return ProtectionPeriod(reason, FOR_EVER, below)
    at_s = epoch_s(scheduled["lastTransitionTime"])
    return ProtectionPeriod(f"{reason} for {seconds} s", at_s + seconds, below)


def never(options: NeverPreempt, pod: PodInfo) -> ProtectionPeriod | None:
    """Protect an annotated pod for ever, if options allow its PriorityClass and namespace."""
    noted = annotations(pod.obj)
    asks = noted.get(NEVER_PREEMPT) == "true" or (
        options.safe_to_evict and noted.get(SAFE_TO_EVICT) == "false"
    )
    may_ask = priority_class_of(pod.obj) in options.priority_classes and (
        not options.namespaces or pod.namespace in options.namespaces
    )
    return ProtectionPeriod("it asks never to be preempted") if asks and may_ask else None


def repeated_victim(
    options: RepeatedVictims, history: VictimHistory, pod: PodInfo
) -> ProtectionPeriod | None:
    """Protect a pod that replaces pods preempted too often in a window, until the window ends."""
    times, within_s = options.times, options.within_s
    moments = history.moments(pod)[-times:]
    if len(moments) < times or moments[-1] - moments[0] > within_s:
        return None
    reason = f"it has been preempted {times} times within {within_s:g} s"
    return ProtectionPeriod(reason, moments[0] + within_s)


def rate(rates: PreemptionRates, pod: PodInfo) -> ProtectionPeriod | None:
    """Protect a pod whose namespace and class have had as many victims as a rate allows."""
    objection = rates.objection_to(pod)
    return None if objection is None else ProtectionPeriod(objection.reason, objection.until_s)


def _integer(noted: Mapping[str, str], annotation: str, default: int) -> int:
    try:
        return int(noted[annotation])
    except (KeyError, ValueError):
        return default


class ProtectedPods(PreemptionPolicy):
    """The present protection of all pods; implements `Protection`.

    A pod is protected if any rule protects it. If some rule depends on `rates`, all pods are
    checked again when their epoch changes.
    """

    def __init__(
        self, handle: Handle, rules: Sequence[ProtectionRule], rates: PreemptionRates | None
    ) -> None:
        self.protection = self
        self.log: Log[int] = Log()
        """The rows of pods whose protection has changed, also because a period has ended."""
        self._rules = rules
        self._snapshot = snapshot = handle.snapshot
        self._listers = handle.listers
        self._rates = rates
        self._clock = handle.clock
        self._changes = snapshot.log.cursor()
        self._restarts = snapshot.restarts.cursor()
        self._state: tuple[object, ...] = ()
        self._checked_s = -math.inf
        self._until_s: NDArray[np.float64] = np.zeros((len(rules), 0))
        self._below: Integers = np.zeros((len(rules), 0), np.int64)

    def update(self) -> None:
        snapshot, rates = self._snapshot, self._rates
        missing = len(snapshot.pods.rows) - self._until_s.shape[1]
        if missing > 0:
            room = ((0, 0), (0, missing))
            self._until_s = np.pad(self._until_s, room, constant_values=-math.inf)
            self._below = np.pad(self._below, room)
        state = (self._listers.epoch, snapshot.node_epoch, 0 if rates is None else rates.epoch)
        changes, restarted = self._changes.new(), self._restarts.new()
        if state != self._state or changes is None or restarted is None:
            self._state = state
            stale = [*snapshot.row_of.values()]
        else:
            stale = sorted({*(row for row, _, _ in changes), *restarted})
        for row in stale:
            for pod in snapshot.pods_on[row]:
                for number, rule in enumerate(self._rules):
                    period = rule(pod) or _UNPROTECTED
                    self._until_s[number, pod.slot] = period.until_s
                    self._below[number, pod.slot] = period.below
        before_s, self._checked_s = self._checked_s, self._clock.now_s
        has_ended = (self._until_s > before_s) & (self._until_s <= self._checked_s)
        if has_ended.any():
            rows = np.unique(snapshot.pods.rows[has_ended.any(axis=0)])
            stale = [*rows[rows >= 0].tolist(), *stale]
        for row in stale:
            self.log.append(row)

    def protects(self, pod: PodInfo, priority: int) -> bool:
        return any(period.holds(priority, self._clock.now_s) for period in self._of(pod))

    def protected(self, slots: Integers, priority: int) -> Mask:
        until_s, below = self._until_s[:, slots], self._below[:, slots]
        held: Mask = np.logical_or.reduce((until_s > self._clock.now_s) & (below > priority))
        return held

    def protected_on(self, rows: Rows, pod: PodInfo) -> list[Objection]:
        """Return an objection for each protected pod on `rows`, int[n], the earliest to end first.

        The objection of a pod has the reason of the rule that protects it for longest.
        """
        now_s, protections = self._clock.now_s, list[tuple[float, str, str]]()
        for row in rows.tolist():
            for one in self._snapshot.pods_on[row]:
                holding = [period for period in self._of(one) if period.holds(pod.priority, now_s)]
                if holding and one.priority < pod.priority:
                    longest = max(holding, key=lambda period: period.until_s)
                    protections.append((longest.until_s, one.key, longest.reason))
        return [
            Objection(f"{key} may not be preempted{before(until_s)}: {reason}", until_s)
            for until_s, key, reason in sorted(protections, key=lambda protection: protection[:2])
        ]

    def _of(self, pod: PodInfo) -> list[ProtectionPeriod]:
        return [period for rule in self._rules if (period := rule(pod)) is not None]
