"""LimitRanger: default, minimum and maximum amounts of a namespace's pods and claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from podium.api.errors import aggregate
from podium.api.objects import (
    Object,
    annotated,
    entries,
    is_terminating,
    namespace,
    part,
    spec_of,
    without,
)
from podium.api.pods import limits_of, requests_of, resources_of
from podium.api.policy.quota_usage import NONE, Quantities, as_written_by, read
from podium.api.resources import pod_limits, pod_requests
from podium.apiserver.admission.plugin import CREATE, UPDATE, WRITE, AdmissionPlugin, Derived
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden


def limit_faults(limit: Object, requests: Quantities, limits: Quantities | None) -> Iterator[str]:
    """Yield the violations of one item of a LimitRange; `limits` is None for a claim."""
    limited = limits or {}
    for name, bound in sorted(read(limit.get("min")).items()):
        subject = f"minimum {name} usage per {limit['type']} is {bound}"
        request, limited_to = requests.get(name), limited.get(name)
        if request is None:
            yield f"{subject}.  No request is specified"
        elif request < bound:
            yield f"{subject}, but request is {request}"
        elif limited_to is not None and limited_to < bound:
            yield f"{subject}, but limit is {limited_to}"
    for name, bound in sorted(read(limit.get("max")).items()):
        subject = f"maximum {name} usage per {limit['type']} is {bound}"
        request, limited_to = requests.get(name), None if limits is None else limits.get(name)
        if limits is None and request is None:
            yield f"{subject}.  No request is specified"
        elif limits is not None and limited_to is None:
            yield f"{subject}.  No limit is specified"
        elif limited_to is not None and limited_to > bound:
            yield f"{subject}, but limit is {limited_to}"
        elif request is not None and request > bound:
            yield f"{subject}, but request is {request}"
    if limits is not None:
        for name, bound in sorted(read(limit.get("maxLimitRequestRatio")).items()):
            subject = f"{name} max limit to request ratio per {limit['type']} is {bound}"
            request, limited_to = requests.get(name, NONE), limits.get(name, NONE)
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
