"""Whether a Job is to end, and why.

Reasons, messages and their order are those of v1.36's syncJob.
"""

from dataclasses import dataclass

from podium.api.objects import Object, condition_of, spec_of, status_of
from podium.api.pods import phase_of
from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.controllers.job.indexes import read_indexes
from podium.controllers.job.pods import is_indexed, statuses_of
from podium.controllers.job.tally import Tally

FAILURE, SUCCESS = "FailureTarget", "SuccessCriteriaMet"
TERMINAL = {FAILURE: "Failed", SUCCESS: "Complete"}
"""What the Job is when all of its pods have ended, by what it was to be."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a Job is to end.

    Attributes:
        condition: `FailureTarget` or `SuccessCriteriaMet`.
        reason: in one word.
        message: the sentence.
    """

    condition: str
    reason: str
    message: str


REACHED = Verdict(SUCCESS, "CompletionsReached", "Reached expected number of succeeded pods")


def verdict_of(tally: Tally, now_s: float) -> Verdict | None:
    """How the Job is to end, whatever its pods still do; None if it goes on."""
    for kind in (SUCCESS, FAILURE):
        known = condition_of(tally.job, kind)
        if known is not None and known.get("status") == "True":
            return Verdict(kind, str(known.get("reason")), str(known.get("message")))
    if tally.fatal:
        return Verdict(FAILURE, "PodFailurePolicy", tally.fatal)
    if _is_past_limit(tally):
        message = "Job has reached the specified backoff limit"
        return Verdict(FAILURE, "BackoffLimitExceeded", message)
    due_s = deadline_s(tally.job)
    if due_s is not None and due_s <= now_s:
        message = "Job was active longer than specified deadline"
        return Verdict(FAILURE, "DeadlineExceeded", message)
    return _by_indexes(tally) if is_indexed(tally.job) else None


def deadline_s(job: Object) -> float | None:
    """When the Job will have been active for too long; None if that can't be."""
    limit_s = job["spec"].get("activeDeadlineSeconds")
    started = status_of(job).get("startTime")
    if limit_s is None or not started or job["spec"].get("suspend"):
        return None
    return parse_time(started) / NANOS_PER_SECOND + int(limit_s)


def is_complete(tally: Tally) -> bool:
    """Whether as many have succeeded as were to; without a number, one is enough."""
    completions = tally.job["spec"].get("completions")
    return tally.succeeded >= (1 if completions is None else int(completions))


def is_over(job: Object) -> bool:
    """Whether the Job has ended, and nothing is left to be done."""
    found = (condition_of(job, kind) for kind in TERMINAL.values())
    return any(one is not None and one.get("status") == "True" for one in found)


def _is_past_limit(tally: Tally) -> bool:
    spec = tally.job["spec"]
    limit = spec.get("backoffLimit")
    limit = 6 if limit is None else int(limit)
    if tally.failed > limit:
        return True
    if spec_of(spec["template"]).get("restartPolicy") != "OnFailure":
        return False
    restarts = sum(
        int(status.get("restartCount") or 0)
        for pod in tally.active
        if phase_of(pod) in ("Running", "Pending")
        for status in statuses_of(pod)
    )
    return restarts > 0 if limit == 0 else restarts >= limit


def _by_indexes(tally: Tally) -> Verdict | None:
    spec, failed = tally.job["spec"], len(tally.failed_indexes)
    most = spec.get("maxFailedIndexes")
    if most is not None and failed > int(most):
        message = "Job has exceeded the specified maximal number of failed indexes"
        return Verdict(FAILURE, "MaxFailedIndexesExceeded", message)
    if failed and failed + len(tally.succeeded_indexes) >= int(spec.get("completions") or 0):
        return Verdict(FAILURE, "FailedIndexes", "Job has failed indexes")
    for number, rule in enumerate((spec.get("successPolicy") or {}).get("rules") or ()):
        if _is_met(rule, tally.succeeded_indexes):
            return Verdict(SUCCESS, "SuccessPolicy", f"Matched rules at index {number}")
    return None


def _is_met(rule: Object, succeeded: frozenset[int]) -> bool:
    text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    named = read_indexes(text)
    done = succeeded & named if text is not None else succeeded
    return len(done) >= (len(named) if count is None else int(count))
