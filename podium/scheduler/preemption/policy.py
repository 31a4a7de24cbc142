"""The protocol of policies that change preemption; Kubernetes has no such policies.

They are in `policies/`; `policies/enabled_policies.py` makes those that options enable.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

import msgspec

from podium.api.values.message_words import and_more
from podium.api.values.times import timestamp
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import Held
from podium.scheduler.preemption.dry_run import DryRun
from podium.scheduler.preemption.victim_table import Protection
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.pod_info import PodInfo

T = TypeVar("T")

_REASONS_MAX = 3


class Objection(msgspec.Struct, frozen=True):
    """A reason why potential victims may not be preempted."""

    reason: str
    """A sentence without its full stop."""
    until_s: float = math.inf
    """When the reason may no longer hold, in seconds since the epoch; infinity if not known."""
    budget: str = ""
    """The PodDisruptionBudget that is the reason, `namespace/name`; empty if none is."""


class PreemptionPolicy:
    """A policy of preemption; the default methods leave preemption unchanged."""

    protection: Protection | None = None
    """The protection of single pods; None if the policy protects none."""

    def ineligible(self, pod: PodInfo) -> str:
        """Return why a pod may not preempt others; empty if it may."""
        return ""

    def wait(self, pod: PodInfo, filtered: NodeToStatus) -> Held | None:
        """Return what a pod has to wait for before it preempts; None if it needn't wait."""
        return None

    def update(self) -> None:
        """Update the policy's state; called before each dry run."""

    def extend(self, run: DryRun, pod: PodInfo, wanted: Mask) -> DryRun:
        """Return a dry run with more victims, or fewer candidates, on `wanted`, bool[nodes]."""
        return run

    def find(self, pod: PodInfo, evaluation: Evaluation) -> DryRun | None:
        """Return victims on several nodes for a pod that victims on single nodes don't help."""
        return None

    def objection(self, pod: PodInfo, victims: Sequence[PodInfo]) -> Objection | None:
        """Return why a candidate's victims may not be preempted together; None if they may."""
        return None

    def protected_on(self, rows: Rows, pod: PodInfo) -> Sequence[Objection]:
        """Return why `pod` may not preempt the protected pods on rows, int[n]."""
        return ()


class PreemptionPolicies(PreemptionPolicy):
    """All policies of a scheduler, of which the first result counts; false if there are none.

    `leaving` has the uids of earlier victims that still exist; they aren't checked again.
    """

    def __init__(self, policies: Sequence[PreemptionPolicy], leaving: Collection[str]) -> None:
        self._policies = policies
        self._leaving = leaving
        self.protection = _first(policy.protection for policy in policies)

    def __bool__(self) -> bool:
        return bool(self._policies)

    def ineligible(self, pod: PodInfo) -> str:
        return _first(policy.ineligible(pod) or None for policy in self._policies) or ""

    def wait(self, pod: PodInfo, filtered: NodeToStatus) -> Held | None:
        return _first(policy.wait(pod, filtered) for policy in self._policies)

    def update(self) -> None:
        for policy in self._policies:
            policy.update()

    def extend(self, run: DryRun, pod: PodInfo, wanted: Mask) -> DryRun:
        for policy in self._policies:
            run = policy.extend(run, pod, wanted)
        return run

    def find(self, pod: PodInfo, evaluation: Evaluation) -> DryRun | None:
        return _first(policy.find(pod, evaluation) for policy in self._policies)

    def objection(self, pod: PodInfo, victims: Sequence[PodInfo]) -> Objection | None:
        """Return why victims may not be preempted; victims that are leaving already may."""
        if not self._policies:
            return None
        taken = [v for v in victims if not v.cls.terminating and v.uid not in self._leaving]
        return _first(policy.objection(pod, taken) for policy in self._policies)

    def protected_on(self, rows: Rows, pod: PodInfo) -> Sequence[Objection]:
        return [why for policy in self._policies for why in policy.protected_on(rows, pod)]

    def held(self, pod: PodInfo, rejected: Rows, objections: Iterable[Objection]) -> Held | None:
        """Return the reasons of policies for which a preemptor gets no node; None without reasons.

        They are `objections` to candidates' victims, and protected pods on `rejected` rows, int[n].
        """
        all_objections = [*objections, *self.protected_on(rejected, pod)]
        if not all_objections:
            return None
        reasons = [*dict.fromkeys(objection.reason for objection in all_objections)]
        shown = [*reasons[:_REASONS_MAX], *and_more(len(reasons) - _REASONS_MAX)]
        budgets = frozenset(objection.budget for objection in all_objections if objection.budget)
        until_s = min(objection.until_s for objection in all_objections)
        return Held("; ".join(shown), until_s, budgets)


def _first(answers: Iterable[T | None]) -> T | None:
    return next((answer for answer in answers if answer is not None), None)


def before(until_s: float) -> str:
    """Return the end of a sentence: ` before TIME`, or an empty text if the time is infinity."""
    return "" if until_s == math.inf else f" before {timestamp(math.ceil(until_s))}"
