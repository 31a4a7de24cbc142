"""Pods: what they start with, and what the kubelet and the scheduler may not change of them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from podium.api.objects import Object
from podium.api.qos import qos_class
from podium.apiserver.long_work import apart
from podium.apiserver.strategy.strategy import Creation, keep_spec, next_generation
from podium.apiserver.subresources.resize import resized

_GATED = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}


def create(pod: Object, _creation: Creation) -> Object:
    """A new pod: pending, in its QoS class, and marked if gates keep it."""
    status: dict[str, Any] = {"phase": "Pending"}
    if pod["spec"].get("schedulingGates"):
        status["conditions"] = [_GATED]
    status["qosClass"] = apart(qos_class, pod)
    return {**pod, "status": status}


def update_status(new: Object, old: Object, now_s: float) -> Object:
    """Only the status and harmless metadata; the QoS class and who owns the pod stay.

    Generations that a writer doesn't tell are kept, as some don't know the field.
    """
    new = _with_owners_of(keep_spec(new, old, now_s), old)
    status = new.get("status") or {}
    missing = _kept(status, old.get("status") or {})
    return {**new, "status": {**status, **missing}} if missing else new


def resize(new: Object, old: Object, _now_s: float) -> Object:
    """Only the resources of containers."""
    new = resized(new, old)
    return new if new["spec"] == old["spec"] else next_generation(new, old)


def _with_owners_of(new: Object, old: Object) -> Object:
    owners = old["metadata"].get("ownerReferences")
    if new["metadata"].get("ownerReferences") == owners:
        return new
    metadata = {name: v for name, v in new["metadata"].items() if name != "ownerReferences"}
    if owners:
        metadata["ownerReferences"] = owners
    return {**new, "metadata": metadata}


def _kept(status: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """What of the old status comes into the new one, which leaves it out."""
    kept = {
        field: old[field]
        for field in ("qosClass", "observedGeneration")
        if old.get(field) and not status.get(field)
    }
    generations = _observed_generations(old.get("conditions") or ())
    if generations and status.get("conditions") is not old.get("conditions"):
        conditions = status.get("conditions") or ()
        kept["conditions"] = [_observed(one, generations) for one in conditions]
    return kept


def _observed_generations(conditions: Any) -> Mapping[str, list[int]]:
    """The generations of the conditions of each type, in reverse; empty if no condition has one."""
    if not any(condition.get("observedGeneration") for condition in conditions):
        return {}
    found: dict[str, list[int]] = defaultdict(list)
    for condition in reversed(conditions):
        found[condition.get("type", "")].append(condition.get("observedGeneration") or 0)
    return found


def _observed(condition: Object, generations: Mapping[str, list[int]]) -> Object:
    left = generations.get(condition.get("type", ""))
    generation = left.pop() if left else 0
    if condition.get("observedGeneration") or not generation:
        return condition
    return {**condition, "observedGeneration": generation}
