"""Eviction: a pod goes, unless that would break a disruption budget.

The rules are those of the `eviction` subresource in v1.36. A budget is charged before the pod is
deleted, and both are told to the store at once, so that there is no eviction in between.
"""

from collections.abc import Iterable

import msgspec

from podium.api.conditions import with_condition
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, condition_of, is_terminating, name, part, spec_of, status_of
from podium.api.pods import is_finished, is_ready, phase_of
from podium.api.policy.disruption_budgets import selects, with_disruption
from podium.api.policy.disruption_target import BY_EVICTION, DISRUPTION_TARGET
from podium.api.refused import Cause, RefusedError
from podium.apiserver.refusals import internal
from podium.apiserver.verbs.delete import check_preconditions
from podium.apiserver.verbs.verb_options import DeleteOptions

# More evictions than this that the disruption controller hasn't seen yet are too many.
DISRUPTED_PODS_MAX = 2000

_EVICTED = {
    "type": DISRUPTION_TARGET,
    "status": "True",
    "lastProbeTime": None,
    "reason": BY_EVICTION.reason,
    "message": "Eviction API: evicting",
}
_VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget."


class Evicted(msgspec.Struct, frozen=True):
    """The writes that evict a pod.

    Attributes:
        budget: the budget that pays, with the disruption in its status; None if none does.
        delete_options: DeleteOptions (meta/v1) to delete it with; their preconditions are met.
    """

    budget: Object | None
    pod: Object
    delete_options: Object


def evict(pod: Object, budgets: Iterable[Object], eviction: Object, now_s: float) -> Evicted:
    """Grant an eviction of a pod in whose namespace there are these budgets.

    Raises:
        RefusedError: 429, the budget doesn't allow it, or hasn't been looked at since its change;
            500, several budgets select the pod; 409, the options are about another pod.
    """
    options = eviction.get("deleteOptions") or {}
    # A pod that is missing already, or hasn't been there yet, costs no budget.
    is_free = is_finished(pod) or phase_of(pod) == "Pending" or is_terminating(pod)
    budget = None if is_free else _charged(pod, budgets, now_s)
    check_preconditions(KINDS["Pod"], pod["metadata"], DeleteOptions.of(options))
    status = dict(status_of(pod))
    status["conditions"] = with_condition(status.get("conditions"), _EVICTED, now_s)
    unconditional = {field: v for field, v in options.items() if field != "preconditions"}
    return Evicted(budget, {**pod, "status": status}, unconditional)


def _charged(pod: Object, budgets: Iterable[Object], now_s: float) -> Object | None:
    """The budget with the pod's disruption, if there is one and it has to pay."""
    selecting = [budget for budget in budgets if selects(budget, pod)]
    if len(selecting) > 1:
        raise internal(
            "This pod has more than one PodDisruptionBudget, "
            "which the eviction subresource does not support."
        )
    if not selecting:
        return None
    budget = selecting[0]
    status, called = status_of(budget), name(budget)
    if not is_ready(pod):
        # It goes without counting where the policy says so, or enough others are healthy.
        desired = status.get("desiredHealthy") or 0
        if spec_of(budget).get("unhealthyPodEvictionPolicy") == "AlwaysAllow" or (
            0 < desired <= (status.get("currentHealthy") or 0)
        ):
            return None
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        why = f"The disruption budget {called} is still being processed by the server."
        raise _too_many_requests(why, retry_after_s=10)
    if (status.get("disruptionsAllowed") or 0) < 0:
        raise _unusable(called, "pdb disruptions allowed is negative")
    if len(part(status, "disruptedPods")) > DISRUPTED_PODS_MAX:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _unusable(called, why)
    if not status.get("disruptionsAllowed"):
        raise _too_many_requests(f"The disruption budget {called} {_refusal(budget)}", None)
    return with_disruption(budget, name(pod), now_s)


def _refusal(budget: Object) -> str:
    status = status_of(budget)
    needed, there = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
    condition = condition_of(budget, "DisruptionAllowed") or {}
    message = condition.get("message") if condition.get("status") == "False" else ""
    refusal = "does not allow evicting pods currently"
    if message and condition.get("reason") == "SyncFailed":
        # Counts of an earlier sync don't say why.
        return f"{refusal} because it failed sync: {message}"
    if there <= needed:
        return f"needs {needed} healthy pods and has {there} currently"
    return f"{refusal} ({condition.get('reason')}): {message}" if message else refusal


def _too_many_requests(why: str, retry_after_s: int | None) -> RefusedError:
    causes = (Cause("DisruptionBudget", why),)
    return RefusedError(
        429, "TooManyRequests", _VIOLATION, causes=causes, retry_after_s=retry_after_s
    )


def _unusable(called: str, why: str) -> RefusedError:
    message = f'poddisruptionbudget.policy "{called}" is forbidden: {why}'
    details = {"name": called, "group": "policy", "kind": "poddisruptionbudget"}
    return RefusedError(403, "Forbidden", message, details=details)
