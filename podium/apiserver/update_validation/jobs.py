"""Jobs: what they run is settled when they start.

The rules are those of `ValidateJobUpdate` in v1.36.
"""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object, spec_of
from podium.apiserver.internals import internal
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import (
    Faults,
    all_of,
    at,
    immutable,
    immutable_value,
    same,
    valid,
    without,
)
from podium.apiserver.validation.workloads import job

# Where the pods of a job go may be changed before it has ever run.
_DIRECTIVES = ("affinity", "nodeSelector", "tolerations", "schedulingGates")
_TANDEM = "can only be modified in tandem with spec.parallelism"


def _template(new: Object, old: Object) -> Faults:
    now, before = (spec_of(new).get("template") or {}), (spec_of(old).get("template") or {})
    if now is before or now == before:
        return
    shown = internal("PodTemplateSpec", now)
    if _never_ran(old):
        now = _with_directives_of(now, before)
    if internal("PodTemplateSpec", now) != internal("PodTemplateSpec", before):
        yield FieldError("spec.template", shown, "field is immutable")


def _never_ran(job: Object) -> bool:
    suspended = at(job, "spec.suspend") is True
    return suspended and at(job, "status.startTime") is None


def _with_directives_of(new: Object, old: Object) -> Object:
    """The template with everything about where its pods go as it was."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    kept: dict[str, Any] = {field: before[field] for field in _DIRECTIVES if field in before}
    metadata = old.get("metadata") or {}
    return {**new, "metadata": metadata, "spec": {**without(spec, _DIRECTIVES), **kept}}


def _completions(new: Object, old: Object) -> Faults:
    """The number of completions changes only with the parallelism of an indexed job."""
    now, before = at(new, "spec.completions"), at(old, "spec.completions")
    if same(now, before):
        return
    if at(new, "spec.completionMode") != "Indexed" or now is None or before is None:
        yield from immutable_value(now, before, "spec.completions")
    elif now != at(new, "spec.parallelism") or before != at(old, "spec.parallelism"):
        yield FieldError("spec.completions", now, _TANDEM)


update = all_of(
    metadata,
    valid(job, "spec"),
    _completions,
    immutable("spec.selector"),
    _template,
    immutable("spec.completionMode"),
    immutable("spec.podFailurePolicy"),
    immutable("spec.backoffLimitPerIndex"),
    immutable("spec.managedBy"),
    immutable("spec.successPolicy"),
)
"""A job that is updated."""
