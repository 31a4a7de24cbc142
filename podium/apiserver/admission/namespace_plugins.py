"""The admission plugins that apply rules of a namespace: its lifecycle, limits and quotas.

The usage of a quota is in its status, which a controller initializes. Until then, the quota doesn't
limit anything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from podium.api.errors import StatusCause, aggregate
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    annotated,
    entries,
    is_terminating,
    name,
    namespace,
    part,
    spec_of,
    status_of,
    without,
)
from podium.api.pods import all_containers_of, limits_of, phase_of, requests_of, resources_of
from podium.api.policy.quota_usage import (
    NONE,
    POD_COMPUTE,
    Quantities,
    added,
    as_written_by,
    compute_usage,
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
    written,
)
from podium.api.resources import pod_limits, pod_requests
from podium.apiserver.admission.plugin import (
    ALL_NAMESPACED,
    CREATE,
    DELETE,
    UPDATE,
    WRITE,
    AdmissionPlugin,
    Derived,
)
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.refusals import forbidden, not_found

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
"""Namespaces that can't be deleted."""

_NAMESPACE = KINDS["Namespace"]


class NamespaceLifecycle(AdmissionPlugin):
    """Refuses objects in missing or terminating namespaces, and deletions of system namespaces."""

    handles: ClassVar = {ALL_NAMESPACED: WRITE, "Namespace": DELETE}

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.operation is Operation.DELETE:
            if request.name in IMMORTAL:
                raise forbidden(_NAMESPACE, request.name, "this namespace may not be deleted")
            return obj
        place = request.namespace
        namespace = self.store.get("Namespace", "", place)
        if namespace is None:
            raise not_found(_NAMESPACE, place)
        phase = phase_of(namespace)
        if phase == "Terminating" and request.operation is Operation.CREATE:
            terminating = f"namespace {place} is being terminated"
            cause = StatusCause("NamespaceTerminating", terminating, "metadata.namespace")
            why = (
                f"unable to create new content in namespace {place} because it is being terminated"
            )
            raise forbidden(request.kind, request.shown_name(obj), why, (cause,))
        return obj


def limit_faults(limit: Object, requests: Quantities, limits: Quantities | None) -> Iterator[str]:
    """Yield the violations of one item of a LimitRange; `limits` is None for a claim."""
    limited = limits or {}
    for resource, bound in sorted(read(limit.get("min")).items()):
        subject = f"minimum {resource} usage per {limit['type']} is {bound}"
        request, limited_to = requests.get(resource), limited.get(resource)
        if request is None:
            yield f"{subject}.  No request is specified"
        elif request < bound:
            yield f"{subject}, but request is {request}"
        elif limited_to is not None and limited_to < bound:
            yield f"{subject}, but limit is {limited_to}"
    for resource, bound in sorted(read(limit.get("max")).items()):
        subject = f"maximum {resource} usage per {limit['type']} is {bound}"
        request, limited_to = requests.get(resource), limited.get(resource)
        if limits is None and request is None:
            yield f"{subject}.  No request is specified"
        elif limits is not None and limited_to is None:
            yield f"{subject}.  No limit is specified"
        elif limited_to is not None and limited_to > bound:
            yield f"{subject}, but limit is {limited_to}"
        elif request is not None and request > bound:
            yield f"{subject}, but request is {request}"
    if limits is not None:
        for resource, bound in sorted(read(limit.get("maxLimitRequestRatio")).items()):
            subject = f"{resource} max limit to request ratio per {limit['type']} is {bound}"
            request, limited_to = requests.get(resource, NONE), limits.get(resource, NONE)
            if not request:
                yield f"{subject}, but no request is specified or request is 0"
            elif not limited_to:
                yield f"{subject}, but no limit is specified or limit is 0"
            elif limited_to.nanos * 10**9 > bound.nanos * request.nanos:
                ratio = limited_to.nanos / request.nanos
                yield f"{subject}, but provided ratio is {ratio:f}"


ANNOTATION = "kubernetes.io/limit-ranger"

_CONTAINERS = (("containers", "container"), ("initContainers", "init container"))


class LimitRanger(AdmissionPlugin):
    """Sets default requests and limits, and refuses amounts out of the range of any LimitRange."""

    handles: ClassVar = {"Pod": CREATE, "Pod/resize": UPDATE, "PersistentVolumeClaim": WRITE}

    @cached_property
    def _ranges(self) -> Derived[Mapping[str, list[Sequence[Object]]]]:
        return Derived(self.store, "LimitRange", limits_by_namespace)

    def admit(self, request: Attributes, obj: Object) -> Object:
        for limits in self._limits(request, obj) if request.kind.key == "Pod" else ():
            obj = with_default_amounts(obj, limits)
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        faults_of = pod_faults if request.kind.key == "Pod" else _claim_faults
        for limits in self._limits(request, obj):
            if faults := list(faults_of(obj, limits)):
                raise forbidden(request.kind, request.shown_name(obj), aggregate(faults))

    def _limits(self, request: Attributes, obj: Object) -> Sequence[Sequence[Object]]:
        ranges = self._ranges().get(request.namespace, ())
        return () if ranges and is_terminating(obj) else ranges


def limits_by_namespace(ranges: Iterable[Object]) -> Mapping[str, list[Sequence[Object]]]:
    """Return the items (`spec.limits`) of each LimitRange, by namespace."""
    limits: dict[str, list[Sequence[Object]]] = {}
    for limit_range in ranges:
        of_namespace = limits.setdefault(namespace(limit_range), [])
        of_namespace.append(spec_of(limit_range).get("limits") or ())
    return limits


def with_default_amounts(pod: Object, limits: Iterable[Object]) -> Object:
    """Return a pod whose containers have default requests and limits where they had none."""
    defaults: dict[str, dict[str, Any]] = {"requests": {}, "limits": {}}
    for limit in limits:
        if limit.get("type") == "Container":
            defaults["requests"].update(part(limit, "defaultRequest"))
            defaults["limits"].update(part(limit, "default"))
    spec = spec_of(pod)
    changes: dict[str, list[Object]] = {}
    remarks: list[str] = []
    for field, title in _CONTAINERS:
        for index, container in enumerate(entries(spec, field)):
            resources = resources_of(container)
            completed = resources
            for of, default in defaults.items():
                amounts = part(resources, of)
                if missing := without(default, *amounts):
                    completed = {**completed, of: {**amounts, **missing}}
                    what = f"{', '.join(sorted(missing))} {of.removesuffix('s')}"
                    remarks.append(f"{what} for {title} {container.get('name')}")
            if completed is not resources:
                changed = changes.setdefault(field, list(spec[field]))
                changed[index] = {**container, "resources": completed}
    if not changes:
        return pod
    note = f"LimitRanger plugin set: {'; '.join(remarks)}"
    return {**annotated(pod, {ANNOTATION: note}), "spec": {**spec, **changes}}


def pod_faults(pod: Object, limits: Iterable[Object]) -> Iterator[str]:
    """Yield the violations of a LimitRange's items by a pod that has its defaults."""
    spec = spec_of(pod)
    for limit in limits:
        if limit.get("type") == "Container":
            for field, _ in _CONTAINERS:
                for container in spec.get(field) or ():
                    requests, maxima = requests_of(container), limits_of(container)
                    yield from limit_faults(limit, read(requests), read(maxima))
        elif limit.get("type") == "Pod":
            # The overhead of the pod's runtime doesn't count.
            bare = {"spec": without(spec, "overhead")}
            all_requests = as_written_by(bare, pod_requests(bare), "requests")
            yield from limit_faults(
                limit, all_requests, as_written_by(bare, pod_limits(bare), "limits")
            )


def _claim_faults(claim: Object, limits: Iterable[Object]) -> Iterator[str]:
    requests = read(requests_of(spec_of(claim)))
    for limit in limits:
        if limit.get("type") == "PersistentVolumeClaim":
            yield from limit_faults(limit, requests, None)


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
            if exceeded := [one for one in hard if one in increased and after[one] > hard[one]]:
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
    return {resource: amount for resource, amount in used.items() if amount}
