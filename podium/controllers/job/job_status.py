"""What a Job's status says.

Fields and conditions are those of v1.36; fields that are nought are left out where it does so.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from podium.api.objects import Object, entries, status_of, uid_of
from podium.api.times import timestamp
from podium.controllers.job.completion_indexes import write_indexes
from podium.controllers.job.finished_condition import SUCCESS, TERMINAL, FinishedCondition
from podium.controllers.job.pod_accounting import is_indexed, is_tracked
from podium.controllers.job.sync_context import SyncJobContext


class StatusUpdate(msgspec.Struct):
    """The changes of a Job that its next status tells.

    Attributes:
        active: how many pods are active, those included that are just being asked for.
        terminating: how many end, likewise.
        finished: how the Job is to end, if it is.
        suspended: whether it is suspended; None if that isn't to be said now.
        told: type, reason and note of the events about what has changed.
    """

    active: int
    terminating: int
    finished: FinishedCondition | None = None
    suspended: bool | None = None
    told: list[tuple[str, str, str]] = msgspec.field(default_factory=list)


def new_status(context: SyncJobContext, update: StatusUpdate, now_s: float) -> dict[str, Any]:
    """The status as it is to be, all fields that the controller keeps; None: left out."""
    job, old = context.job, status_of(context.job)
    conditions = list(entries(old, "conditions"))
    resumes = _put_suspension(conditions, update, now_s)
    started = None if update.suspended else old.get("startTime")
    if resumes or (not started and not job["spec"].get("suspend")):
        started = timestamp(now_s)
    completed = old.get("completionTime")
    if update.finished is not None:
        finished = update.finished
        _put(conditions, finished.condition, "True", finished.reason, finished.message, now_s)
        if context.is_settled and not update.active and not update.terminating:
            _end(conditions, finished, update, now_s)
            completed = timestamp(now_s) if finished.condition == SUCCESS else None
    status: dict[str, Any] = {
        "startTime": started,
        "completionTime": completed,
        "active": update.active or None,
        "ready": context.ready,
        "terminating": update.terminating,
        "conditions": conditions or None,
        **_numbers(context),
    }
    return status


def changed_fields(old: Object, new: Mapping[str, Any]) -> dict[str, Any]:
    """What of a new status isn't as it was; empty if all is."""
    return {name: value for name, value in new.items() if not _same(old.get(name), value)}


def _same(old: Any, new: Any) -> bool:
    if isinstance(new, dict) and isinstance(old, dict):
        return all(old.get(name) == value for name, value in new.items())
    return bool(old == new)


def _put_suspension(conditions: list[Object], update: StatusUpdate, now_s: float) -> bool:
    """Say whether the Job is suspended; True if it isn't any more."""
    kind = "Suspended"
    known = next((one for one in conditions if one.get("type") == kind), None)
    if update.suspended is None or (known is None and not update.suspended):
        return False
    status, word = ("True", "suspended") if update.suspended else ("False", "resumed")
    note = f"Job {word}"
    if not _put(conditions, kind, status, f"Job{word.capitalize()}", note, now_s):
        return False
    update.told.append(("Normal", word.capitalize(), note))
    return not update.suspended


def _end(
    conditions: list[Object], finished: FinishedCondition, update: StatusUpdate, now_s: float
) -> None:
    kind = TERMINAL[finished.condition]
    _put(conditions, kind, "True", finished.reason, finished.message, now_s)
    if finished.condition == SUCCESS:
        update.told.append(("Normal", "Completed", "Job completed"))
    else:
        update.told.append(("Warning", finished.reason, finished.message))


def _put(
    conditions: list[Object], kind: str, status: str, reason: str, message: str, now_s: float
) -> bool:
    """Set a condition unless it stands so already; whether it was set."""
    condition = {
        "type": kind,
        "status": status,
        "lastProbeTime": timestamp(now_s),
        "lastTransitionTime": timestamp(now_s),
        "reason": reason,
        "message": message,
    }
    for number, known in enumerate(conditions):
        if known.get("type") == kind:
            if known.get("status") == status:
                return False
            conditions[number] = condition
            return True
    conditions.append(condition)
    return True


def _numbers(context: SyncJobContext) -> dict[str, Any]:
    """What has been counted, and the uids of what is about to be."""
    old = status_of(context.job)
    uncounted: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for name, known, new in (
        ("succeeded", context.known_succeeded, context.new_succeeded),
        ("failed", context.known_failed, context.new_failed),
    ):
        open_uids = [uid for uid in known if uid in context.pods and is_tracked(context.pods[uid])]
        numbers[name] = int(old.get(name) or 0) + len(known) - len(open_uids) or None
        uncounted[name] = [*open_uids, *map(uid_of, new)] or None
    if is_indexed(context.job):
        numbers["succeeded"] = len(context.succeeded_indexes) or None
        numbers["completedIndexes"] = write_indexes(context.succeeded_indexes) or None
        if context.job["spec"].get("backoffLimitPerIndex") is not None:
            numbers["failedIndexes"] = write_indexes(context.failed_indexes)
    return {**numbers, "uncountedTerminatedPods": uncounted}
