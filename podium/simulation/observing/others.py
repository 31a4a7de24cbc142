"""What changes of budgets, workloads and events amount to."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.objects import Object
from podium.core.preemption.record import ANNOTATION
from podium.simulation.observing.entry import Fact

_NOTHING: Mapping[str, Any] = {}
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def budget_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """What has happened to a PodDisruptionBudget."""
    if new is None:
        yield Fact("BudgetGone")
        return
    if old is None:
        yield Fact("BudgetCreated")
    status, before = new.get("status") or _NOTHING, (old or _NOTHING).get("status") or _NOTHING
    counts = {count: status.get(count) or 0 for count in _COUNTS}
    seen = status.get("observedGeneration") and (
        not before.get("observedGeneration")
        or any(before.get(count, 0) != counts[count] for count in _COUNTS)
    )
    if seen:
        is_new = not before.get("observedGeneration")
        allowed_before = None if is_new else before.get(_COUNTS[0]) or 0
        yield Fact("BudgetChanged", {**counts, "allowedBefore": allowed_before})


def workload_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """What has happened to a Deployment, ReplicaSet, StatefulSet, DaemonSet or Job."""
    if new is None:
        yield Fact("WorkloadGone")
        return
    replicas = _spec(new).get("replicas")
    if old is None:
        yield Fact("WorkloadCreated", {} if replicas is None else {"replicas": replicas})
    elif replicas != _spec(old).get("replicas"):
        yield Fact("WorkloadScaled", {"replicas": replicas, "before": _spec(old).get("replicas")})


def event_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """What an Event tells; one that stands for repetitions is told once."""
    if new is None or old is not None:
        return
    regarding = new.get("involvedObject") or new.get("regarding") or _NOTHING
    details: dict[str, Any] = {
        "reason": new.get("reason") or "",
        "type": new.get("type") or "",
        "message": new.get("message") or new.get("note") or "",
        "regarding": {
            field: regarding[field] for field in ("kind", "namespace", "name") if field in regarding
        },
    }
    record = (new["metadata"].get("annotations") or _NOTHING).get(ANNOTATION)
    if record is not None:
        details["preemption"] = json.loads(record)
    yield Fact("Event", details)


def _spec(obj: Object) -> Object:
    spec: Object = obj.get("spec") or _NOTHING
    return spec
