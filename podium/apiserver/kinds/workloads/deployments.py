"""Deployments, ReplicaSets and ReplicationControllers: validation and updates."""

from typing import Any

from podium.api.errors import unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, labels, part, spec_of, without
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks, templates
from podium.apiserver.validation.checks import Faults, MinorFieldError, join

_amounts = checks.fields(
    maxUnavailable=checks.positive_int_or_percent, maxSurge=checks.positive_int_or_percent
)


def _strategy(strategy: Any, path: str) -> Faults:
    rolling, where = strategy.get("rollingUpdate"), join(path, "rollingUpdate")
    kind = strategy.get("type") or "RollingUpdate"
    if kind not in ("Recreate", "RollingUpdate"):
        yield unsupported(path, strategy, ("Recreate", "RollingUpdate"))
    elif rolling is None:
        return
    elif kind == "Recreate":
        yield checks.forbidden(where, "may not be specified when strategy `type` is 'Recreate'")
    else:
        yield from _amounts(rolling, where)
        unavailable, where = rolling.get("maxUnavailable"), join(where, "maxUnavailable")
        if workloads.is_nothing(unavailable) and workloads.is_nothing(rolling.get("maxSurge")):
            yield MinorFieldError(where, unavailable, "may not be 0 when `maxSurge` is 0")
        yield from checks.at_most_all(unavailable, where)


def _progress_after_ready(spec: Any, path: str) -> Faults:
    deadline_s, where = spec.get("progressDeadlineSeconds"), join(path, "progressDeadlineSeconds")
    if deadline_s is not None:
        yield from checks.count(deadline_s, where)
        if deadline_s <= (spec.get("minReadySeconds") or 0):
            yield MinorFieldError(where, deadline_s, "must be greater than minReadySeconds")


def _keep_labels(new: Object, old: Object, _now_s: float) -> Object:
    labels = old["metadata"].get("labels")
    if new["metadata"].get("labels") == labels:
        return new
    metadata = without(new["metadata"], "labels")
    return {**new, "metadata": {**metadata, "labels": labels} if labels else metadata}


def _with_selector(controller: Object) -> Object:
    # Without a selector of its own, it selects the labels of its template.
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
        checks.fields(strategy=_strategy),
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
    defaults=_with_selector,
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
