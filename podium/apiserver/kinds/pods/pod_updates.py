"""Validation of changes of pods, as in v1.36's `ValidatePodUpdate` and `ValidatePodStatusUpdate`.

The node selector and node affinity of a pod with scheduling gates may still become stricter.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, annotations, entries, part, spec_of, status_of
from podium.api.pods import affinity_of, init_containers_of, node_affinity_of, tolerations_of
from podium.api.priority import MIRROR_ANNOTATION
from podium.api.resources import is_sidecar
from podium.apiserver.internal_types import difference, internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import label_key, subdomain
from podium.apiserver.validation.pods.placement import tolerations as tolerations_check
from podium.apiserver.validation.pods.pod_validation import pod as pod_check

_CHANGEABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)
_CONTAINERS = ("containers", "initContainers")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SYSTEM_CONDITIONS = frozenset({"PodScheduled", "Ready", "Initialized"})


def _spec_update(new: Object, old: Object) -> checks.Faults:
    spec, before = spec_of(new), spec_of(old)
    if spec is before or spec == before:
        return
    for field in _CONTAINERS:
        now, then = entries(spec, field), entries(before, field)
        if len(now) != len(then):
            yield checks.forbidden(f"spec.{field}", "pod updates may not add or remove containers")
            return
        for index, container in enumerate(now):
            image, where = container.get("image") or "", f"spec.{field}[{index}].image"
            if not image:
                yield FieldError(where, None, "", ErrorKind.REQUIRED)
            elif image != image.strip():
                yield FieldError(where, image, "must not have leading or trailing whitespace")
    deadline_s, was_s = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if deadline_s != was_s:
        path, shown, message = "spec.activeDeadlineSeconds", deadline_s, ""
        if deadline_s is None:
            shown, message = "null", "must not update from a positive integer to nil value"
        elif not 0 <= deadline_s <= checks.INT32_MAX:
            message = f"must be between 0 and {checks.INT32_MAX}, inclusive"
        elif was_s is not None and was_s < deadline_s:
            message = "must be less than or equal to previous value"
        if message:
            yield FieldError(path, shown, message)
        # A deadline that is wrong ends the examination; one that is taken away doesn't.
        if message and deadline_s is not None:
            return
    there = {_toleration(toleration) for toleration in tolerations_of(spec)}
    if any(_toleration(toleration) not in there for toleration in tolerations_of(before)):
        message = "existing toleration can not be modified except its tolerationSeconds"
        yield checks.forbidden("spec.tolerations", message)
    else:
        yield from tolerations_check(tolerations_of(spec), "spec.tolerations")
    known = {gate.get("name") for gate in entries(before, "schedulingGates")}
    for index, gate in enumerate(entries(spec, "schedulingGates")):
        if gate.get("name") not in known:
            added_gate = f"found new scheduling gate '{gate.get('name')}'"
            message = f"only deletion is allowed, but {added_gate}"
            yield checks.forbidden(f"spec.schedulingGates[{index}].name", message)
    if known:
        yield from _tightened(spec, before)
    # All other fields are unchanged.
    rest, stored = (internal("PodSpec", one) for one in (_as_before(spec, before), before))
    if rest != stored:
        message = f"pod updates may not change fields other than {','.join(_CHANGEABLE)}"
        yield checks.forbidden("spec", f"{message}\n{difference(stored, rest)}")


def _mirror(new: Object, old: Object) -> checks.Faults:
    # Whether a pod mirrors a static one is settled when it is created.
    now, before = annotations(new), annotations(old)
    path = f"metadata.annotations[{MIRROR_ANNOTATION}]"
    if MIRROR_ANNOTATION in before:
        if now.get(MIRROR_ANNOTATION) != before[MIRROR_ANNOTATION]:
            yield checks.forbidden(path, "may not remove or update mirror pod annotation")
    elif MIRROR_ANNOTATION in now:
        yield checks.forbidden(path, "may not add mirror pod annotation")


update = rules.all_of(
    rules.metadata, rules.valid(pod_check, "metadata", "spec"), _mirror, _spec_update
)


def _toleration(toleration: Object) -> tuple[Any, ...]:
    return tuple(toleration.get(field) or "" for field in ("key", "operator", "value", "effect"))


def _as_before(spec: Object, before: Object) -> Mapping[str, Any]:
    fields = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
    kept: dict[str, Any] = {field: before.get(field) for field in fields}
    for field in _CONTAINERS:
        pairs = zip(entries(spec, field), entries(before, field), strict=True)
        kept[field] = [{**one, "image": other.get("image")} for one, other in pairs]
    grace_s, before_s = (one.get("terminationGracePeriodSeconds") for one in (spec, before))
    if before_s is not None and before_s < 0 and grace_s == 1:
        kept["terminationGracePeriodSeconds"] = before_s
    if before.get("schedulingGates"):
        kept["nodeSelector"], node = before.get("nodeSelector"), _node_affinity(before)
        if not rules.same(_node_affinity(spec), node):
            others = {
                field: value
                for field, value in affinity_of(spec).items()
                if field != "nodeAffinity" and value is not None
            }
            is_there = others or before.get("affinity") is not None
            kept["affinity"] = {**others, "nodeAffinity": node} if is_there else None
    return {**spec, **kept}


_TERMS = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"


def _tightened(spec: Object, before: Object) -> checks.Faults:
    selector = part(spec, "nodeSelector")
    if any(selector.get(key) != v for key, v in part(before, "nodeSelector").items()):
        message = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield FieldError("spec.nodeSelector", dict(sorted(selector.items())) or None, message)
    new, old = (
        entries(part(node_affinity_of(one), _REQUIRED), "nodeSelectorTerms")
        for one in (spec, before)
    )
    if not old or rules.same(_node_affinity(spec), _node_affinity(before)):
        return
    if len(new) != len(old):
        message = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        shown = [internal("NodeSelectorTerm", term) for term in new] or None
        yield FieldError(_TERMS, shown, message)
        return
    for index, (now, then) in enumerate(zip(new, old, strict=True)):
        if not _grown(now, then):
            message = "only additions are allowed (no mutations or deletions)"
            yield FieldError(f"{_TERMS}[{index}]", internal("NodeSelectorTerm", now), message)


def _node_affinity(spec: Object) -> Object | None:
    return affinity_of(spec).get("nodeAffinity")


def _grown(new: Object, old: Object) -> bool:
    """Return whether a node selector term only appends requirements; an empty term mustn't grow."""
    pairs = [(entries(new, f), entries(old, f)) for f in ("matchExpressions", "matchFields")]
    if not any(then for _, then in pairs):
        return not any(now for now, _ in pairs)
    return all(rules.same(now[: len(then)], then) for now, then in pairs)


def _status(new: Object, old: Object) -> checks.Faults:
    status, before, spec = status_of(new), status_of(old), spec_of(new)
    for index, condition in enumerate(entries(status, "conditions")):
        kind, where = condition.get("type") or "", f"status.conditions[{index}]"
        yield from _generation(condition, where)
        if kind not in _SYSTEM_CONDITIONS:
            yield from label_key(kind, f"{where}.Type")
    yield from _generation(status, "status")
    if (spec.get("nodeName") or "") != (spec_of(old).get("nodeName") or ""):
        yield checks.forbidden("status.nodeName", "may not be changed directly")
    nominated = status.get("nominatedNodeName")
    if nominated and nominated != before.get("nominatedNodeName"):
        yield from subdomain(nominated, "status.nominatedNodeName")
        if spec.get("nodeName"):
            message = "may not be set on pods that are already bound to a node"
            yield checks.forbidden("status.nominatedNodeName", message)
    yield from rules.immutable("status.qosClass")(new, old)
    yield from _restarted(status, before, spec_of(old))
    named, seen = {claim.get("name") for claim in entries(spec, "resourceClaims")}, set()
    for index, claim in enumerate(entries(status, "resourceClaimStatuses")):
        name, where = claim.get("name"), f"status.resourceClaimStatuses[{index}].name"
        if name not in named:
            message = "must match the name of an entry in `spec.resourceClaims`"
            yield FieldError(where, name, message)
        if name in seen:
            yield checks.duplicate(where, name)
        seen.add(name)
    pod_ips = status.get("podIPs") or [{"ip": ip} for ip in (status.get("podIP"),) if ip]
    yield from _ip_list(pod_ips, "status.podIPs")
    host_ips = entries(status, "hostIPs")
    first = host_ips[0].get("ip") or "" if host_ips else ""
    if host_ips and first != (status.get("hostIP") or ""):
        yield FieldError("status.hostIPs[0].ip", first, "must be equal to `hostIP`")
    yield from _ip_list(host_ips, "status.hostIPs")


status_update = rules.all_of(rules.metadata, _mirror, _status)


def _generation(observer: Object, path: str) -> checks.Faults:
    generation = observer.get("observedGeneration") or 0
    if generation < 0:
        yield FieldError(f"{path}.observedGeneration", generation, "must be a non-negative integer")


def _ip_list(addresses: Sequence[Object], path: str) -> checks.Faults:
    ips = [address.get("ip") or "" for address in addresses]
    faults = [*checks.each(checks.ip_address)(ips, path)]
    yield from faults
    if not faults and len({":" in ip for ip in ips}) < len(ips):
        message = "may specify no more than one IP for each IP family"
        yield FieldError(path, [{"IP": ip} for ip in ips], message)


def _restarted(status: Object, before: Object, spec: Object) -> checks.Faults:
    # A container that isn't restarted stays terminated.
    policy = spec.get("restartPolicy")
    sidecars = {one["name"] for one in init_containers_of(spec) if is_sidecar(one)}
    for field, restarts, spared in (
        ("containerStatuses", policy, ()),
        ("initContainerStatuses", policy, sidecars),
        ("ephemeralContainerStatuses", "Never", ()),
    ):
        now, then = entries(status, field), entries(before, field)
        if restarts == "Always" or now is then:
            continue
        going_on = Counter(
            one.get("name") for one in now if part(one, "state").get("terminated") is None
        )
        for index, container in enumerate(then):
            ended = part(container, "state").get("terminated")
            if ended is None or container.get("name") in spared:
                continue
            if ended.get("exitCode") and restarts == "OnFailure":
                continue
            for _ in range(going_on[container.get("name")]):
                message = "may not be transitioned to non-terminated state"
                yield checks.forbidden(f"status.{field}[{index}].state", message)
