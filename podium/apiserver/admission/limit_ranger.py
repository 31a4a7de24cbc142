"""LimitRanger: what pods and claims of a namespace request by default, at least and at most.

The rules are those of the admission plugin of that name in v1.36. Of several limit ranges of a
namespace each is applied in turn, by name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from podium.api.errors import aggregate
from podium.api.objects import Object, is_terminating, namespace, spec_of
from podium.api.resources import pod_limits, pod_requests
from podium.apiserver.admission.limits import faults
from podium.apiserver.admission.plugin import CREATE, UPDATE, WRITE, AdmissionOptions, Plugin
from podium.apiserver.admission.view import Derived, View
from podium.apiserver.attributes import Attributes
from podium.apiserver.refusals import forbidden
from podium.core.quotas.amounts import Quantities, as_written_by, read

Amounts = dict[str, Any]

ANNOTATION = "kubernetes.io/limit-ranger"

_CONTAINERS = (("containers", "container"), ("initContainers", "init container"))


class LimitRanger(Plugin):
    """Fills in what containers don't say, and refuses what is out of range."""

    name = "LimitRanger"
    handles: ClassVar = {"Pod": CREATE, "Pod/resize": UPDATE, "PersistentVolumeClaim": WRITE}

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        super().__init__(view, options)
        self._ranges = Derived(view, "LimitRange", _by_namespace)

    def admit(self, request: Attributes, obj: Object) -> Object:
        if request.kind.key == "Pod":
            for limits in self._limits(request, obj):
                obj = _with_defaults(obj, limits)
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        judge = _pod_faults if request.kind.key == "Pod" else _claim_faults
        for limits in self._limits(request, obj):
            if found := list(judge(obj, limits)):
                raise forbidden(request.kind, request.called(obj), aggregate(found))

    def _limits(self, request: Attributes, obj: Object) -> Sequence[Sequence[Object]]:
        """The limits of each limit range that applies."""
        ranges = self._ranges().get(request.namespace, ())
        return () if ranges and is_terminating(obj) else ranges


def _by_namespace(ranges: Iterable[Object]) -> Mapping[str, list[Sequence[Object]]]:
    found: dict[str, list[Sequence[Object]]] = {}
    for one in ranges:
        limits = spec_of(one).get("limits") or ()
        found.setdefault(namespace(one), []).append(limits)
    return found


def _with_defaults(pod: Object, limits: Iterable[Object]) -> Object:
    """The pod whose containers request and are limited to the defaults where they say nothing."""
    defaults: dict[str, Amounts] = {"requests": {}, "limits": {}}
    for limit in limits:
        if limit.get("type") == "Container":
            defaults["requests"].update(limit.get("defaultRequest") or {})
            defaults["limits"].update(limit.get("default") or {})
    spec = pod.get("spec") or {}
    changes: dict[str, list[Object]] = {}
    remarks: list[str] = []
    for field, title in _CONTAINERS:
        for index, container in enumerate(spec.get(field) or ()):
            added = _missing(container, defaults)
            if any(added.values()):
                changed = changes.setdefault(field, list(spec[field]))
                changed[index] = _completed(container, added)
                remarks += _remarks(added, f"{title} {container.get('name')}")
    if not changes:
        return pod
    metadata = pod.get("metadata") or {}
    note = f"LimitRanger plugin set: {'; '.join(remarks)}"
    annotations = {**(metadata.get("annotations") or {}), ANNOTATION: note}
    return {
        **pod,
        "metadata": {**metadata, "annotations": annotations},
        "spec": {**spec, **changes},
    }


def _missing(container: Object, defaults: Mapping[str, Amounts]) -> dict[str, Amounts]:
    """What of the defaults a container doesn't state itself: requests, and limits."""
    resources = container.get("resources") or {}
    return {
        field: {
            name: amount
            for name, amount in defaults[field].items()
            if name not in (resources.get(field) or {})
        }
        for field in ("requests", "limits")
    }


def _completed(container: Object, added: Mapping[str, Amounts]) -> Object:
    resources = container.get("resources") or {}
    new = {
        field: {**(resources.get(field) or {}), **amounts}
        for field, amounts in added.items()
        if amounts
    }
    return {**container, "resources": {**resources, **new}}


def _remarks(added: Mapping[str, Amounts], whom: str) -> Iterator[str]:
    """What the pod's annotation tells of one container."""
    for field, amounts in added.items():
        if amounts:
            yield f"{', '.join(sorted(amounts))} {field.removesuffix('s')} for {whom}"


def _pod_faults(pod: Object, limits: Iterable[Object]) -> Iterator[str]:
    spec = pod.get("spec") or {}
    for limit in limits:
        if limit.get("type") == "Container":
            for field, _ in _CONTAINERS:
                for container in spec.get(field) or ():
                    resources = container.get("resources") or {}
                    requests, maxima = (
                        read(resources.get("requests")),
                        read(resources.get("limits")),
                    )
                    yield from faults(limit, requests, maxima)
        elif limit.get("type") == "Pod":
            yield from faults(limit, *_in_all(pod))


def _in_all(pod: Object) -> tuple[Quantities, Quantities]:
    """What the pod requests and is limited to, without the overhead of its runtime."""
    spec = {name: value for name, value in spec_of(pod).items() if name != "overhead"}
    bare = {"spec": spec}
    requests = as_written_by(bare, pod_requests(bare), "requests")
    return requests, as_written_by(bare, pod_limits(bare), "limits")


def _claim_faults(claim: Object, limits: Iterable[Object]) -> Iterator[str]:
    resources = spec_of(claim).get("resources") or {}
    requests = read(resources.get("requests"))
    for limit in limits:
        if limit.get("type") == "PersistentVolumeClaim":
            yield from faults(limit, requests, None)
