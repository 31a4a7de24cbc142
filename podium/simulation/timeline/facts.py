"""The entries of a timeline, and the facts in changes of objects."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from podium.api.nodes import PRESSURES, is_cordoned, taint_text, taints_of
from podium.api.objects import (
    Object,
    condition_of,
    controller_of,
    entries,
    holds,
    is_terminating,
    name,
    spec_of,
    status_of,
)
from podium.api.pods import completion_index, is_ready, node_name_of
from podium.api.policy.disruption_budgets import sync_failure
from podium.api.policy.disruption_target import disruption_reason
from podium.api.workloads import foreign_controller
from podium.controllers.deployment.deployment_controller import TIMED_OUT
from podium.controllers.node_lifecycle.zones import Zone, Zones
from podium.scheduler.preemption.record import written_record

_NOTHING: Mapping[str, Any] = {}
WARNING_CONDITIONS = (*PRESSURES, "NetworkUnavailable")
_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


class TimelineEntry(msgspec.Struct, frozen=True):
    """Something that happened in a cluster, and the object to which it happened, if any."""

    at_s: float
    """When it happened, in seconds since the start."""
    type: str
    """What happened, such as `PodBound`; `timeline_sentences.py` lists all types."""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    by: str = ""
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """JSON values that depend on the type."""
    uid: str = ""


class Fact(msgspec.Struct, frozen=True):
    """The type and details of an entry, as found in a change of an object."""

    type: str
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)


def node_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """Yield the facts in a change of a node; `old` is None if created, `new` if deleted."""
    if new is None:
        yield Fact("NodeGone")
        return
    if old is None:
        yield Fact("NodeCreated")
    old = old or _NOTHING
    ready, message = _status(new, "Ready")
    if ready and ready != _status(old, "Ready")[0]:
        types = {"True": "NodeReady", "False": "NodeNotReady", "Unknown": "NodeUnknown"}
        yield Fact(types[ready], {"message": message})
    for kind in WARNING_CONDITIONS:
        before, now = _status(old, kind)[0] == "True", _status(new, kind)[0] == "True"
        if before != now:
            yield Fact("NodeCondition", {"condition": kind, "status": str(now)})
    if is_cordoned(new) != is_cordoned(old):
        yield Fact("NodeCordoned" if is_cordoned(new) else "NodeUncordoned")
    earlier, later = ([*map(taint_text, taints_of(node))] for node in (old, new))
    for taint in dict.fromkeys(taint for taint in later if taint not in earlier):
        yield Fact("NodeTainted", {"taint": taint})
    for taint in dict.fromkeys(taint for taint in earlier if taint not in later):
        yield Fact("NodeUntainted", {"taint": taint})


def _status(obj: Object, kind: str) -> tuple[str, str]:
    condition = condition_of(obj, kind) or _NOTHING
    return condition.get("status") or "", condition.get("message") or ""


def budget_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """Yield the facts in a change of a PodDisruptionBudget."""
    if new is None:
        yield Fact("BudgetGone")
        return
    if old is None:
        yield Fact("BudgetCreated")
    status, before = status_of(new), status_of(old or _NOTHING)
    counts = {count: status.get(count) or 0 for count in _COUNTS}
    is_new = not before.get("observedGeneration")
    has_changed = is_new or any(before.get(count, 0) != counts[count] for count in _COUNTS)
    if status.get("observedGeneration") and has_changed:
        allowed_before = None if is_new else before.get(_COUNTS[0]) or 0
        yield Fact("BudgetChanged", {**counts, "allowedBefore": allowed_before})
    failure = sync_failure(new)
    if failure and failure != sync_failure(old or _NOTHING):
        yield Fact("BudgetSyncFailed", {"message": failure})


def workload_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """Yield the facts in a change of a Deployment, ReplicaSet, StatefulSet, DaemonSet or Job."""
    if new is None:
        yield Fact("WorkloadGone")
        return
    replicas, is_job = spec_of(new).get("replicas"), new.get("kind") == "Job"
    if old is None:
        details: dict[str, Any] = {} if replicas is None else {"replicas": replicas}
        if is_job and (controller := foreign_controller(new)):
            idle = f"{controller}, which spec.managedBy names, makes them and isn't played"
            details["idle"] = idle
        elif is_job and spec_of(new).get("suspend"):
            details["idle"] = "it is suspended"
        yield Fact("WorkloadCreated", details)
    elif replicas != spec_of(old).get("replicas"):
        yield Fact("WorkloadScaled", {"replicas": replicas, "before": spec_of(old).get("replicas")})
    old = old or _NOTHING
    was_stuck, is_stuck = (
        (condition_of(obj, "Progressing") or _NOTHING).get("reason") == TIMED_OUT
        for obj in (old, new)
    )
    if is_stuck and not was_stuck:
        yield Fact("RolloutStuck", {"message": _status(new, "Progressing")[1]})
    if is_job:
        failure = failure_of(new)
        if failure is not None and failure_of(old) is None:
            yield Fact("JobFailed", {key: failure.get(key) or "" for key in ("reason", "message")})
        before, failed = (status_of(job).get("failedIndexes") or "" for job in (old, new))
        if failed != before:
            yield Fact("JobIndexesFailed", {"indexes": failed, "before": before})


def failure_of(job: Object) -> Object | None:
    """Return the condition by which a Job has failed, or will fail once its pods terminate."""
    failed = (kind for kind in ("FailureTarget", "Failed") if holds(job, kind))
    return next((condition_of(job, kind) for kind in failed), None)


def event_facts(old: Object | None, new: Object | None) -> Iterator[Fact]:
    """Yield the fact in a new Event, but none if its count is increased."""
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
    if record := written_record(new):
        details["preemption"] = msgspec.to_builtins(record)
    yield Fact("Event", details)


class NodeFacts:
    """Yields the facts in changes of nodes, and when evictions in a zone stop or resume."""

    def __init__(self, nodes: Iterable[Object]) -> None:
        self._zones = Zones()
        for node in nodes:
            self._zones.count(name(node), node)
        self._held = self._on_hold()

    def __call__(self, old: Object | None, new: Object | None) -> Iterator[Fact]:
        yield from node_facts(old, new)
        either = new or old
        if either is None or not self._zones.count(name(either), new):
            return
        before, self._held = self._held, self._on_hold()
        for zone in sorted(self._held.keys() - before.keys()):
            unready, nodes = self._held[zone]
            details = {"zone": zone[1], "notReady": unready, "nodes": nodes}
            yield Fact("EvictionsOnHold", details)
        for zone in sorted(before.keys() - self._held.keys()):
            yield Fact("EvictionsGoOn", {"zone": zone[1]})

    def _on_hold(self) -> dict[Zone, tuple[int, int]]:
        self._zones.look(0.0)
        return {
            zone: (state.unready, state.ready + state.unready)
            for zone, state in self._zones.all()
            if state.unready and not state.limiter.rate
        }


class PodFacts:
    """Yields the facts in changes of pods, from creation to deletion."""

    def __init__(self) -> None:
        # By uid: the last write before a pod goes sets its grace period to 0.
        self._graces_s: dict[str, int] = {}

    def __call__(self, old: Object | None, new: Object | None) -> Iterator[Fact]:
        if new is None:
            if old is None:
                return
            details: dict[str, Any] = {"phase": status_of(old).get("phase") or "Pending"}
            if node := node_name_of(old):
                details["node"] = node
            if (grace := self._graces_s.pop(old["metadata"]["uid"], None)) is not None:
                details["gracePeriodSeconds"] = grace
            yield Fact("PodGone", details | _disruption(old))
        elif old is None:
            details = {"priority": new["spec"].get("priority") or 0}
            if class_name := new["spec"].get("priorityClassName"):
                details["priorityClass"] = class_name
            if (owner := controller_of(new)) is not None:
                details["owner"] = {"kind": owner.get("kind"), "name": owner.get("name")}
            if (index := completion_index(new)) is not None:
                details["completionIndex"] = index
            yield Fact("PodCreated", details)
            yield from _changed({"status": {"phase": "Pending"}}, new)
        else:
            yield from _changed(old, new)
            if not is_terminating(new) or is_terminating(old):
                return
            grace_s = int(new["metadata"].get("deletionGracePeriodSeconds") or 0)
            if not grace_s:
                return
            self._graces_s[new["metadata"]["uid"]] = grace_s
            details = {"gracePeriodSeconds": grace_s}
            if node := node_name_of(new):
                details["node"] = node
            yield Fact("PodTerminating", details | _disruption(new))


def _changed(old: Object, new: Object) -> Iterator[Fact]:
    if old.get("spec") is not new["spec"]:
        node = node_name_of(new)
        if node and not node_name_of(old):
            yield Fact("PodBound", {"node": node})
    before, status = status_of(old), status_of(new)
    if before is not status:
        nominated = status.get("nominatedNodeName") or ""
        if nominated != (before.get("nominatedNodeName") or ""):
            if nominated:
                yield Fact("PodNominated", {"node": nominated})
            elif not node_name_of(new):
                yield Fact("PodNominationCleared", {"node": before["nominatedNodeName"]})
        condition = condition_of(new, "PodScheduled") or _NOTHING
        known = condition_of(old, "PodScheduled") or _NOTHING
        said, earlier = ((one.get("reason"), one.get("message")) for one in (condition, known))
        if condition.get("status") == "False" and said != earlier:
            kind = "PodGated" if said[0] == "SchedulingGated" else "PodUnschedulable"
            yield Fact(kind, {"message": said[1] or ""})
        phase, ready = status.get("phase"), is_ready(new)
        restarts = _restarts(status)
        if restarts > _restarts(before):
            yield Fact("PodRestarted", {"restarts": restarts})
        if phase != before.get("phase"):
            details = {
                field: status[field] for field in ("reason", "message") if status.get(field)
            } | _disruption(new)
            if phase == "Running":
                details["ready"] = ready
            yield Fact(f"Pod{phase}", {"node": node_name_of(new), **details})
        elif phase == "Running" and ready != is_ready(old):
            yield Fact("PodReady" if ready else "PodNotReady", {"node": node_name_of(new)})


def _disruption(pod: Object) -> dict[str, Any]:
    reason = disruption_reason(pod)
    return {"disruption": reason} if reason else {}


def _restarts(status: Object) -> int:
    return sum(int(one.get("restartCount") or 0) for one in entries(status, "containerStatuses"))
