"""Jobs and CronJobs: generated selectors, defaults, and validation as in v1.36.

The rules for the status only apply to fields that change, so that the status of a Job that already
violates a rule can still be updated.
"""

from collections.abc import Iterable
from itertools import product
from typing import Any

from podium.api.errors import OMITTED, FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    conditions_of,
    entries,
    metadata_of,
    part,
    spec_of,
    status_of,
    without,
)
from podium.api.objects import name as name_of
from podium.api.selectors.labels import validate_dns_label
from podium.api.values.cron_schedule import ScheduleError, parse_schedule, parse_zone
from podium.api.values.times import parse_time
from podium.api.workloads import pod_template_of
from podium.apiserver.internal_types import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import filled_where_absent, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, duplicate, required
from podium.apiserver.validation.job_policies import index_intervals, policies
from podium.apiserver.validation.names import template_meta

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


_status_update = rules.all_of(lambda new, _old: _uncounted(status_of(new)), _end, _indexes, _kept)


_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_DIRECTIVES = ("affinity", "nodeSelector", "tolerations", "schedulingGates")
# Names of Jobs of CronJobs end in a hyphen and a time, and may have 63 characters.
_CRON_JOB_NAME_LENGTH_MAX = 52
_TANDEM = "can only be modified in tandem with spec.parallelism"


def _create(job: Object, _creation: Creation) -> Object:
    spec = spec_of(job)
    if spec.get("manualSelector"):
        return job
    name, uid = job["metadata"].get("name", ""), job["metadata"]["uid"]
    names = {"job-name": name, "batch.kubernetes.io/job-name": name}
    own = {**names, "controller-uid": uid, _CONTROLLER_UID: uid}
    template = spec.get("template") or {}
    metadata = metadata_of(template)
    labels = {**own, **part(metadata, "labels")}
    selector = spec.get("selector") or {}
    match_labels = {_CONTROLLER_UID: uid, **part(selector, "matchLabels")}
    generated = {
        **job,
        "spec": {
            **spec,
            "selector": {**selector, "matchLabels": match_labels},
            "template": {**template, "metadata": {**metadata, "labels": labels}},
        },
    }
    return workloads.labelled_like_template(generated)


def _template(new: Object, old: Object) -> Faults:
    now, before = pod_template_of(new), pod_template_of(old)
    if now is before or now == before:
        return
    shown = internal("PodTemplateSpec", now)
    if rules.at(old, "spec.suspend") is True and rules.at(old, "status.startTime") is None:
        # Where the pods of a job go may be changed before it has ever run.
        former = spec_of(before)
        kept = {field: former[field] for field in _DIRECTIVES if field in former}
        spec = {**without(spec_of(now), *_DIRECTIVES), **kept}
        now = {**now, "metadata": metadata_of(before), "spec": spec}
    if internal("PodTemplateSpec", now) != internal("PodTemplateSpec", before):
        yield FieldError("spec.template", shown, "field is immutable")


def _completions(new: Object, old: Object) -> Faults:
    now, before = rules.at(new, "spec.completions"), rules.at(old, "spec.completions")
    if rules.same(now, before):
        return
    if rules.at(new, "spec.completionMode") != "Indexed" or now is None or before is None:
        yield from rules.immutable_value(now, before, "spec.completions")
    elif now != rules.at(new, "spec.parallelism") or before != rules.at(old, "spec.parallelism"):
        yield FieldError("spec.completions", now, _TANDEM)


def _with_defaults(job: Object) -> Object:
    def spec(spec: Object) -> Object:
        if spec.get("completions") is None and spec.get("parallelism") is None:
            spec = {**spec, "completions": 1}
        replaced = "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
        return filled_where_absent(
            spec,
            parallelism=1,
            backoffLimit=checks.INT32_MAX if spec.get("backoffLimitPerIndex") is not None else 6,
            completionMode="NonIndexed",
            suspend=False,
            manualSelector=False,
            podReplacementPolicy=replaced,
        )

    return workloads.labelled_like_template(inside(job, spec=spec))


_job_spec = checks.both(
    checks.fields(
        parallelism=checks.count,
        completions=checks.count,
        activeDeadlineSeconds=checks.detail(checks.integer()),
        backoffLimit=checks.detail(checks.count),
        ttlSecondsAfterFinished=checks.detail(checks.count),
        backoffLimitPerIndex=checks.count,
        maxFailedIndexes=checks.count,
    ),
    checks.detail(policies),
    workloads.with_template,
    workloads.until_done,
)


def _last_pod_named(job: Any, _path: str) -> Faults:
    completions, name = spec_of(job).get("completions") or 0, name_of(job)
    host = f"{name}-{completions - 1}"
    is_indexed = rules.at(job, "spec.completionMode") == "Indexed" and completions > 0
    if is_indexed and validate_dns_label(host):
        message = f"will not able to create pod with invalid DNS label: {host}"
        yield FieldError("metadata.name", name, message)


_valid_spec = workloads.workload_check(_job_spec, workloads.own_selector)
_valid = checks.both(_valid_spec, checks.fields(_last_pod_named))

JOB = Registration(
    kind=KINDS["Job"],
    defaults=_with_defaults,
    validate=_valid,
    validate_update=rules.all_of(
        rules.valid(_valid),
        rules.metadata,
        rules.valid(_valid_spec, "spec"),
        _completions,
        rules.immutable("spec.selector"),
        _template,
    ),
    validate_subresource_update={"status": _status_update},
    create=_create,
    selectable={"status.successful": lambda job: str(rules.at(job, "status.succeeded") or 0)},
    unselectable='field label "{}" not supported for batchv1.Job',
)

_ZONE_IN_SCHEDULE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
_NO_ZONE = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"


def _schedule(text: Any, path: str) -> Faults:
    if not text:
        yield required(path)
    elif "TZ" in text:
        yield FieldError(path, text, _ZONE_IN_SCHEDULE)
    else:
        try:
            parse_schedule(text)
        except ScheduleError as error:
            yield FieldError(path, text, str(error))


def _time_zone(text: Any, path: str) -> Faults:
    if not text or text.lower() == "local":
        yield FieldError(path, text, _NO_ZONE)
        return
    try:
        parse_zone(text)
    except ScheduleError as error:
        yield FieldError(path, text, str(error))


def _generated_selector(is_manual: bool, path: str) -> Faults:
    return iter([unsupported(path, True, ["nil", "false"])] if is_manual else ())


_job = checks.both(_job_spec, checks.fields(manualSelector=_generated_selector))
_short_name = checks.must(
    f"must be no more than {_CRON_JOB_NAME_LENGTH_MAX} characters",
    lambda name: len(name) <= _CRON_JOB_NAME_LENGTH_MAX,
)
_valid_cron_job = checks.both(
    workloads.workload_check(
        checks.fields(
            schedule=checks.absent_as("", _schedule),
            startingDeadlineSeconds=checks.integer(),
            concurrencyPolicy=checks.one_of("Allow", "Forbid", "Replace"),
            timeZone=_time_zone,
            jobTemplate=checks.absent_as(
                {}, checks.fields(metadata=template_meta, spec=checks.absent_as({}, _job))
            ),
            successfulJobsHistoryLimit=checks.count,
            failedJobsHistoryLimit=checks.count,
        )
    ),
    checks.fields(metadata=checks.fields(name=_short_name)),
)


CRON_JOB = Registration(kind=KINDS["CronJob"], validate=_valid_cron_job)
