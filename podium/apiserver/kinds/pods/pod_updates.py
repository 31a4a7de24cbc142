"""Pods: what of them may be changed once they are there, which is little.

The rules are those of `ValidatePodUpdate` in v1.36. Where a gated pod may go can still be narrowed
down, as nobody has looked for a node yet.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, entries, part, spec_of
from podium.api.pod_specs import affinity_of, node_affinity_of, tolerations_of
from podium.api.priority import MIRROR_ANNOTATION
from podium.apiserver.internals import difference, internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.pods.pod_validation import pod as pod_check
from podium.apiserver.validation.pods.taints_and_tolerations import tolerations as tolerations_check

_CHANGEABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)
_CONTAINERS = ("containers", "initContainers")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _spec_update(new: Object, old: Object) -> Faults:
    spec, before = spec_of(new), spec_of(old)
    if spec is before or spec == before:
        return
    for field in _CONTAINERS:
        now, then = spec.get(field) or (), before.get(field) or ()
        if len(now) != len(then):
            yield checks.forbidden(f"spec.{field}", "pod updates may not add or remove containers")
            return
        for index, container in enumerate(now):
            image, where = container.get("image") or "", f"spec.{field}[{index}].image"
            if not image:
                yield FieldError(where, None, "", ErrorKind.REQUIRED)
            elif image != image.strip():
                yield FieldError(where, image, "must not have leading or trailing whitespace")
    faults = list(_deadline(spec, before))
    yield from faults
    # A deadline that is wrong ends the examination; one that is taken away doesn't.
    if faults and spec.get("activeDeadlineSeconds") is not None:
        return
    there = {_toleration(one) for one in tolerations_of(spec)}
    if any(_toleration(one) not in there for one in tolerations_of(before)):
        message = "existing toleration can not be modified except its tolerationSeconds"
        yield checks.forbidden("spec.tolerations", message)
    else:
        yield from tolerations_check(tolerations_of(spec), "spec.tolerations")
    known = {gate.get("name") for gate in before.get("schedulingGates") or ()}
    for index, gate in enumerate(entries(spec, "schedulingGates")):
        if gate.get("name") not in known:
            found = f"found new scheduling gate '{gate.get('name')}'"
            message = f"only deletion is allowed, but {found}"
            yield checks.forbidden(f"spec.schedulingGates[{index}].name", message)
    if known:
        yield from _tightened(spec, before)
    # Besides what has been looked at, nothing is different.
    rest, stored = (internal("PodSpec", one) for one in (_as_before(spec, before), before))
    if rest != stored:
        message = f"pod updates may not change fields other than {','.join(_CHANGEABLE)}"
        yield checks.forbidden("spec", f"{message}\n{difference(stored, rest)}")


def annotations(new: Object, old: Object) -> Faults:
    """Nobody makes a static pod's picture of a pod, or takes that from it."""
    now, before = new["metadata"], old["metadata"]
    if now.get("annotations") == before.get("annotations"):
        return
    now, before = now.get("annotations") or {}, before.get("annotations") or {}
    path = f"metadata.annotations[{MIRROR_ANNOTATION}]"
    if MIRROR_ANNOTATION in before:
        if now.get(MIRROR_ANNOTATION) != before[MIRROR_ANNOTATION]:
            yield checks.forbidden(path, "may not remove or update mirror pod annotation")
    elif MIRROR_ANNOTATION in now:
        yield checks.forbidden(path, "may not add mirror pod annotation")


update = rules.all_of(
    rules.metadata, rules.valid(pod_check, "metadata", "spec"), annotations, _spec_update
)


def _deadline(spec: Object, before: Object) -> Faults:
    path = "spec.activeDeadlineSeconds"
    now, then = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if now is None:
        if then is not None:
            yield FieldError(path, "null", "must not update from a positive integer to nil value")
    elif not 0 <= now <= checks.INT32_MAX:
        yield FieldError(path, now, f"must be between 0 and {checks.INT32_MAX}, inclusive")
    elif then is not None and then < now:
        yield FieldError(path, now, "must be less than or equal to previous value")


def _toleration(toleration: Object) -> tuple[Any, ...]:
    return tuple(toleration.get(field) or "" for field in ("key", "operator", "value", "effect"))


def _as_before(spec: Object, before: Object) -> Mapping[str, Any]:
    fields = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
    kept: dict[str, Any] = {field: before.get(field) for field in fields}
    for field in _CONTAINERS:
        now, then = spec.get(field) or (), before.get(field) or ()
        kept[field] = [
            {**one, "image": other.get("image")} for one, other in zip(now, then, strict=True)
        ]
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


def _tightened(spec: Object, before: Object) -> Faults:
    selector = spec.get("nodeSelector") or {}
    if any(selector.get(key) != v for key, v in part(before, "nodeSelector").items()):
        message = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield FieldError("spec.nodeSelector", dict(sorted(selector.items())) or None, message)
    new, old = _required_terms(spec), _required_terms(before)
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
    found: Object | None = affinity_of(spec).get("nodeAffinity")
    return found


def _required_terms(spec: Object) -> Sequence[Object]:
    return entries(part(node_affinity_of(spec), _REQUIRED), "nodeSelectorTerms")


def _grown(new: Object, old: Object) -> bool:
    """Whether the new requirements begin with all the old ones; a term without any stays so."""
    pairs = [(entries(new, f), entries(old, f)) for f in ("matchExpressions", "matchFields")]
    if not any(then for _, then in pairs):
        return not any(now for now, _ in pairs)
    return all(rules.same(now[: len(then)], then) for now, then in pairs)
