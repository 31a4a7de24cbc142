"""Deployments, ReplicaSets and ReplicationControllers: so many pods of a template."""

from typing import Any

from podium.api.errors import FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, labels, part, spec_of, without
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks, templates
from podium.apiserver.validation.checks import Faults, join


def _valid_strategy(value: Any, path: str) -> Faults:
    rolling, where = value.get("rollingUpdate"), join(path, "rollingUpdate")
    kind = value.get("type") or "RollingUpdate"
    if kind not in ("Recreate", "RollingUpdate"):
        yield unsupported(path, value, ("Recreate", "RollingUpdate"))
    elif rolling is None:
        return
    elif kind == "Recreate":
        yield checks.forbidden(where, "may not be specified when strategy `type` is 'Recreate'")
    else:
        yield from _rolling(rolling, where)


def _some_progress(value: Any, path: str) -> Faults:
    unavailable, surge = value.get("maxUnavailable"), value.get("maxSurge")
    if workloads.is_nothing(unavailable) and workloads.is_nothing(surge):
        message = "may not be 0 when `maxSurge` is 0"
        yield FieldError(join(path, "maxUnavailable"), unavailable, message)


_rolling = checks.both(
    checks.fields(
        maxUnavailable=checks.positive_int_or_percent, maxSurge=checks.positive_int_or_percent
    ),
    checks.detail(_some_progress),
    checks.fields(maxUnavailable=checks.at_most_all),
)


def _progress_after_ready(spec: Any, path: str) -> Faults:
    deadline, ready = spec.get("progressDeadlineSeconds"), spec.get("minReadySeconds") or 0
    where = join(path, "progressDeadlineSeconds")
    if deadline is None:
        return
    yield from checks.count(deadline, where)
    if deadline <= ready:
        yield FieldError(where, deadline, "must be greater than minReadySeconds")


def _keep_labels(new: Object, old: Object, _now_s: float) -> Object:
    labels = old["metadata"].get("labels")
    if new["metadata"].get("labels") == labels:
        return new
    metadata = without(new["metadata"], "labels")
    return {**new, "metadata": {**metadata, "labels": labels} if labels else metadata}


def _controller_defaults(controller: Object) -> Object:
    """A ReplicationController selects what its template is labelled, unless it says more."""
    spec = spec_of(controller)
    found = labels(part(spec, "template"))
    if found and not spec.get("selector"):
        controller = {**controller, "spec": {**spec, "selector": dict(found)}}
    return workloads.labelled_like_template(controller)


_valid_counts = workloads.within_replicas(
    "fullyLabeledReplicas", "readyReplicas", "availableReplicas"
)
_same_selector = rules.immutable("spec.selector", type_name="LabelSelector")

DEPLOYMENT = Registration(
    kind=KINDS["Deployment"],
    validate=workloads.workload_check(
        workloads.pods,
        templates.valid_selector("deployment"),
        templates.selected_template,
        templates.always("ReplicaSet"),
        checks.fields(strategy=_valid_strategy),
        workloads.ready,
        workloads.revisions,
        checks.detail(_progress_after_ready),
    ),
    validate_change=_same_selector,
    validate_subresource_update={
        "status": rules.all_of(
            workloads.within_replicas("updatedReplicas", "readyReplicas", "availableReplicas"),
            workloads.not_decremented,
        )
    },
    subresources={"status": _keep_labels},
)

REPLICA_SET = Registration(
    kind=KINDS["ReplicaSet"],
    validate=workloads.workload_check(
        workloads.pods,
        workloads.ready,
        templates.valid_selector("deployment"),
        templates.selected_template,
        templates.always("ReplicaSet"),
    ),
    validate_change=_same_selector,
    validate_subresource_update={"status": _valid_counts},
)

REPLICATION_CONTROLLER = Registration(
    kind=KINDS["ReplicationController"],
    defaults=_controller_defaults,
    validate=workloads.workload_check(
        workloads.ready,
        checks.fields(selector=checks.needed(is_detail=True)),
        workloads.pods,
        templates.mapped,
        templates.with_template,
        templates.always("ReplicationController"),
    ),
    validate_subresource_update={"status": _valid_counts},
)
