"""Whether a Job is to end, and why.

Reasons, messages and their order are those of v1.36's syncJob.
"""

import msgspec

from podium.api.objects import Object, condition_of, entries, part, spec_of, status_of
from podium.api.pods import phase_of
from podium.controllers.job.completion_indexes import read_indexes
from podium.controllers.job.pod_accounting import has_limit_per_index, is_indexed
from podium.controllers.job.sync_context import SyncJobContext

FAILURE, SUCCESS = "FailureTarget", "SuccessCriteriaMet"
TERMINAL = {FAILURE: "Failed", SUCCESS: "Complete"}
"""What the Job is when all of its pods have ended, by what it was to be."""


class FinishedCondition(msgspec.Struct, frozen=True):
    """The condition with which a Job is to end.

    Attributes:
        condition: `FailureTarget` or `SuccessCriteriaMet`.
        reason: in one word.
        message: the sentence.
    """

    condition: str
    reason: str
    message: str


REACHED = FinishedCondition(
    SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods"
)


def finished_condition(
    context: SyncJobContext, deadline_s: float | None, now_s: float
) -> FinishedCondition | None:
    """How the Job is to end, whatever its pods still do; None if it goes on.

    Args:
        context: of the Job.
        deadline_s: when it will have been active for too long, in seconds since the epoch; None if
            that can't be.
        now_s: the time.
    """
    for kind in (SUCCESS, FAILURE):
        known = condition_of(context.job, kind)
        if known is not None and known.get("status") == "True":
            return FinishedCondition(kind, str(known.get("reason")), str(known.get("message")))
    if context.fatal:
        return FinishedCondition(FAILURE, "PodFailurePolicy", context.fatal)
    if _is_past_limit(context):
        message = "Job has reached the specified backoff limit"
        return FinishedCondition(FAILURE, "BackoffLimitExceeded", message)
    if deadline_s is not None and deadline_s <= now_s:
        message = "Job was active longer than specified deadline"
        return FinishedCondition(FAILURE, "DeadlineExceeded", message)
    return _by_indexes(context) if is_indexed(context.job) else None


def is_complete(context: SyncJobContext) -> bool:
    """Whether as many have succeeded as were to; without a number, one is enough."""
    completions = context.job["spec"].get("completions")
    return context.succeeded >= (1 if completions is None else int(completions))


def is_over(job: Object) -> bool:
    """Whether the Job has ended, and nothing is left to be done."""
    found = (condition_of(job, kind) for kind in TERMINAL.values())
    return any(one is not None and one.get("status") == "True" for one in found)


def _is_past_limit(context: SyncJobContext) -> bool:
    spec = context.job["spec"]
    limit = spec.get("backoffLimit")
    limit = 6 if limit is None else int(limit)
    if context.failed > limit:
        return True
    if spec_of(spec["template"]).get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(
        int(status.get("restartCount") or 0)
        for pod in context.pods
        if phase_of(pod) in ("Running", "Pending")
        for field in ("initContainerStatuses", "containerStatuses")
        for status in entries(status_of(pod), field)
    )
    return restarts > 0 if limit == 0 else restarts >= limit


def _by_indexes(context: SyncJobContext) -> FinishedCondition | None:
    spec, failed = context.job["spec"], len(context.failed_indexes)
    if has_limit_per_index(context.job):
        most = spec.get("maxFailedIndexes")
        if most is not None and failed > int(most):
            message = "Job has exceeded the specified maximal number of failed indexes"
            return FinishedCondition(FAILURE, "MaxFailedIndexesExceeded", message)
        if failed and failed + len(context.succeeded_indexes) >= int(spec.get("completions") or 0):
            return FinishedCondition(FAILURE, "FailedIndexes", "Job has failed indexes")
    for number, rule in enumerate(entries(part(spec, "successPolicy"), "rules")):
        if _is_met(rule, context.succeeded_indexes):
            return FinishedCondition(SUCCESS, "SuccessPolicy", f"Matched rules at index {number}")
    return None


def _is_met(rule: Object, succeeded: frozenset[int]) -> bool:
    text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    named = read_indexes(text)
    if not succeeded or (text is not None and not named):
        return False
    done = succeeded & named if text is not None else succeeded
    return len(done) >= (len(named) if count is None else int(count))
