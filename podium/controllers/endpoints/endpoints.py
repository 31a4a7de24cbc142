"""The Endpoints controller: lists the pods of a service in a single object.

Rules are those of v1.36's `endpoint` controller. Terminating pods are left out; those that aren't
ready are listed apart. Without an owner reference, the object is deleted with its service here.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from podium.api.objects import Object, annotations, entries, is_terminating, labels, part, place_of
from podium.api.pods import is_ready
from podium.controllers.endpoints.service_endpoints import (
    Ports,
    ServiceReconciler,
    is_endpoint,
    labels_of,
    ports_of,
    reference_of,
)
from podium.machines.effects import Create, Effect, Replace, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.work_queue import RetryRules

ADDRESSES_MAX = 1000
MANAGED_BY = "endpoints.kubernetes.io/managed-by"
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_KIND = "Endpoints"


class EndpointsController(ServiceReconciler):
    """Keeps the Endpoints object of each service up to date."""

    name = "endpoint-controller"
    kinds = frozenset({"Service", "Pod", _KIND})
    retry_rules = RetryRules(retries_max=15)

    def other_keys(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        yield place_of(change.obj)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        service = self.objects.at("Service", key)
        known = self.objects.at(_KIND, key)
        if service is None:
            is_ours = known is not None and labels(known).get(MANAGED_BY) == self.name
            return [deletion_of(_KIND, known)] if known is not None and is_ours else ()
        if not service["spec"].get("selector") or service["spec"].get("type") == "ExternalName":
            return ()
        place, called = place_of(service)
        keeps_unready = bool(service["spec"].get("publishNotReadyAddresses"))
        pods = [
            pod
            for pod in self.selected.of(service)
            if is_endpoint(pod) and (keeps_unready or not is_terminating(pod))
        ]
        metadata = {**(known["metadata"] if known is not None else {"namespace": place})}
        metadata |= {"name": called, "labels": {**labels_of(service), MANAGED_BY: self.name}}
        marks = {**part(metadata, "annotations")}
        marks.pop(OVER_CAPACITY, None)
        if len(pods) > ADDRESSES_MAX:
            marks[OVER_CAPACITY] = "truncated"
            pods = sorted(pods, key=lambda pod: not is_ready(pod))[:ADDRESSES_MAX]
        metadata["annotations"] = marks
        subsets = list(_subsets(service, pods, keeps_unready))
        wanted = {"apiVersion": "v1", "kind": _KIND, "metadata": metadata, "subsets": subsets}
        if known is None:
            return [Create(kind=_KIND, obj=wanted)]
        is_same = _contents(known) == _contents(wanted)
        return () if is_same else [Replace(kind=_KIND, obj=wanted)]


def _subsets(service: Object, pods: Sequence[Object], keeps_unready: bool) -> Iterator[Object]:
    groups: dict[Ports, dict[str, list[Object]]] = {}
    for pod in pods:
        sort = "addresses" if keeps_unready or is_ready(pod) else "notReadyAddresses"
        group = groups.setdefault(ports_of(service, pod), {})
        group.setdefault(sort, []).append(
            {"ip": pod["status"]["podIP"], **reference_of(service, pod)}
        )
    for ports in sorted(groups):
        subset: dict[str, Any] = {
            sort: sorted(found, key=lambda one: str(one["ip"]))
            for sort, found in groups[ports].items()
        }
        if ports:
            subset["ports"] = [dict(port) for port in ports]
        yield subset


def _contents(endpoints: Object) -> tuple[Any, ...]:
    marks = annotations(endpoints).get(OVER_CAPACITY)
    return labels(endpoints), marks, list(entries(endpoints, "subsets"))
