"""The Endpoints controller: the old, single object that says who is behind a service.

Rules are those of v1.36's `endpoint` controller. Terminating pods aren't in it at all; those that
aren't ready stand apart. Unlike slices it doesn't belong to its service, and is deleted with it.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from podium.api.objects import Object, is_terminating, labels, name, place_of, uid_of
from podium.api.pods import is_ready
from podium.control.effects import Create, Effect, Replace, deletion_of
from podium.control.events import Change
from podium.controllers.kit.indexer import namespaces
from podium.controllers.kit.reconciler import Reconciler
from podium.controllers.kit.selected_pods import SelectedPods
from podium.controllers.service_endpoints import (
    HEADLESS,
    Ports,
    is_behind,
    looks_alike,
    ports_of,
    selector_of,
)

ADDRESSES_MAX = 1000
MANAGED_BY = "endpoints.kubernetes.io/managed-by"
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_KIND = "Endpoints"


class EndpointsController(Reconciler):
    """Keeps the Endpoints object of each service in step with its pods."""

    name = "endpoint-controller"
    kinds = frozenset({"Service", "Pod", _KIND})

    def __init__(self) -> None:
        super().__init__({"Pod": {"namespace": namespaces}, "Service": {"namespace": namespaces}})
        self._members = SelectedPods(self.objects, "Service", selector_of)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        place, called = place_of(obj)
        now = self.objects.at(change.kind, (place, called))
        if change.kind == "Pod":
            if not looks_alike(before, now):
                yield from self._members.update_pod(before, now)
            return
        if change.kind == "Service":
            self._members.update_selector(before, now)
        yield place, called

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        service = self.objects.at("Service", key)
        known = self.objects.at(_KIND, key)
        if service is None:
            return [deletion_of(_KIND, known)] if known is not None and _is_ours(known) else ()
        if not service["spec"].get("selector") or service["spec"].get("type") == "ExternalName":
            return ()
        wanted = _endpoints(service, self._members.of(service), known)
        if known is None:
            return [Create(kind=_KIND, obj=wanted)]
        is_same = _contents(known) == _contents(wanted)
        return () if is_same else [Replace(kind=_KIND, obj=wanted)]


def _endpoints(service: Object, pods: Sequence[Object], known: Object | None) -> Object:
    place, called = place_of(service)
    keeps_unready = bool(service["spec"].get("publishNotReadyAddresses"))
    behind = [pod for pod in pods if is_behind(pod) and (keeps_unready or not is_terminating(pod))]
    metadata = {**(known["metadata"] if known is not None else {"namespace": place})}
    metadata |= {"name": called, "labels": _labels(service)}
    marks = {**(metadata.get("annotations") or {})}
    marks.pop(OVER_CAPACITY, None)
    if len(behind) > ADDRESSES_MAX:
        marks[OVER_CAPACITY] = "truncated"
        behind = sorted(behind, key=lambda pod: not is_ready(pod))[:ADDRESSES_MAX]
    metadata["annotations"] = marks
    return {
        "apiVersion": "v1",
        "kind": _KIND,
        "metadata": metadata,
        "subsets": list(_subsets(service, behind, keeps_unready)),
    }


def _subsets(service: Object, pods: Sequence[Object], keeps_unready: bool) -> Iterator[Object]:
    """The addresses of pods that listen at the same ports, ready and not."""
    groups: dict[Ports, dict[str, list[Object]]] = {}
    for pod in pods:
        sort = "addresses" if keeps_unready or is_ready(pod) else "notReadyAddresses"
        group = groups.setdefault(ports_of(service, pod), {})
        group.setdefault(sort, []).append(_address(service, pod))
    for ports in sorted(groups):
        subset: dict[str, Any] = {
            sort: sorted(found, key=lambda one: str(one["ip"]))
            for sort, found in groups[ports].items()
        }
        if ports:
            subset["ports"] = [dict(port) for port in ports]
        yield subset


def _address(service: Object, pod: Object) -> Object:
    place, called = place_of(pod)
    spec = pod["spec"]
    address: dict[str, Any] = {
        "ip": pod["status"]["podIP"],
        "targetRef": {"kind": "Pod", "namespace": place, "name": called, "uid": uid_of(pod)},
    }
    if spec.get("nodeName"):
        address["nodeName"] = spec["nodeName"]
    if spec.get("hostname") and spec.get("subdomain") == name(service):
        address["hostname"] = spec["hostname"]
    return address


def _labels(service: Object) -> dict[str, str]:
    carried = {**labels(service), MANAGED_BY: EndpointsController.name}
    carried.pop(HEADLESS, None)
    if service["spec"].get("clusterIP") == "None":
        carried[HEADLESS] = ""
    return carried


def _contents(endpoints: Object) -> tuple[Any, ...]:
    """What the controller decides about, alike however it is written down."""
    marks = (endpoints["metadata"].get("annotations") or {}).get(OVER_CAPACITY)
    return labels(endpoints), marks, list(endpoints.get("subsets") or ())


def _is_ours(endpoints: Object) -> bool:
    return labels(endpoints).get(MANAGED_BY) == EndpointsController.name
