"""A Job's status, and the condition with which the Job ends, as in v1.36's syncJob."""

from collections.abc import Collection
from typing import Any

import msgspec

from podium.api.conditions import set_condition
from podium.api.objects import Object, condition_of, entries, holds, part, spec_of, status_of
from podium.api.pods import phase_of
from podium.api.values.times import epoch_s, timestamp
from podium.controllers.job.completion_indexes import read_indexes, write_indexes
from podium.controllers.job.job_pods import SyncJobContext, has_limit_per_index, is_indexed

FAILURE, SUCCESS = "FailureTarget", "SuccessCriteriaMet"
TERMINAL = {FAILURE: "Failed", SUCCESS: "Complete"}
"""The final condition of a Job, by the condition that precedes it."""


class FinishedCondition(msgspec.Struct, frozen=True):
    """The condition that ends a Job, of type `FailureTarget` or `SuccessCriteriaMet`."""

    condition: str
    reason: str
    message: str


REACHED = FinishedCondition(
    SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods"
)


def finished_condition(
    context: SyncJobContext, deadline_s: float | None, now_s: float
) -> FinishedCondition | None:
    """Return the condition that ends the Job; None if it continues."""
    for kind in (SUCCESS, FAILURE):
        known = condition_of(context.job, kind)
        if known is not None and known.get("status") == "True":
            return FinishedCondition(kind, str(known.get("reason")), str(known.get("message")))
    if context.fatal:
        return FinishedCondition(FAILURE, "PodFailurePolicy", context.fatal)
    spec = context.job["spec"]
    limit = 6 if spec.get("backoffLimit") is None else int(spec["backoffLimit"])
    is_past_limit = context.failed > limit
    if not is_past_limit and spec_of(spec["template"]).get("restartPolicy") == "OnFailure":
        restarts = sum(
            int(status.get("restartCount") or 0)
            for pod in context.pods
            if phase_of(pod) in ("Running", "Pending")
            for field in ("initContainerStatuses", "containerStatuses")
            for status in entries(status_of(pod), field)
        )
        is_past_limit = restarts >= max(limit, 1)
    if is_past_limit:
        message = "Job has reached the specified backoff limit"
        return FinishedCondition(FAILURE, "BackoffLimitExceeded", message)
    if deadline_s is not None and deadline_s <= now_s:
        message = "Job was active longer than specified deadline"
        return FinishedCondition(FAILURE, "DeadlineExceeded", message)
    if not is_indexed(context.job):
        return None
    failed, succeeded = len(context.failed_indexes), context.succeeded_indexes
    if has_limit_per_index(context.job):
        most = spec.get("maxFailedIndexes")
        if most is not None and failed > int(most):
            message = "Job has exceeded the specified maximal number of failed indexes"
            return FinishedCondition(FAILURE, "MaxFailedIndexesExceeded", message)
        if failed and failed + len(succeeded) >= int(spec.get("completions") or 0):
            return FinishedCondition(FAILURE, "FailedIndexes", "Job has failed indexes")
    for number, rule in enumerate(entries(part(spec, "successPolicy"), "rules")):
        text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
        named = read_indexes(text)
        if not succeeded or (text is not None and not named):
            continue
        done = succeeded & named if text is not None else succeeded
        if len(done) >= (len(named) if count is None else int(count)):
            return FinishedCondition(SUCCESS, "SuccessPolicy", f"Matched rules at index {number}")
    return None


def is_complete(context: SyncJobContext) -> bool:
    """Return whether enough pods have succeeded; without `completions`, one is enough."""
    completions = context.job["spec"].get("completions")
    return context.succeeded >= (1 if completions is None else int(completions))


def is_over(job: Object) -> bool:
    """Return whether the Job has finished."""
    return any(holds(job, kind) for kind in TERMINAL.values())


_SUSPENDED = "Suspended"
_COUNTED = ("succeeded", "failed")


class JobStatus(msgspec.Struct):
    """A Job's status, which a sync changes step by step, with a write after each step."""

    started_s: float | None
    """Start time of an active Job, in seconds since the epoch; None if it isn't active."""
    completion_time: str | None
    active: int
    ready: int | None
    terminating: int | None
    counts: dict[str, int]
    """Numbers of succeeded pods or indexes, and of failed pods."""
    uncounted: dict[str, list[str]]
    """Uids of finished pods that have yet to be added to `counts`."""
    completed_indexes: str | None
    failed_indexes: str | None
    conditions: list[Object]

    @classmethod
    def of(cls, job: Object) -> "JobStatus":
        status = status_of(job)
        uncounted, started = status.get("uncountedTerminatedPods") or {}, status.get("startTime")
        return cls(
            started_s=epoch_s(started) if started else None,
            completion_time=status.get("completionTime"),
            active=int(status.get("active") or 0),
            ready=status.get("ready"),
            terminating=status.get("terminating"),
            counts={field: int(status.get(field) or 0) for field in _COUNTED},
            uncounted={field: [*entries(uncounted, field)] for field in _COUNTED},
            completed_indexes=status.get("completedIndexes"),
            failed_indexes=status.get("failedIndexes"),
            conditions=[*entries(status, "conditions")],
        )

    def add_uncounted(self, field: str, uid: str) -> None:
        if uid not in self.uncounted[field]:
            self.uncounted[field].append(uid)

    def count_all_but(self, tracked: Collection[str]) -> None:
        """Count the pods whose finalizer was removed: all `uncounted` uids except `tracked`."""
        for field, uids in self.uncounted.items():
            left = [uid for uid in uids if uid in tracked]
            self.counts[field] += len(uids) - len(left)
            self.uncounted[field] = left

    def count_indexes(self, succeeded: Collection[int], failed: Collection[int] | None) -> None:
        """Set the succeeded and the failed indexes; `failed` is None without a limit per index."""
        self.counts["succeeded"] = len(succeeded)
        self.completed_indexes = write_indexes(succeeded) or None
        self.failed_indexes = None if failed is None else write_indexes(failed)

    def suspend(self, now_s: float) -> bool:
        if not self._put(_SUSPENDED, "True", "JobSuspended", "Job suspended", now_s):
            return False
        self.started_s = None
        return True

    def resume(self, now_s: float) -> bool:
        if all(condition.get("type") != _SUSPENDED for condition in self.conditions):
            return False
        if not self._put(_SUSPENDED, "False", "JobResumed", "Job resumed", now_s):
            return False
        self.started_s = now_s
        return True

    def decide(self, finished: FinishedCondition, now_s: float) -> None:
        self._put(finished.condition, "True", finished.reason, finished.message, now_s)

    def end(self, finished: FinishedCondition, now_s: float) -> None:
        kind = TERMINAL[finished.condition]
        self._put(kind, "True", finished.reason, finished.message, now_s)
        if finished.condition == SUCCESS:
            self.completion_time = timestamp(now_s)

    def changes(self, job: Object) -> dict[str, Any]:
        """Return the status fields that differ from the stored ones; None removes a field."""
        stored = status_of(job)
        fields = {
            "startTime": None if self.started_s is None else timestamp(self.started_s),
            "completionTime": self.completion_time,
            "active": self.active or None,
            "ready": self.ready,
            "terminating": self.terminating,
            "conditions": self.conditions or None,
            **{field: count or None for field, count in self.counts.items()},
            "completedIndexes": self.completed_indexes,
            "failedIndexes": self.failed_indexes,
        }
        changed: dict[str, Any] = {
            field: value for field, value in fields.items() if stored.get(field) != value
        }
        uncounted = {field: [*uids] or None for field, uids in self.uncounted.items()}
        before = stored.get("uncountedTerminatedPods")
        if before is None or any(before.get(field) != uids for field, uids in uncounted.items()):
            changed["uncountedTerminatedPods"] = uncounted
        return changed

    def _put(self, kind: str, status: str, reason: str, message: str, now_s: float) -> bool:
        condition = {"type": kind, "status": status, "reason": reason, "message": message}
        known = [one for one in self.conditions if one.get("type") == kind]
        if any(condition.items() <= one.items() for one in known):
            return False
        # Upstream's times are those of the last change of anything, not of the status alone.
        condition["lastProbeTime"] = timestamp(now_s)
        added = set_condition(None, condition, now_s)
        others = [added if one in known else one for one in self.conditions]
        self.conditions = others if known else [*others, added]
        return True
