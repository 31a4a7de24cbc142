"""Workloads whose pods run on, such as Deployments: defaults, validation and updates."""

from typing import Any

from podium.api.errors import ErrorKind, FieldError, unsupported
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    annotated,
    annotations,
    entries,
    labels,
    part,
    spec_of,
    without,
)
from podium.api.objects import name as name_of
from podium.api.pods import volumes_of
from podium.api.values.integers import parse_int
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of, every, filled, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults, MinorFieldError, join
from podium.apiserver.validation.names import dns_label, object_check
from podium.apiserver.validation.pods.volumes import claim_spec
from podium.apiserver.validation.selectors import label_selector

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
    template_labels = labels(part(spec, "template"))
    if template_labels and not spec.get("selector"):
        controller = {**controller, "spec": {**spec, "selector": dict(template_labels)}}
    return workloads.labelled_like_template(controller)


_valid_counts = workloads.within_replicas(
    "fullyLabeledReplicas", "readyReplicas", "availableReplicas"
)
_same_selector = rules.immutable("spec.selector", type_name="LabelSelector")

DEPLOYMENT = Registration(
    kind=KINDS["Deployment"],
    validate=workloads.workload_check(
        workloads.pods,
        workloads.valid_selector("deployment"),
        workloads.selected_template,
        workloads.always("ReplicaSet"),
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
        workloads.valid_selector("deployment"),
        workloads.selected_template,
        workloads.always("ReplicaSet"),
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
        workloads.mapped,
        workloads.with_template,
        workloads.always("ReplicationController"),
    ),
    validate_subresource_update={"status": _valid_counts},
)


_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_not_empty = checks.must(
    "empty selector is invalid for daemonset", lambda selector: any(selector.values())
)
_surge = checks.fields(maxUnavailable=checks.int_or_percent, maxSurge=checks.int_or_percent)


def _daemon_strategy(strategy: Any, path: str) -> Faults:
    kind, rolling = strategy.get("type") or "RollingUpdate", part(strategy, "rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield unsupported(path, strategy, ("RollingUpdate", "OnDelete"))
    if kind != "RollingUpdate" or not rolling:
        return
    path = join(path, "rollingUpdate")
    yield from _surge(rolling, path)
    unavailable, surge = rolling.get("maxUnavailable", 1), rolling.get("maxSurge", 0)
    if not workloads.is_nothing(surge) and not workloads.is_nothing(unavailable):
        message = "may not be set when maxUnavailable is non-zero"
        yield MinorFieldError(join(path, "maxSurge"), surge, message)
    elif workloads.is_nothing(surge) and workloads.is_nothing(unavailable):
        where, message = join(path, "maxUnavailable"), "cannot be 0 when maxSurge is 0"
        yield MinorFieldError(where, None, message, ErrorKind.REQUIRED)


_valid_daemon_set = workloads.workload_check(
    checks.fields(selector=label_selector),
    workloads.selected,
    checks.fields(selector=_not_empty),
    workloads.with_template,
    workloads.always("DaemonSet"),
    workloads.ready,
    checks.fields(updateStrategy=_daemon_strategy),
    workloads.revisions,
)


def _daemon_update(new: Object, old: Object, _now_s: float) -> Object:
    count = annotations(old).get(_TEMPLATE_GENERATION, "1")
    if rules.at(new, "spec.template") != rules.at(old, "spec.template"):
        count = str((parse_int(count) or 0) + 1)
    return _with_template_generation(new, count)


def _with_template_generation(daemon_set: Object, count: str) -> Object:
    if annotations(daemon_set).get(_TEMPLATE_GENERATION) == count:
        return daemon_set
    return annotated(daemon_set, {_TEMPLATE_GENERATION: count})


DAEMON_SET = Registration(
    kind=KINDS["DaemonSet"],
    validate=_valid_daemon_set,
    validate_update=rules.all_of(
        rules.metadata,
        rules.immutable("spec.selector", type_name="LabelSelector"),
        rules.valid(_valid_daemon_set, "spec"),
    ),
    create=lambda new, _: _with_template_generation(new, "1"),
    update=_daemon_update,
)


_STATEFUL_CHANGEABLE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)


_management = checks.must(
    "must be 'OrderedReady' or 'Parallel'", lambda policy: policy in ("OrderedReady", "Parallel")
)


def _stateful_strategy(strategy: Any, path: str) -> Faults:
    kind, rolling = strategy.get("type") or "RollingUpdate", strategy.get("rollingUpdate")
    where = join(path, "rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield FieldError(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")
    elif kind == "OnDelete" and rolling is not None:
        yield FieldError(where, rolling, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        partition = part(strategy, "rollingUpdate").get("partition") or 0
        yield from checks.count(partition, join(where, "partition"))


def _claimed_template(spec: Any, path: str) -> Faults:
    names = [name_of(claim) for claim in entries(spec, "volumeClaimTemplates")]
    claims = {name: {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names}
    if claims:
        template, pod = part(spec, "template"), part(spec, "template", "spec")
        kept = [volume for volume in volumes_of(pod) if volume.get("name") not in claims]
        pod = {**pod, "volumes": [*claims.values(), *kept]}
        spec = {**spec, "template": {**template, "spec": pod}}
    yield from workloads.selected_template(spec, path)


def _statefulset_spec(new: Object, old: Object) -> Faults:
    spec, before = (without(spec_of(obj), *_STATEFUL_CHANGEABLE) for obj in (new, old))
    if not rules.same(spec, before):
        *listed, last = (f"'{field}'" for field in _STATEFUL_CHANGEABLE)
        yield checks.forbidden(
            "spec",
            "updates to statefulset spec for fields other than "
            f"{', '.join(listed)} and {last} are forbidden",
        )


def _one_at_a_time(stateful_set: Object) -> Object:
    # The gate of `maxUnavailable`, MaxUnavailableStatefulSet, is off in v1.36.
    if rules.at(stateful_set, "spec.updateStrategy.rollingUpdate.maxUnavailable") is None:
        return stateful_set
    spec, strategy = stateful_set["spec"], stateful_set["spec"]["updateStrategy"]
    strategy = {**strategy, "rollingUpdate": without(strategy["rollingUpdate"], "maxUnavailable")}
    return {**stateful_set, "spec": {**spec, "updateStrategy": strategy}}


def _stateful_update(new: Object, old: Object, _now_s: float) -> Object:
    # A stored set may have the field, as in the state of a cluster with that gate; it is kept.
    return new if _one_at_a_time(old) is not old else _one_at_a_time(new)


@defaults_of("apps.StatefulSetUpdateStrategy")
def _with_partition(strategy: Object) -> Object:
    if not strategy.get("type"):
        strategy = {"rollingUpdate": {}, **strategy, "type": "RollingUpdate"}
    if strategy["type"] != "RollingUpdate":
        return strategy
    return inside(strategy, rollingUpdate=lambda rolling: filled(rolling, partition=0))


def _with_kinds_of_claims(stateful_set: Object) -> Object:
    claims = every(lambda claim: filled(claim, apiVersion="v1", kind="PersistentVolumeClaim"))
    return inside(stateful_set, spec=lambda spec: inside(spec, volumeClaimTemplates=claims))


_kept_or_not = checks.detail(checks.one_of("Retain", "Delete"))
_first_fields = checks.fields(
    podManagementPolicy=_management,
    updateStrategy=_stateful_strategy,
    persistentVolumeClaimRetentionPolicy=checks.fields(
        whenDeleted=_kept_or_not, whenScaled=_kept_or_not
    ),
)
# What never changes is judged once.
_fixed_fields = checks.fields(
    serviceName=checks.unless_empty(dns_label),
    volumeClaimTemplates=checks.each(checks.fields(spec=checks.absent_as({}, claim_spec))),
)
_last_fields = checks.both(
    workloads.pods,
    workloads.ready,
    checks.fields(ordinals=checks.fields(start=checks.count)),
    workloads.valid_selector("statefulset", ""),
    _claimed_template,
    workloads.always("StatefulSet"),
    workloads.revisions,
)
_valid_change = workloads.workload_check(_first_fields, _last_fields)

STATEFUL_SET = Registration(
    kind=KINDS["StatefulSet"],
    defaults=_with_kinds_of_claims,
    validate=object_check(
        name=dns_label, spec=checks.needed(checks.both(_first_fields, _fixed_fields, _last_fields))
    ),
    validate_update=rules.changed(_valid_change, "spec"),
    validate_change=_statefulset_spec,
    validate_subresource_update={
        "status": workloads.within_replicas(
            "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"
        )
    },
    create=lambda new, _: _one_at_a_time(new),
    update=_stateful_update,
    unselectable="field label not supported for appsv1.StatefulSet: {}",
)

CONTROLLER_REVISION = Registration(
    kind=KINDS["ControllerRevision"],
    validate=object_check(
        data=checks.needed(message="data is mandatory"), revision=checks.integer()
    ),
)
