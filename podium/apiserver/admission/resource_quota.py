"""ResourceQuota: refuses writes that would exceed a quota of their namespace.

The usage of a quota is in its status, which a controller initializes. Until then, the quota doesn't
limit anything.
"""

from collections.abc import Sequence
from typing import ClassVar

from podium.api.objects import Object, name, spec_of, status_of
from podium.api.pods import all_containers_of, limits_of, requests_of, resources_of
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
from podium.apiserver.admission.plugin import ALL_NAMESPACED, WRITE, AdmissionPlugin
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden

_UPDATES_CHANGE_USE = frozenset({"Service", "PersistentVolumeClaim"})


class ResourceQuota(AdmissionPlugin):
    """Adds the usage of an object to its namespace's quotas, and refuses it if one is exceeded."""

    handles: ClassVar = {ALL_NAMESPACED: WRITE}

    def charge(self, request: Attributes, obj: Object) -> Sequence[Object]:
        limited = self.options.limited_scopes
        if not (self.store.changes("ResourceQuota") or limited) or not _may_use_more(request, obj):
            return ()
        quotas = self.store.list("ResourceQuota", request.namespace or None).items
        # The quotas that apply to the object, each with the increase of its usage.
        applying: list[tuple[Object, Quantities, Quantities]] = []
        for quota in quotas:
            hard = read(status_of(quota).get("hard"))
            if matches(quota, request.kind, obj, hard):
                _check_usable(request, obj, quota, hard)
                was_in = request.old is not None and matches(quota, request.kind, request.old, hard)
                increased = masked(_more(request, obj, was_in=was_in), hard)
                applying.append((quota, hard, increased))
        uses_more = any(increased for *_, increased in applying)
        if uses_more or (not applying and _more(request, obj, was_in=True)):
            covered = {
                scope.get("scopeName")
                for quota in quotas
                for scope in scope_selectors(quota)
                if in_scope(scope, "Pod", obj)
            }
            uncovered = [
                str(scope)
                for scope in (limited if request.kind.key == "Pod" else ())
                if scope.scope not in covered and in_scope(scope.requirement, "Pod", obj)
            ]
            if uncovered:
                why = f"insufficient quota to match these scopes: [{' '.join(uncovered)}]"
                raise forbidden(request.kind, request.shown_name(obj), why)
        charged = []
        for quota, hard, increased in applying:
            if not increased:
                continue
            used = read(status_of(quota).get("used"))
            after = added(used, increased)
            if exceeded := exceeding(masked(after, increased), hard):
                requested, already, limit = (
                    pretty(masked(amounts, exceeded)) for amounts in (increased, used, hard)
                )
                why = (
                    f"exceeded quota: {name(quota)}, requested: {requested}, "
                    f"used: {already}, limited: {limit}"
                )
                raise forbidden(request.kind, request.shown_name(obj), why)
            charged.append({**quota, "status": {**status_of(quota), "used": written(after)}})
        return charged


def _may_use_more(request: Attributes, obj: Object) -> bool:
    kind, created = request.kind, request.operation is Operation.CREATE
    if not is_counted(kind):
        return False
    if request.subresource:
        return kind.key == "Pod" and request.subresource == "resize"
    if created or kind.key in _UPDATES_CHANGE_USE:
        return True
    return kind.key == "Pod" and has_deadline(obj) != has_deadline(request.old or {})


def _check_usable(request: Attributes, obj: Object, quota: Object, hard: Quantities) -> None:
    """Refuse an object if its own usage, or the current usage in the quota's status, is unknown."""
    kind = request.kind
    limiting, why = tracked(kind, hard), ""
    if not set(limiting) <= set(status_of(quota).get("used") or {}):
        why = f"status unknown for quota: {name(quota)}, resources: {','.join(sorted(limiting))}"
    spec = spec_of(obj) if kind.key == "Pod" else {}
    own = resources_of(spec)
    if spec and not (own.get("requests") or own.get("limits")):
        silent: dict[str, list[str]] = {}
        for container in all_containers_of(spec):
            stated = compute_usage(requests_of(container), limits_of(container))
            for resource in POD_COMPUTE.intersection(limiting) - stated.keys():
                silent.setdefault(resource, []).append(container["name"])
        if silent:
            missing = "; ".join(
                f"{resource} for: {','.join(sorted(names))}"
                for resource, names in sorted(silent.items())
            )
            why = f"failed quota: {name(quota)}: must specify {missing}"
    if why:
        raise forbidden(kind, request.shown_name(obj), why)


def _more(request: Attributes, obj: Object, *, was_in: bool) -> Quantities:
    used = usage(request.kind, obj, request.now_s)
    if was_in and request.old is not None:
        used = increase(used, usage(request.kind, request.old, request.now_s))
    return without_zeros(used)
