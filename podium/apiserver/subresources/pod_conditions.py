"""Conditions of pods, set as kube-apiserver itself sets them."""

from typing import Any

from podium.api.objects import Object
from podium.api.times import timestamp


def with_pod_condition(status: Object, condition: Object, now_s: float) -> dict[str, Any]:
    """A pod's status with a condition set.

    Args:
        status: of a pod.
        condition: with its type and status; it replaces one of the same type.
        now_s: the time, in seconds since the epoch; it is noted if the status of the condition
            is another one than before.
    """
    conditions = list(status.get("conditions") or ())
    kind = condition["type"]
    place = next((i for i, one in enumerate(conditions) if one.get("type") == kind), None)
    since = None
    if place is not None and conditions[place].get("status") == condition["status"]:
        since = conditions[place].get("lastTransitionTime")
    new = {**condition, "lastProbeTime": None, "lastTransitionTime": since or timestamp(now_s)}
    if place is None:
        conditions.append(new)
    else:
        conditions[place] = new
    return {**status, "conditions": conditions}
