"""LimitRanger: what pods and claims of a namespace request by default, at least and at most.

The rules are those of the admission plugin of that name in v1.36. Of several limit ranges of a
namespace each is applied in turn, by name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from podium.api.errors import aggregate
from podium.api.objects import (
    Object,
    entries,
    is_terminating,
    metadata_of,
    namespace,
    part,
    spec_of,
    without,
)
from podium.api.pod_specs import limits_of, requests_of, resources_of
from podium.api.policy.quotas.amounts import NONE, Quantities, as_written_by, read
from podium.api.resources import pod_limits, pod_requests
from podium.api.values.quantity import Quantity
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
        yield from _too_little(subject, bound, requests.get(name), limited.get(name))
    for name, bound in sorted(read(limit.get("max")).items()):
        subject = f"maximum {name} usage per {limit['type']} is {bound}"
        if limits is None:
            yield from _request_too_large(subject, bound, requests.get(name))
        else:
            yield from _too_much(subject, bound, requests.get(name), limits.get(name))
    if limits is not None:
        for name, bound in sorted(read(limit.get("maxLimitRequestRatio")).items()):
            subject = f"{name} max limit to request ratio per {limit['type']} is {bound}"
            found = _ratio_fault(bound, requests.get(name, NONE), limits.get(name, NONE))
            if found:
                yield f"{subject}, but {found}"


def _too_little(
    subject: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if request is None:
        yield f"{subject}.  No request is specified"
    elif request < bound:
        yield f"{subject}, but request is {request}"
    elif limit is not None and limit < bound:
        yield f"{subject}, but limit is {limit}"


def _too_much(
    subject: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if limit is None:
        yield f"{subject}.  No limit is specified"
    elif limit > bound:
        yield f"{subject}, but limit is {limit}"
    elif request is not None and request > bound:
        yield f"{subject}, but request is {request}"


def _request_too_large(subject: str, bound: Quantity, request: Quantity | None) -> Iterator[str]:
    if request is None:
        yield f"{subject}.  No request is specified"
    elif request > bound:
        yield f"{subject}, but request is {request}"


def _ratio_fault(bound: Quantity, request: Quantity, limit: Quantity) -> str:
    if not request:
        return "no request is specified or request is 0"
    if not limit:
        return "no limit is specified or limit is 0"
    if limit.nanos * 10**9 <= bound.nanos * request.nanos:
        return ""
    return f"provided ratio is {limit.nanos / request.nanos:f}"


Amounts = dict[str, Any]

ANNOTATION = "kubernetes.io/limit-ranger"

_CONTAINERS = (("containers", "container"), ("initContainers", "init container"))


class LimitRanger(Plugin):
    """Fills in what containers don't say, and refuses what is out of range."""

    name = "LimitRanger"
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
    defaults: dict[str, Amounts] = {"requests": {}, "limits": {}}
    for limit in limits:
        if limit.get("type") == "Container":
            defaults["requests"].update(part(limit, "defaultRequest"))
            defaults["limits"].update(part(limit, "default"))
    spec = spec_of(pod)
    changes: dict[str, list[Object]] = {}
    remarks: list[str] = []
    for field, title in _CONTAINERS:
        for index, container in enumerate(entries(spec, field)):
            added = _missing(container, defaults)
            if any(added.values()):
                changed = changes.setdefault(field, list(spec[field]))
                changed[index] = _completed(container, added)
                remarks += _remarks(added, f"{title} {container.get('name')}")
    if not changes:
        return pod
    metadata = metadata_of(pod)
    note = f"LimitRanger plugin set: {'; '.join(remarks)}"
    annotations = {**part(metadata, "annotations"), ANNOTATION: note}
    return {
        **pod,
        "metadata": {**metadata, "annotations": annotations},
        "spec": {**spec, **changes},
    }


def _missing(container: Object, defaults: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """What of the defaults a container doesn't state itself: requests, and limits."""
    resources = resources_of(container)
    return {
        field: without(defaults[field], *part(resources, field)) for field in ("requests", "limits")
    }


def _completed(container: Object, added: Mapping[str, Amounts]) -> Object:
    resources = resources_of(container)
    new = {
        field: {**part(resources, field), **amounts} for field, amounts in added.items() if amounts
    }
    return {**container, "resources": {**resources, **new}}


def _remarks(added: Mapping[str, Amounts], whom: str) -> Iterator[str]:
    for field, amounts in added.items():
        if amounts:
            yield f"{', '.join(sorted(amounts))} {field.removesuffix('s')} for {whom}"


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
            yield from faults(limit, *_in_all(pod))


def _in_all(pod: Object) -> tuple[Quantities, Quantities]:
    """What the pod requests and is limited to, without the overhead of its runtime."""
    spec = {name: value for name, value in spec_of(pod).items() if name != "overhead"}
    bare = {"spec": spec}
    requests = as_written_by(bare, pod_requests(bare), "requests")
    return requests, as_written_by(bare, pod_limits(bare), "limits")


def _claim_faults(claim: Object, limits: Iterable[Object]) -> Iterator[str]:
    resources = resources_of(spec_of(claim))
    requests = read(resources.get("requests"))
    for limit in limits:
        if limit.get("type") == "PersistentVolumeClaim":
            yield from faults(limit, requests, None)
