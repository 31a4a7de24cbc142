"""LimitRanger: what pods and claims of a namespace request by default, at least and at most.

Of several limit ranges of a namespace each is applied in turn, by name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from podium.api.pod_specs import limits_of, requests_of, resources_of
from podium.api.policy.quota_usage import NONE, Quantities, as_written_by, read
from podium.api.resources import pod_limits, pod_requests
from podium.apiserver.admission.plugin import (
    CREATE,
    UPDATE,
    WRITE,
    AdmissionOptions,
    Derived,
    Plugin,
    View,
)
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden


def faults(limit: Object, requests: Quantities, limits: Quantities | None) -> Iterator[str]:
    """Faults of an object's amounts by an item of a LimitRange; a claim has no limits (None)."""
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


class LimitRanger(Plugin):
    """Fills in what containers don't say, and refuses what is out of range."""

    handles: ClassVar = {"Pod": CREATE, "Pod/resize": UPDATE, "PersistentVolumeClaim": WRITE}

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        super().__init__(view, options)
        self._ranges = Derived(view, "LimitRange", limits_by_namespace)

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.kind.key == "Pod":
            for limits in self._limits(request, obj):
                obj = with_default_amounts(obj, limits)
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        judge = pod_faults if request.kind.key == "Pod" else _claim_faults
        for limits in self._limits(request, obj):
            if found := list(judge(obj, limits)):
                raise forbidden(request.kind, request.called(obj), aggregate(found))

    def _limits(self, request: Attributes, obj: Object) -> Sequence[Sequence[Object]]:
        ranges = self._ranges().get(request.namespace, ())
        return () if ranges and is_terminating(obj) else ranges


def limits_by_namespace(ranges: Iterable[Object]) -> Mapping[str, list[Sequence[Object]]]:
    """The limits of each limit range, by the namespace that it is in."""
    found: dict[str, list[Sequence[Object]]] = {}
    for one in ranges:
        limits = spec_of(one).get("limits") or ()
        found.setdefault(namespace(one), []).append(limits)
    return found


def with_default_amounts(pod: Object, limits: Iterable[Object]) -> Object:
    """The pod whose containers request and are limited to the defaults where they say nothing."""
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
            missing = {of: without(defaults[of], *part(resources, of)) for of in defaults}
            added = {of: amounts for of, amounts in missing.items() if amounts}
            if added:
                new = {of: {**part(resources, of), **amounts} for of, amounts in added.items()}
                changed = changes.setdefault(field, list(spec[field]))
                changed[index] = {**container, "resources": {**resources, **new}}
                remarks += [
                    f"{', '.join(sorted(amounts))} {of.removesuffix('s')} for {title} "
                    f"{container.get('name')}"
                    for of, amounts in added.items()
                ]
    if not changes:
        return pod
    note = f"LimitRanger plugin set: {'; '.join(remarks)}"
    return {**annotated(pod, {ANNOTATION: note}), "spec": {**spec, **changes}}


def pod_faults(pod: Object, limits: Iterable[Object]) -> Iterator[str]:
    """What is wrong with the amounts of a pod that has its defaults, by the limits of a range."""
    spec = spec_of(pod)
    for limit in limits:
        if limit.get("type") == "Container":
            for field, _ in _CONTAINERS:
                for container in spec.get(field) or ():
                    requests, maxima = requests_of(container), limits_of(container)
                    yield from faults(limit, read(requests), read(maxima))
        elif limit.get("type") == "Pod":
            # The overhead of its runtime doesn't count.
            bare = {"spec": without(spec, "overhead")}
            all_requests = as_written_by(bare, pod_requests(bare), "requests")
            yield from faults(limit, all_requests, as_written_by(bare, pod_limits(bare), "limits"))


def _claim_faults(claim: Object, limits: Iterable[Object]) -> Iterator[str]:
    requests = read(requests_of(spec_of(claim)))
    for limit in limits:
        if limit.get("type") == "PersistentVolumeClaim":
            yield from faults(limit, requests, None)
