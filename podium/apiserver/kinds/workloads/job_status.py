"""Validation of changes of a Job's status, as in v1.36's `ValidateJobUpdateStatus`.

The rules only apply to fields that change, so that the status of a Job that already violates a rule
can still be updated.
"""

from collections.abc import Iterable
from itertools import product

from podium.api.errors import OMITTED, FieldError
from podium.api.objects import Object, conditions_of, entries, part, spec_of, status_of
from podium.api.values.times import parse_time
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation.checks import Faults, duplicate, required
from podium.apiserver.validation.job_policies import index_intervals

_COMPLETE, _FAILED = "Complete", "Failed"
_SUCCESS, _FAILURE = "SuccessCriteriaMet", "FailureTarget"


def _true(job: Object) -> set[str]:
    return {one.get("type") or "" for one in conditions_of(job) if one.get("status") == "True"}


def _condition_fault(message: str) -> FieldError:
    return FieldError("status.conditions", OMITTED, message)


def _apart(condition: str, true: set[str]) -> Faults:
    for other, shown in ((_FAILED, "Failed=true"), (_FAILURE, "FailureTarget=true")):
        if {condition, other} <= true:
            yield _condition_fault(f"cannot set {condition}=True and {shown} conditions")


def _uncounted(status: Object) -> Faults:
    known: set[str] = set()
    for field in ("succeeded", "failed"):
        for index, uid in enumerate(entries(part(status, "uncountedTerminatedPods"), field)):
            where = f"status.uncountedTerminatedPods.{field}[{index}]"
            if not uid:
                yield FieldError(where, uid, "must not be empty")
            elif uid in known:
                yield duplicate(where, uid)
            known.add(uid)


def _end(new: Object, old: Object) -> Faults:
    status, before = status_of(new), status_of(old)
    now, has_changed = _true(new), _true(new) != _true(old)
    ended, started = status.get("completionTime"), status.get("startTime")
    if has_changed:
        yield from _apart(_COMPLETE, now)
    if has_changed or ended != before.get("completionTime"):
        if ended and _COMPLETE not in now:
            message = "cannot set completionTime when there is no Complete=True condition"
            yield FieldError("status.completionTime", ended, message)
        if _COMPLETE in now and not ended:
            message = "completionTime is required for Complete jobs"
            yield required("status.completionTime", message)
        if ended and started and parse_time(ended) < parse_time(started):
            message = "must be equal to or after `startTime`"
            yield FieldError("status.completionTime", ended, message)
    if has_changed:
        for end, target in ((_FAILED, _FAILURE), (_COMPLETE, _SUCCESS)):
            if end in now and target not in now:
                message = f"cannot set {end}=True condition without the {target}=true condition"
                yield _condition_fault(message)
    if not {_COMPLETE, _FAILED} & now:
        return
    if status.get("active") and (has_changed or status["active"] != before.get("active")):
        yield FieldError("status.active", status["active"], "active>0 is invalid for finished job")
    if has_changed and not started:
        yield required("status.startTime", "startTime is required for finished job")
    uncounted = part(status, "uncountedTerminatedPods")
    if has_changed and any(uncounted.values()):
        shown = {name.capitalize(): uncounted.get(name) for name in ("succeeded", "failed")}
        yield FieldError("status.uncountedTerminatedPods", shown, "must be empty for finished job")
    if has_changed and status.get("terminating"):
        message = "terminating>0 is invalid for finished job"
        yield FieldError("status.terminating", status["terminating"], message)


def _indexes(new: Object, old: Object) -> Faults:
    spec, status, before = spec_of(new), status_of(new), status_of(old)
    if all(
        status.get(field) == before.get(field) for field in ("completedIndexes", "failedIndexes")
    ):
        return
    completions = spec.get("completions") or 0
    intervals: dict[str, Iterable[tuple[int, int]]] = {}
    for field, has_field, refusal in (
        (
            "completedIndexes",
            spec.get("completionMode") == "Indexed",
            "cannot set non-empty completedIndexes when non-indexed completion mode",
        ),
        (
            "failedIndexes",
            spec.get("backoffLimitPerIndex") is not None,
            "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
        ),
    ):
        text, has_changed = status.get(field), status.get(field) != before.get(field)
        is_set = text is not None if field == "failedIndexes" else text
        if has_changed and not has_field and is_set:
            yield FieldError(f"status.{field}", text, refusal)
        try:
            intervals[field] = [*index_intervals(text or "", completions)]
        except ValueError as error:
            if has_changed and has_field:
                message = f"error parsing {field}: {error}"
                yield FieldError(f"status.{field}", text, message)
    if len(intervals) < 2:
        return
    pairs = product(intervals["failedIndexes"], intervals["completedIndexes"])
    for (first, last), (other_first, other_last) in pairs:
        if first <= other_last and other_first <= last:
            shared = max(first, other_first)
            message = f"failedIndexes and completedIndexes overlap at index: {shared}"
            yield FieldError("status.failedIndexes", status["failedIndexes"], message)
            return


def _kept(new: Object, old: Object) -> Faults:
    spec, status, before = spec_of(new), status_of(new), status_of(old)
    now, was = _true(new), _true(old)
    if now != was:
        yield from _apart(_SUCCESS, now)
    active, ready = status.get("active") or 0, status.get("ready")
    is_new = (active, ready) != (before.get("active") or 0, before.get("ready"))
    if ready is not None and ready > active and is_new:
        yield FieldError("status.ready", ready, "cannot set more ready pods than active")
    if before.get("completionTime") and status.get("completionTime") and _COMPLETE in now & was:
        yield from rules.immutable("status.completionTime")(new, old)
    for field in ("succeeded", "failed"):
        count = status.get(field) or 0
        # The completions of an indexed Job may have been lowered, with some that have succeeded.
        is_elastic = spec.get("completionMode") == "Indexed" and (
            spec.get("completions") == spec.get("parallelism")
        )
        may_decrease = field == "succeeded" and is_elastic
        if count < (before.get(field) or 0) and not may_decrease:
            yield FieldError(f"status.{field}", count, f"cannot decrease the {field} counter")
    terminal = ((_FAILED, "terminal "), (_COMPLETE, "terminal "), (_FAILURE, ""), (_SUCCESS, ""))
    for condition, kind in terminal:
        if condition in was - now:
            yield _condition_fault(f"cannot disable the {kind}{condition}=True condition")


status_update = rules.all_of(lambda new, _old: _uncounted(status_of(new)), _end, _indexes, _kept)
