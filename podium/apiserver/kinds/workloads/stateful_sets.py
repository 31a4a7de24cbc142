"""StatefulSets and ControllerRevisions: defaults, validation and updates."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, spec_of, without
from podium.api.objects import name as name_of
from podium.api.pods import volumes_of
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of, every, filled, inside
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.workloads import workloads
from podium.apiserver.validation import checks, templates
from podium.apiserver.validation.claims import claim_spec
from podium.apiserver.validation.metadata import object_check
from podium.apiserver.validation.names import dns_label

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


def _strategy(strategy: Any, path: str) -> checks.Faults:
    kind, rolling = strategy.get("type") or "RollingUpdate", strategy.get("rollingUpdate")
    where = checks.join(path, "rollingUpdate")
    if kind not in ("RollingUpdate", "OnDelete"):
        yield FieldError(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")
    elif kind == "OnDelete" and rolling is not None:
        yield FieldError(where, rolling, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        partition = part(strategy, "rollingUpdate").get("partition") or 0
        yield from checks.count(partition, checks.join(where, "partition"))


def _claimed_template(spec: Any, path: str) -> checks.Faults:
    names = [name_of(claim) for claim in entries(spec, "volumeClaimTemplates")]
    claims = {name: {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names}
    if claims:
        template, pod = part(spec, "template"), part(spec, "template", "spec")
        kept = [volume for volume in volumes_of(pod) if volume.get("name") not in claims]
        pod = {**pod, "volumes": [*claims.values(), *kept]}
        spec = {**spec, "template": {**template, "spec": pod}}
    yield from templates.selected_template(spec, path)


def _statefulset_spec(new: Object, old: Object) -> checks.Faults:
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
    rolling = without(strategy["rollingUpdate"], "maxUnavailable")
    strategy = {**strategy, "rollingUpdate": rolling}
    return {**stateful_set, "spec": {**spec, "updateStrategy": strategy}}


def _update(new: Object, old: Object, _now_s: float) -> Object:
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
    updateStrategy=_strategy,
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
    templates.valid_selector("statefulset", ""),
    _claimed_template,
    templates.always("StatefulSet"),
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
    update=_update,
    unselectable="field label not supported for appsv1.StatefulSet: {}",
)

CONTROLLER_REVISION = Registration(
    kind=KINDS["ControllerRevision"],
    validate=object_check(
        data=checks.needed(message="data is mandatory"), revision=checks.integer()
    ),
)
