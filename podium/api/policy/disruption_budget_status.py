"""What evictions and the disruption controller write into a budget's status besides numbers.

The rules are those of component-helpers' `poddisruptionbudget` package and of the eviction
subresource in v1.36.
"""

from podium.api.conditions import with_condition
from podium.api.objects import Object, condition_of, part
from podium.api.values.times import timestamp

DISRUPTION_ALLOWED = "DisruptionAllowed"
SYNC_FAILED = "SyncFailed"
"""The condition's reason where the disruption controller can't compute the budget."""


def with_disruption_allowed(status: Object, now_s: float) -> Object:
    """The status with its condition DisruptionAllowed as its number of disruptions has it."""
    allowed = (status.get("disruptionsAllowed") or 0) > 0
    condition = {
        "type": DISRUPTION_ALLOWED,
        "status": "True" if allowed else "False",
        "observedGeneration": status.get("observedGeneration") or 0,
        "reason": "SufficientPods" if allowed else "InsufficientPods",
        "message": "",
    }
    return {**status, "conditions": with_condition(status.get("conditions"), condition, now_s)}


def with_disruption(budget: Object, pod_name: str, now_s: float) -> Object:
    """A budget that allows disruptions with one fewer, for a pod that counts as gone now."""
    status = budget["status"]
    left = status["disruptionsAllowed"] - 1
    disrupted = {**part(status, "disruptedPods"), pod_name: timestamp(now_s)}
    status = {**status, "disruptionsAllowed": left, "disruptedPods": disrupted}
    return {**budget, "status": status if left else with_disruption_allowed(status, now_s)}


def sync_failure(budget: Object) -> str:
    """Return why the disruption controller can't compute a budget; empty if it can."""
    condition = condition_of(budget, DISRUPTION_ALLOWED) or {}
    is_failed = condition.get("reason") == SYNC_FAILED
    return str(condition.get("message") or SYNC_FAILED) if is_failed else ""
