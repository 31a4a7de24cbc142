"""The protocol by which policies change preemption; Kubernetes has no policies.

Nothing here knows any policy: `policies/` has them, and `policies/enabled_policies.py` makes those
that options ask for. Without any, preemption is kube-scheduler's.
"""

import math
from collections.abc import Collection, Iterable, Sequence

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

_REASONS_MAX = 3


class Objection(msgspec.Struct, frozen=True):
    """Why pods may not be preempted that preemption would take.

    Attributes:
        reason: a sentence without its full stop.
        until_s: when it may no longer hold, in seconds since the epoch; infinity if no time is
            known.
        budget: `namespace/name` of the PodDisruptionBudget that objects; empty if none does.
    """

    reason: str
    until_s: float = math.inf
    budget: str = ""


class PreemptionPolicy:
    """A policy; each method, unless a policy overrides it, changes nothing.

    Attributes:
        protection: of single pods; None if the policy protects none.
    """

    protection: Protection | None = None

    def ineligible(self, pod: PodInfo) -> str:
        """Return why a pod may not preempt others; empty if it may."""
        return ""

    def wait(self, pod: PodInfo, filtered: NodeToStatus) -> Held | None:
        """Return what a pod waits for before victims are looked for; None if it need not wait."""
        return None

    def update(self) -> None:
        """Follow what has changed; called before each dry run."""

    def extend(self, run: DryRun, pod: PodInfo, wanted: Mask) -> DryRun:
        """Return a dry run with further victims, or fewer candidates, on rows, bool[nodes]."""
        return run

    def find(self, pod: PodInfo, evaluation: Evaluation) -> DryRun | None:
        """Return other victims for a pod that preemption of single nodes' pods doesn't help."""
        return None

    def objection(self, pod: PodInfo, victims: Sequence[PodInfo]) -> Objection | None:
        """Return why the victims of a candidate, as a set, may not be taken; None if they may."""
        return None

    def protected_on(self, rows: Rows, pod: PodInfo) -> Sequence[Objection]:
        """Return, for the protected pods on rows, int[n], why `pod` may not preempt them."""
        return ()


class PreemptionPolicies:
    """The policies of a scheduler as one; false if there are none.

    Attributes:
        protection: of single pods; None if no policy protects any.

    Args:
        leaving: the uids of victims that haven't gone yet: no further preemption takes them.
    """

    def __init__(self, policies: Sequence[PreemptionPolicy], leaving: Collection[str]) -> None:
        self._policies = policies
        self._leaving = leaving
        protections = (one.protection for one in policies if one.protection is not None)
        self.protection = next(protections, None)

    def __bool__(self) -> bool:
        return bool(self._policies)

    def ineligible(self, pod: PodInfo) -> str:
        """Return the first policy's reason for which a pod may not preempt; empty if it may."""
        return next((why for one in self._policies if (why := one.ineligible(pod))), "")

    def wait(self, pod: PodInfo, filtered: NodeToStatus) -> Held | None:
        """Return what a pod waits for before victims are looked for; None if it need not wait."""
        held = (one.wait(pod, filtered) for one in self._policies)
        return next((one for one in held if one is not None), None)

    def update(self) -> None:
        """Follow what has changed; to be called before each dry run."""
        for policy in self._policies:
            policy.update()

    def extend(self, run: DryRun, pod: PodInfo, wanted: Mask) -> DryRun:
        """Return a dry run with the victims that go with others, on rows, bool[nodes]."""
        for policy in self._policies:
            run = policy.extend(run, pod, wanted)
        return run

    def find(self, pod: PodInfo, evaluation: Evaluation) -> DryRun | None:
        """Return other victims for a pod that preemption of single nodes' pods doesn't help."""
        found = (one.find(pod, evaluation) for one in self._policies)
        return next((one for one in found if one is not None), None)

    def objection(self, pod: PodInfo, victims: Iterable[PodInfo]) -> Objection | None:
        """Return why victims may not be taken; those that leave anyhow aren't taken."""
        if not self._policies:
            return None
        taken = [one for one in victims if not one.cls.terminating and one.uid not in self._leaving]
        found = (one.objection(pod, taken) for one in self._policies)
        return next((one for one in found if one is not None), None)

    def held(self, pod: PodInfo, rejected: Rows, objections: Iterable[Objection]) -> Held | None:
        """Return what holds a preemptor back that found no node; None if no policy does.

        Args:
            rejected: int[n], the rows where preemption doesn't help.
            objections: to the victims of candidates.
        """
        found = [*objections]
        for policy in self._policies:
            found += policy.protected_on(rejected, pod)
        if not found:
            return None
        reasons = [*dict.fromkeys(one.reason for one in found)]
        shown = [*reasons[:_REASONS_MAX], *and_more(len(reasons) - _REASONS_MAX)]
        budgets = frozenset(one.budget for one in found if one.budget)
        return Held("; ".join(shown), min(one.until_s for one in found), budgets)


def before(until_s: float) -> str:
    """The end of a sentence about what lasts until a moment; nothing if it lasts for ever."""
    return "" if until_s == math.inf else f" before {timestamp(math.ceil(until_s))}"
