"""Finds the facts in a change of a pod."""

from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.objects import (
    Object,
    condition_of,
    controller_of,
    entries,
    is_terminating,
    status_of,
)
from podium.api.pods import completion_index, is_ready, node_name_of
from podium.api.policy.disruption_target import disruption_reason
from podium.simulation.timeline.entry import Fact

_NOTHING: Mapping[str, Any] = {}


class PodFacts:
    """Follows pods from their creation until they are gone."""

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
            yield Fact("PodCreated", _created(new))
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


def _created(pod: Object) -> dict[str, Any]:
    owner = controller_of(pod)
    details: dict[str, Any] = {"priority": pod["spec"].get("priority") or 0}
    if called := pod["spec"].get("priorityClassName"):
        details["priorityClass"] = called
    if owner is not None:
        details["owner"] = {"kind": owner.get("kind"), "name": owner.get("name")}
    if (index := completion_index(pod)) is not None:
        details["completionIndex"] = index
    return details


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
