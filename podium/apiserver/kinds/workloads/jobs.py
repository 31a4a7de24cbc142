"""Jobs: pods until enough of them have succeeded; what they run is settled when they start.

The rules for changes are those of `ValidateJobUpdate` in v1.36.
"""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, metadata_of, part, spec_of, without
from podium.api.objects import name as name_of
from podium.api.workloads import pod_template_of
from podium.apiserver.internals import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import (
    filled_where_absent,
    inside,
)
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.kinds.workloads.job_status import status_update
from podium.apiserver.validation import checks, templates
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.job_policies import policies
from podium.apiserver.validation.names import validate_dns_label

_CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
_DIRECTIVES = ("affinity", "nodeSelector", "tolerations", "schedulingGates")
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
    wanted = {_CONTROLLER_UID: uid, **part(selector, "matchLabels")}
    generated = {
        **job,
        "spec": {
            **spec,
            "selector": {**selector, "matchLabels": wanted},
            "template": {**template, "metadata": {**metadata, "labels": labels}},
        },
    }
    return workloads.labelled_like_template(generated)


def _template(new: Object, old: Object) -> Faults:
    now, before = pod_template_of(new), pod_template_of(old)
    if now is before or now == before:
        return
    shown = internal("PodTemplateSpec", now)
    if at(old, "spec.suspend") is True and at(old, "status.startTime") is None:
        # Where the pods of a job go may be changed before it has ever run.
        former = spec_of(before)
        kept = {field: former[field] for field in _DIRECTIVES if field in former}
        spec = {**without(spec_of(now), *_DIRECTIVES), **kept}
        now = {**now, "metadata": metadata_of(before), "spec": spec}
    if internal("PodTemplateSpec", now) != internal("PodTemplateSpec", before):
        yield FieldError("spec.template", shown, "field is immutable")


def _completions(new: Object, old: Object) -> Faults:
    now, before = at(new, "spec.completions"), at(old, "spec.completions")
    if rules.same(now, before):
        return
    if at(new, "spec.completionMode") != "Indexed" or now is None or before is None:
        yield from rules.immutable_value(now, before, "spec.completions")
    elif now != at(new, "spec.parallelism") or before != at(old, "spec.parallelism"):
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


job_spec = checks.both(
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
    templates.with_template,
    templates.until_done,
)
"""Judges the spec of a Job, or of the Jobs that a CronJob makes."""


def _last_pod_named(job: Any, _path: str) -> Faults:
    completions, name = spec_of(job).get("completions") or 0, name_of(job)
    host = f"{name}-{completions - 1}"
    if at(job, "spec.completionMode") == "Indexed" and completions and validate_dns_label(host):
        message = f"will not able to create pod with invalid DNS label: {host}"
        yield FieldError("metadata.name", name, message)


_valid_spec = workloads.workload_check(job_spec, templates.own_selector)
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
    validate_subresource_update={"status": status_update},
    create=_create,
    selectable={"status.successful": lambda job: str(at(job, "status.succeeded") or 0)},
    unselectable='field label "{}" not supported for batchv1.Job',
)
