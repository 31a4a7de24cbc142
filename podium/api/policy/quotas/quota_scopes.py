"""Which quotas an object counts for, and which of their resources it can use."""

from collections.abc import Callable, Collection, Iterable, Mapping

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.api.policy.quotas.scopes import in_scope, scope_selectors
from podium.api.policy.quotas.usage import (
    BY_STORAGE_CLASS,
    COUNTED_BY_NAME,
    HUGE_PAGES,
    LIMITS_PREFIX,
    REQUESTS_PREFIX,
    object_count,
)
from podium.api.resources import is_extended_resource

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
