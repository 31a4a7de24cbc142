"""ResourceQuota: refuses requests that would exceed a quota of their namespace.

The use of a quota is kept in its status, which a controller initialises; a quota that hasn't been
looked at yet limits nothing.
"""

from collections.abc import Collection, Sequence
from typing import ClassVar

import msgspec

from podium.api.objects import Object, name, spec_of, status_of
from podium.api.pod_specs import all_containers_of, limits_of, requests_of, resources_of
from podium.api.policy.quota_usage import (
    POD_COMPUTE,
    Quantities,
    added,
    compute_usage,
    exceeding,
    has_deadline,
    in_scope,
    increase,
    is_counted,
    masked,
    matches,
    pretty,
    read,
    scope_selectors,
    tracked,
    usage,
    without_zeros,
    written,
)
from podium.apiserver.admission.plugin import ALL_NAMESPACED, WRITE, Plugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

_UPDATES_CHANGE_USE = frozenset({"Service", "PersistentVolumeClaim"})


class _Bill(msgspec.Struct, frozen=True):
    quota: Object
    hard: Quantities
    more: Quantities


class ResourceQuota(Plugin):
    """Charges quotas for what is about to be stored."""

    handles: ClassVar = {ALL_NAMESPACED: WRITE}

    def charge(self, request: Attributes, obj: Object) -> Sequence[Object]:
        limited = self.options.limited_scopes
        if not (self.view.version("ResourceQuota") or limited) or not _may_use_more(request, obj):
            return ()
        quotas = self.view.list("ResourceQuota", request.namespace)
        bills = [bill for quota in quotas if (bill := _bill(request, obj, quota)) is not None]
        uses_more = any(bill.more for bill in bills)
        if uses_more or (not bills and _more(request, obj, was_in=True)):
            covered = {
                scope.get("scopeName")
                for quota in quotas
                for scope in scope_selectors(quota)
                if in_scope(scope, "Pod", obj)
            }
            uncovered = [
                str(one)
                for one in (limited if request.kind.key == "Pod" else ())
                if one.scope not in covered and in_scope(one.requirement, "Pod", obj)
            ]
            if uncovered:
                why = f"insufficient quota to match these scopes: [{' '.join(uncovered)}]"
                raise forbidden(request.kind, request.called(obj), why)
        return [_paid(request, obj, bill) for bill in bills if bill.more]


def _may_use_more(request: Attributes, obj: Object) -> bool:
    kind, created = request.kind, request.operation is Operation.CREATE
    if not is_counted(kind):
        return False
    if request.subresource:
        return kind.key == "Pod" and request.subresource == "resize"
    if created or kind.key in _UPDATES_CHANGE_USE:
        return True
    return kind.key == "Pod" and has_deadline(obj) != has_deadline(request.old or {})


def _bill(request: Attributes, obj: Object, quota: Object) -> _Bill | None:
    """What the object costs a quota; None if it doesn't count for it."""
    hard = read(status_of(quota).get("hard"))
    kind = request.kind
    if not matches(quota, kind, obj, hard):
        return None
    limiting = tracked(kind, hard)
    if kind.key == "Pod" and (missing := _missing(obj, limiting)):
        why = f"failed quota: {name(quota)}: must specify {missing}"
        raise forbidden(kind, request.called(obj), why)
    used = status_of(quota).get("used") or {}
    if not set(limiting) <= set(used):
        why = f"status unknown for quota: {name(quota)}, resources: {','.join(sorted(limiting))}"
        raise forbidden(kind, request.called(obj), why)
    was_in = request.old is not None and matches(quota, kind, request.old, hard)
    return _Bill(quota, hard, masked(_more(request, obj, was_in=was_in), hard))


def _more(request: Attributes, obj: Object, *, was_in: bool) -> Quantities:
    used = usage(request.kind, obj, request.now_s)
    if was_in and request.old is not None:
        used = increase(used, usage(request.kind, request.old, request.now_s))
    return without_zeros(used)


def _missing(pod: Object, limiting: Collection[str]) -> str:
    """Which containers don't say how much they want of what; empty if all do, or the pod does."""
    spec = spec_of(pod)
    own = resources_of(spec)
    needed = sorted(POD_COMPUTE.intersection(limiting))
    if not needed or own.get("requests") or own.get("limits"):
        return ""
    silent: dict[str, list[str]] = {}
    for container in all_containers_of(spec):
        stated = compute_usage(requests_of(container), limits_of(container))
        for resource in needed:
            if resource not in stated:
                silent.setdefault(resource, []).append(container["name"])
    return "; ".join(f"{one} for: {','.join(sorted(silent[one]))}" for one in sorted(silent))


def _paid(request: Attributes, obj: Object, bill: _Bill) -> Object:
    status = status_of(bill.quota)
    used = read(status.get("used"))
    after = added(used, bill.more)
    broken = exceeding(masked(after, bill.more), bill.hard)
    if broken:
        requested = pretty(masked(bill.more, broken))
        already, limit = pretty(masked(used, broken)), pretty(masked(bill.hard, broken))
        why = (
            f"exceeded quota: {name(bill.quota)}, requested: {requested}, "
            f"used: {already}, limited: {limit}"
        )
        raise forbidden(request.kind, request.called(obj), why)
    return {**bill.quota, "status": {**status, "used": written(after)}}
