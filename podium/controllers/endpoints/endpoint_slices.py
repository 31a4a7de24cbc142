"""The EndpointSlice controller: lists the pods of each service, and which of them serve.

Rules are those of v1.36's `endpointslice` controller, for IPv4. Slices change as little as they
can: an endpoint stays in its slice, and new ones go where there is space.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from podium.api.objects import Object, entries, is_terminating, labels, name, part, place_of, uid_of
from podium.api.pods import node_name_of, node_names_of
from podium.controllers.endpoints.service_endpoints import (
    PORT_FIELDS,
    Ports,
    ServiceReconciler,
    endpoint_of,
    is_endpoint,
    labels_of,
    ports_of,
)
from podium.controllers.kit.controller_refs import owned_object
from podium.machines.backoff import Backoff
from podium.machines.effects import Create, Effect, Replace, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.work_queue import RetryRules

ENDPOINTS_MAX = 100
SERVICE_NAME = "kubernetes.io/service-name"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"

_MANAGER = "endpointslice-controller.k8s.io"
_SLICE = "EndpointSlice"


def _services(one: Object) -> tuple[str, ...]:
    carried = labels(one)
    if carried.get(MANAGED_BY) != _MANAGER or SERVICE_NAME not in carried:
        return ()
    return (f"{place_of(one)[0]}/{carried[SERVICE_NAME]}",)


class EndpointSliceController(ServiceReconciler):
    """Keeps the EndpointSlices of each service up to date."""

    name = "endpointslice-controller"
    kinds = frozenset({"Service", "Pod", "Node", _SLICE})
    retry_rules = RetryRules(Backoff(first_s=1.0, max_s=1000.0), retries_max=15)
    indexes = (
        *ServiceReconciler.indexes,
        ("Pod", "node", node_names_of),
        (_SLICE, "service", _services),
    )

    def other_keys(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        place, called = place_of(change.obj)
        if change.kind == _SLICE:
            for service in _services(change.obj):
                yield place, service.rpartition("/")[2]
        else:
            now = self.objects.get("Node", called)
            if before is not None and now is not None and labels(before) == labels(now):
                return
            # The node has come, gone, or moved to another zone.
            for pod in self.objects.by("Pod", "node", called):
                yield from self.selected.update_pod(pod, pod)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        service = self.objects.at("Service", key)
        if service is None or is_terminating(service):
            return
        spec = service["spec"]
        slices = [*self.objects.by(_SLICE, "service", "/".join(place_of(service)))]
        if spec.get("type") == "ExternalName":
            yield from (deletion_of(_SLICE, one) for one in slices)
            return
        if not spec.get("selector"):
            return
        wanted: dict[Ports, dict[str, Object]] = {}
        for pod in self.selected.of(service):
            node = self.objects.get("Node", node_name_of(pod))
            keeps_unready = spec.get("publishNotReadyAddresses")
            if is_endpoint(pod) and (node is not None or keeps_unready):
                group = wanted.setdefault(ports_of(service, pod), {})
                group[uid_of(pod)] = endpoint_of(service, pod, node)
        present: dict[Ports, list[Object]] = {}
        for one in slices:
            listed = (
                tuple((field, port[field]) for field in PORT_FIELDS if field in port)
                for port in entries(one, "ports")
            )
            present.setdefault(tuple(listed), []).append(one)
        if not wanted:
            # One slice stays, without endpoints.
            wanted[()] = {}
        for ports, endpoints in wanted.items():
            yield from _fill(service, ports, endpoints, present.pop(ports, []))
        yield from (deletion_of(_SLICE, one) for rest in present.values() for one in rest)


def _fill(
    service: Object, ports: Ports, endpoints: Mapping[str, Object], slices: Sequence[Object]
) -> Iterator[Effect]:
    left = dict(endpoints)
    kept: list[list[Object]] = []
    for one in slices:
        # Other clients may have written endpoints of anything but pods.
        uids = [part(endpoint, "targetRef").get("uid") for endpoint in entries(one, "endpoints")]
        kept.append([left.pop(uid) for uid in uids if uid in left])
    new = [*left.values()]
    for content in kept:
        space = ENDPOINTS_MAX - len(content)
        content += new[:space]
        new = new[space:]
    emptied = sum(not content for content in kept)
    for one, content in zip(slices, kept, strict=True):
        if not content and (endpoints or emptied > 1):
            emptied -= 1
            yield deletion_of(_SLICE, one)
        else:
            carried = _labels(service)
            if list(entries(one, "endpoints")) != content or labels(one) != carried:
                metadata = {**one["metadata"], "labels": carried}
                obj = {**one, "metadata": metadata, "endpoints": content}
                yield Replace(kind=_SLICE, obj=obj)
    owner = {"apiVersion": "v1", "kind": "Service", **service}
    metadata = {"generateName": f"{name(service)}-", "labels": _labels(service)}
    count = len(new) if endpoints or slices else 1
    for start in range(0, count, ENDPOINTS_MAX):
        obj = owned_object(
            owner,
            "discovery.k8s.io/v1",
            _SLICE,
            metadata,
            addressType="IPv4",
            endpoints=new[start : start + ENDPOINTS_MAX],
            ports=[dict(port) for port in ports],
        )
        yield Create(kind=_SLICE, obj=obj)


def _labels(service: Object) -> dict[str, str]:
    return {**labels_of(service), SERVICE_NAME: name(service), MANAGED_BY: _MANAGER}
