"""Which quotas an object counts for, and which of their resources it can use."""

from collections.abc import Callable, Collection, Iterable, Mapping

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, entries, part, spec_of, status_of
from podium.api.pod_specs import affinity_of
from podium.api.policy.quotas.usage import (
    BY_STORAGE_CLASS,
    COUNTED_BY_NAME,
    HUGE_PAGES,
    LIMITS_PREFIX,
    REQUESTS_PREFIX,
    object_count,
)
from podium.api.qos import stored_or_computed_qos
from podium.api.resources import is_extended_resource
from podium.api.well_known import PREFERRED, REQUIRED

_NOT_COUNTED = frozenset({"Event"})
_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_POD_RESOURCES = frozenset(
    {"pods", *_COMPUTE}
    | {REQUESTS_PREFIX + name for name in _COMPUTE}
    | {LIMITS_PREFIX + name for name in _COMPUTE}
)
_SERVICE_RESOURCES = frozenset({"services", "services.nodeports", "services.loadbalancers"})
_CLAIM_RESOURCES = ("persistentvolumeclaims", "requests.storage")


def is_counted(kind: Kind) -> bool:
    """Whether quotas count objects of a kind at all."""
    return kind.namespaced and kind.key not in _NOT_COUNTED


def tracked(kind: Kind, names: Iterable[str]) -> list[str]:
    """Which of a quota's resources objects of a kind can use."""
    count = object_count(kind)
    tracks = _TRACKERS.get(kind.key)
    if tracks is None:
        alias = kind.plural if kind.key in COUNTED_BY_NAME else count
        return [name for name in names if name in (count, alias)]
    return [name for name in names if name == count or tracks(name)]


def matches(quota: Object, kind: Kind, obj: Object, hard: Collection[str]) -> bool:
    """Whether an object counts for a quota with these hard limits."""
    return bool(tracked(kind, hard)) and all(
        in_scope(scope, kind.key, obj) for scope in scope_selectors(quota)
    )


def _by_pods(name: str) -> bool:
    if name in _POD_RESOURCES or name.startswith((HUGE_PAGES, REQUESTS_PREFIX + HUGE_PAGES)):
        return True
    return name.startswith(REQUESTS_PREFIX) and is_extended_resource(
        name.removeprefix(REQUESTS_PREFIX)
    )


def _by_claims(name: str) -> bool:
    return name in _CLAIM_RESOURCES or name.endswith(
        tuple(BY_STORAGE_CLASS + resource for resource in _CLAIM_RESOURCES)
    )


_TRACKERS: Mapping[str, Callable[[str], bool]] = {
    "Pod": _by_pods,
    "Service": _SERVICE_RESOURCES.__contains__,
    "PersistentVolumeClaim": _by_claims,
}


def scope_selectors(quota: Object) -> list[Object]:
    """All scopes of a quota, as requirements with `scopeName`, `operator` and `values`."""
    spec = spec_of(quota)
    named = [{"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()]
    return [*named, *entries(part(spec, "scopeSelector"), "matchExpressions")]


def in_scope(requirement: Object, kind: str, obj: Object) -> bool:
    """Whether an object is in a scope; only pods and claims are ever in one."""
    scope = requirement.get("scopeName")
    if kind == "Pod":
        return _pod_in_scope(scope, requirement, obj)
    if kind == "PersistentVolumeClaim" and scope == "VolumeAttributesClass":
        status = status_of(obj)
        names = (
            spec_of(obj).get("volumeAttributesClassName"),
            status.get("currentVolumeAttributesClassName"),
            part(status, "modifyVolumeStatus").get("targetVolumeAttributesClassName"),
        )
        return _selects(requirement, {name for name in names if name})
    return False


def _pod_in_scope(scope: str | None, requirement: Object, pod: Object) -> bool:
    spec = spec_of(pod)
    match scope:
        case "Terminating":
            return _has_deadline(spec)
        case "NotTerminating":
            return not _has_deadline(spec)
        case "BestEffort":
            return stored_or_computed_qos(pod) == "BestEffort"
        case "NotBestEffort":
            return stored_or_computed_qos(pod) != "BestEffort"
        case "PriorityClass":
            named = spec.get("priorityClassName")
            return _selects(requirement, {named} if named else set())
        case "CrossNamespacePodAffinity":
            affinity = affinity_of(spec)
            terms = (
                term.get("podAffinityTerm") or term
                for side in ("podAffinity", "podAntiAffinity")
                for strength in (REQUIRED, PREFERRED)
                for term in entries(part(affinity, side), strength)
            )
            return any(
                one.get("namespaces") or one.get("namespaceSelector") is not None for one in terms
            )
    return False


def has_deadline(pod: Object) -> bool:
    """Whether the pod counts as terminating: it may run for a limited time only."""
    return _has_deadline(spec_of(pod))


def _has_deadline(spec: Object) -> bool:
    deadline = spec.get("activeDeadlineSeconds")
    return deadline is not None and deadline >= 0


def _selects(requirement: Object, names: set[str]) -> bool:
    values = requirement.get("values") or ()
    match requirement.get("operator"):
        case "Exists":
            return bool(names)
        case "DoesNotExist":
            return not names
        case "In":
            return any(name in values for name in names)
        case "NotIn":
            return not names or any(name not in values for name in names)
    return False
