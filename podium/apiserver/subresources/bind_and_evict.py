"""Binding and eviction of pods, as in v1.36.

Whether the node of a binding exists and the pod fits isn't checked; the kubelet rejects pods that
don't fit. An eviction deletes a pod, unless that would violate a disruption budget.
"""

from collections.abc import Iterable

import msgspec

from podium.api import errors
from podium.api.conditions import with_condition
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    condition_of,
    is_terminating,
    metadata_of,
    name,
    part,
    spec_of,
    status_of,
)
from podium.api.pods import is_finished, is_ready, phase_of
from podium.api.policy.disruption_budgets import selects, with_disruption
from podium.api.policy.disruption_target import BY_EVICTION, DISRUPTION_TARGET
from podium.apiserver.refusals import conflict, internal
from podium.apiserver.verbs.delete import check_preconditions
from podium.apiserver.verbs.verb_options import DeleteOptions

_SCHEDULED = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
_PRECONDITION = (
    "StorageError: invalid object, Code: 4, Key: /registry/pods/{0}/{1}, ResourceVersion: 0, "
    "AdditionalErrorMsg: Precondition failed: {2} in precondition: {3}, {2} in object meta: {4}"
)


def check_binding(binding: Object) -> None:
    """Validate a Binding; raises RefusedError (500, as kube-apiserver)."""
    target, faults = part(binding, "target"), []
    if target.get("kind") not in (None, "", "Node"):
        faults.append(errors.unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not target.get("name"):
        faults.append(errors.FieldError("target.name", None, "", errors.ErrorKind.REQUIRED))
    if faults:
        raise internal(errors.aggregate(faults))


def bind(pod: Object, binding: Object, now_s: float) -> Object:
    """Return a pod with node, annotations and labels of a valid Binding; raises RefusedError."""
    metadata, spec, given = pod["metadata"], pod["spec"], metadata_of(binding)
    name, why = metadata["name"], ""
    for title, field in (("UID", "uid"), ("ResourceVersion", "resourceVersion")):
        if given.get(field) and given[field] != metadata[field]:
            namespace, current = metadata["namespace"], metadata[field]
            why = _PRECONDITION.format(namespace, name, title, given[field], current)
            raise conflict("pods", name, why)
    if metadata.get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        why = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    elif spec.get("schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise conflict("pods/binding", name, why)
    marks = {
        field: {**part(metadata, field), **given[field]}
        for field in ("annotations", "labels")
        if given.get(field)
    }
    status = dict(status_of(pod))
    status["conditions"] = with_condition(status.get("conditions"), _SCHEDULED, now_s)
    status.pop("nominatedNodeName", None)
    return {
        **pod,
        "metadata": {**metadata, **marks} if marks else metadata,
        "spec": {**spec, "nodeName": binding["target"]["name"]},
        "status": status,
    }


# The most evictions that the disruption controller may not have seen yet.
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
    """The writes of an eviction: a charged budget, the pod, and the options of its deletion."""

    budget: Object | None
    pod: Object
    delete_options: Object


def evict(pod: Object, budgets: Iterable[Object], eviction: Object, now_s: float) -> Evicted:
    """Grant the eviction of a pod, given the budgets of its namespace.

    Raises RefusedError: 429, the budget doesn't allow it or isn't processed yet; 500, several
    budgets select the pod; 403, the budget's status is unusable; 409, a precondition isn't met.
    """
    options = eviction.get("deleteOptions") or {}
    # A pod that doesn't count as healthy before the eviction isn't charged.
    is_free = is_finished(pod) or phase_of(pod) == "Pending" or is_terminating(pod)
    budget = None if is_free else _charged(pod, budgets, now_s)
    check_preconditions(KINDS["Pod"], pod["metadata"], DeleteOptions.of(options))
    status = dict(status_of(pod))
    status["conditions"] = with_condition(status.get("conditions"), _EVICTED, now_s)
    unconditional = {field: v for field, v in options.items() if field != "preconditions"}
    return Evicted(budget, {**pod, "status": status}, unconditional)


def _charged(pod: Object, budgets: Iterable[Object], now_s: float) -> Object | None:
    """Return the budget with a pod's disruption in its status; None if no budget is affected."""
    selecting = [budget for budget in budgets if selects(budget, pod)]
    if len(selecting) > 1:
        raise internal(
            "This pod has more than one PodDisruptionBudget, "
            "which the eviction subresource does not support."
        )
    if not selecting:
        return None
    budget = selecting[0]
    status, budget_name = status_of(budget), name(budget)
    if not is_ready(pod):
        # An unhealthy pod isn't charged if the policy says so, or if enough others are healthy.
        desired = status.get("desiredHealthy") or 0
        if spec_of(budget).get("unhealthyPodEvictionPolicy") == "AlwaysAllow" or (
            0 < desired <= (status.get("currentHealthy") or 0)
        ):
            return None
    if (status.get("observedGeneration") or 0) < (budget["metadata"].get("generation") or 0):
        why = f"The disruption budget {budget_name} is still being processed by the server."
        raise _too_many_requests(why, retry_after_s=10)
    if (status.get("disruptionsAllowed") or 0) < 0:
        raise _unusable(budget_name, "pdb disruptions allowed is negative")
    if len(part(status, "disruptedPods")) > DISRUPTED_PODS_MAX:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _unusable(budget_name, why)
    if status.get("disruptionsAllowed"):
        return with_disruption(budget, name(pod), now_s)
    needed, healthy = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
    condition = condition_of(budget, "DisruptionAllowed") or {}
    message = condition.get("message") if condition.get("status") == "False" else ""
    why = "does not allow evicting pods currently"
    if message and condition.get("reason") == "SyncFailed":
        # The counts are those of an earlier sync, and don't explain the refusal.
        why += f" because it failed sync: {message}"
    elif healthy <= needed:
        why = f"needs {needed} healthy pods and has {healthy} currently"
    elif message:
        why += f" ({condition.get('reason')}): {message}"
    raise _too_many_requests(f"The disruption budget {budget_name} {why}", None)


def _too_many_requests(why: str, retry_after_s: int | None) -> errors.RefusedError:
    causes = (errors.StatusCause("DisruptionBudget", why),)
    return errors.RefusedError(
        429, "TooManyRequests", _VIOLATION, causes=causes, retry_after_s=retry_after_s
    )


def _unusable(budget_name: str, why: str) -> errors.RefusedError:
    message = f'poddisruptionbudget.policy "{budget_name}" is forbidden: {why}'
    details = {"name": budget_name, "group": "policy", "kind": "poddisruptionbudget"}
    return errors.RefusedError(403, "Forbidden", message, details=details)
