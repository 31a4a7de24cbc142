"""The status of Jobs: its fields must agree with each other, and final ones don't change.

The rules are those of `ValidateJobUpdateStatus` in v1.36. A rule looks at changes alone, so that
nothing keeps an object from being told of that was let in before there was the rule.
"""

from typing import Any

from podium.api.errors import OMITTED, FieldError
from podium.api.objects import Object, spec_of, status_of
from podium.api.values.times import parse_time
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.validation.checks import Faults, duplicate, required
from podium.apiserver.validation.job_policies import index_intervals

_COMPLETE, _FAILED = "Complete", "Failed"
_SUCCESS, _FAILURE = "SuccessCriteriaMet", "FailureTarget"
_NOT_HAD = {
    "completedIndexes": "cannot set non-empty completedIndexes when non-indexed completion mode",
    "failedIndexes": "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
}
_APART = ((_COMPLETE, _FAILED, "Failed=true"), (_COMPLETE, _FAILURE, "FailureTarget=true"))
_TARGETS_APART = ((_SUCCESS, _FAILED, "Failed=true"), (_SUCCESS, _FAILURE, "FailureTarget=true"))


def _uncounted(new: Object, _old: Object) -> Faults:
    known: set[str] = set()
    for field in ("succeeded", "failed"):
        path = f"status.uncountedTerminatedPods.{field}"
        for index, uid in enumerate(at(new, path) or ()):
            where = f"{path}[{index}]"
            if not uid:
                yield FieldError(where, uid, "must not be empty")
            elif uid in known:
                yield duplicate(where, uid)
            known.add(uid)


def _true(job: Object) -> set[str]:
    conditions = at(job, "status.conditions") or ()
    return {one.get("type") or "" for one in conditions if one.get("status") == "True"}


def _end(new: Object, old: Object) -> Faults:
    now, before = _true(new), _true(old)
    ended, started = at(new, "status.completionTime"), at(new, "status.startTime")
    if now != before:
        yield from _together(now, _APART)
    if now != before or ended != at(old, "status.completionTime"):
        if ended and _COMPLETE not in now:
            message = "cannot set completionTime when there is no Complete=True condition"
            yield FieldError("status.completionTime", ended, message)
        if _COMPLETE in now and not ended:
            message = "completionTime is required for Complete jobs"
            yield required("status.completionTime", message)
        if ended and started and parse_time(ended) < parse_time(started):
            message = "must be equal to or after `startTime`"
            yield FieldError("status.completionTime", ended, message)
    if now != before:
        for end, target in ((_FAILED, _FAILURE), (_COMPLETE, _SUCCESS)):
            if end in now and target not in now:
                yield _wrong(f"cannot set {end}=True condition without the {target}=true condition")


def _finished(new: Object, old: Object) -> Faults:
    status, before = status_of(new), status_of(old)
    if not {_COMPLETE, _FAILED} & _true(new):
        return
    has_just = _true(new) != _true(old)
    if (has_just or status.get("active") != before.get("active")) and status.get("active"):
        yield FieldError("status.active", status["active"], "active>0 is invalid for finished job")
    if has_just and not status.get("startTime"):
        yield required("status.startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods")
    if has_just and uncounted and any(uncounted.values()):
        shown = {name.capitalize(): uncounted.get(name) for name in ("succeeded", "failed")}
        yield FieldError("status.uncountedTerminatedPods", shown, "must be empty for finished job")
    if has_just and status.get("terminating"):
        message = "terminating>0 is invalid for finished job"
        yield FieldError("status.terminating", status["terminating"], message)


def _indexes(new: Object, old: Object) -> Faults:
    for field, is_had in (
        ("completedIndexes", at(new, "spec.completionMode") == "Indexed"),
        ("failedIndexes", at(new, "spec.backoffLimitPerIndex") is not None),
    ):
        text = at(new, f"status.{field}")
        if text == at(old, f"status.{field}"):
            continue
        if not is_had:
            if text or (field == "failedIndexes" and text is not None):
                yield FieldError(f"status.{field}", text, _NOT_HAD[field])
            continue
        try:
            list(index_intervals(text or "", at(new, "spec.completions") or 0))
        except ValueError as fault:
            yield FieldError(f"status.{field}", text, f"error parsing {field}: {fault}")
    yield from _overlap(new, old)


def _overlap(new: Object, old: Object) -> Faults:
    paths = ("status.completedIndexes", "status.failedIndexes")
    completed, failed = (at(new, path) or "" for path in paths)
    if (completed, failed) == tuple(at(old, path) or "" for path in paths):
        return
    completions = at(new, "spec.completions") or 0
    try:
        intervals = [*index_intervals(completed, completions)]
        failures = [*index_intervals(failed, completions)]
    except ValueError:
        return
    for first, last in failures:
        for other_first, other_last in intervals:
            if first <= other_last and other_first <= last:
                message = "failedIndexes and completedIndexes overlap at index: "
                shared = max(first, other_first)
                yield FieldError("status.failedIndexes", failed, f"{message}{shared}")
                return


def _ready(new: Object, old: Object) -> Faults:
    if _true(new) != _true(old):
        yield from _together(_true(new), _TARGETS_APART)
    active, ready = at(new, "status.active") or 0, at(new, "status.ready")
    before = (at(old, "status.active") or 0, at(old, "status.ready"))
    if ready is not None and ready > active and (active, ready) != before:
        yield FieldError("status.ready", ready, "cannot set more ready pods than active")


def _kept(new: Object, old: Object) -> Faults:
    now, before = _true(new), _true(old)
    path = "status.completionTime"
    if at(old, path) and at(new, path) and _COMPLETE in now & before:
        yield from rules.immutable(path)(new, old)
    for field in ("succeeded", "failed"):
        count = at(new, f"status.{field}") or 0
        # The completions of an indexed job may have been lowered, with some that have succeeded.
        spec = spec_of(new)
        is_elastic = spec.get("completionMode") == "Indexed" and (
            spec.get("completions") == spec.get("parallelism")
        )
        may_decrease = field == "succeeded" and is_elastic
        if count < (at(old, f"status.{field}") or 0) and not may_decrease:
            yield FieldError(f"status.{field}", count, f"cannot decrease the {field} counter")
    for end, terminal in (
        (_FAILED, "terminal "),
        (_COMPLETE, "terminal "),
        (_FAILURE, ""),
        (_SUCCESS, ""),
    ):
        if end in before - now:
            yield _wrong(f"cannot disable the {terminal}{end}=True condition")


def _together(true: set[str], pairs: Any) -> Faults:
    for one, other, shown in pairs:
        if {one, other} <= true:
            yield _wrong(f"cannot set {one}=True and {shown} conditions")


def _wrong(message: str) -> FieldError:
    return FieldError("status.conditions", OMITTED, message)


status_update = rules.all_of(
    _uncounted,
    _end,
    _finished,
    _indexes,
    _ready,
    _kept,
)
