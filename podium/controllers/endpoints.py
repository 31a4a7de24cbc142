"""The pods behind services: the Endpoints and EndpointSlice controllers.

Rules are those of v1.36's `endpoint` and `endpointslice` controllers. Endpoints list the pods of a
service in a single object, without terminating ones. Slices hold up to a hundred pods each;
terminating pods stay listed until they have finished.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.objects import (
    Object,
    annotations,
    entries,
    is_terminating,
    labels,
    name,
    part,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import (
    containers_of,
    init_containers_of,
    is_finished,
    is_ready,
    node_name_of,
    node_names_of,
)
from podium.api.selectors.labels import NOTHING, Selector, equality_selector
from podium.api.well_known import ZONE_LABEL
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.kit.selected_pods import SelectedPods
from podium.machines.effects import Create, Effect, Replace, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.indexer import Indexes, by_namespace
from podium.machines.reconciler.reconciler import Reconciler
from podium.machines.reconciler.work_queue import Backoff, RetryRules

Ports = tuple[tuple[tuple[str, Any], ...], ...]
"""The ports of a slice or subset, each as its fields by name."""

_PORT_FIELDS = ("appProtocol", "name", "port", "protocol")
_HEADLESS = "service.kubernetes.io/headless"


class ServiceReconciler(Reconciler):
    """A controller that reconciles a service when it, or a pod that it selects, changes."""

    indexes: Indexes = (by_namespace("Pod"), by_namespace("Service"))

    def __init__(self) -> None:
        super().__init__()
        self.selected = SelectedPods(self.objects, "Service", _selector_of)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        place = place_of(change.obj)
        now = self.objects.at(change.kind, place)
        if change.kind == "Pod":
            if (before and _seen(before)) != (now and _seen(now)):
                yield from self.selected.update_pod(before, now)
        elif change.kind == "Service":
            self.selected.update_selector(before, now)
            yield place
        else:
            yield from self.other_keys(change, before)

    @abstractmethod
    def other_keys(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        """Yield the services that a change of another kind affects; arguments as in `keys_of`."""


def _selector_of(service: Object) -> Selector:
    # A service without a selector selects no pods.
    raw = spec_of(service).get("selector")
    return equality_selector(raw) if raw else NOTHING


def _seen(pod: Object) -> tuple[Any, ...]:
    spec = spec_of(pod)
    return (
        uid_of(pod),
        labels(pod),
        spec.get("nodeName"),
        status_of(pod).get("podIP"),
        is_ready(pod),
        is_terminating(pod),
        is_finished(pod),
    )


def _is_endpoint(pod: Object) -> bool:
    return bool(status_of(pod).get("podIP")) and not is_finished(pod)


def _reference_of(service: Object, pod: Object) -> dict[str, Any]:
    (namespace, pod_name), spec = place_of(pod), pod["spec"]
    target = {"kind": "Pod", "namespace": namespace, "name": pod_name, "uid": uid_of(pod)}
    fields: dict[str, Any] = {"targetRef": target}
    if spec.get("nodeName"):
        fields["nodeName"] = spec["nodeName"]
    if spec.get("hostname") and spec.get("subdomain") == name(service):
        fields["hostname"] = spec["hostname"]
    return fields


def _labels_of(service: Object) -> dict[str, str]:
    carried = {key: value for key, value in labels(service).items() if key != _HEADLESS}
    return {**carried, _HEADLESS: ""} if service["spec"].get("clusterIP") == "None" else carried


def _ports_of(service: Object, pod: Object) -> Ports:
    # The ports of a service that a pod has, with their numbers there.
    spec, ports = spec_of(pod), []
    sidecars = (one for one in init_containers_of(spec) if one.get("restartPolicy") == "Always")
    named = {
        (port.get("name"), port.get("protocol") or "TCP"): int(port["containerPort"])
        for container in reversed((*containers_of(spec), *sidecars))
        for port in reversed(container.get("ports") or ())
    }
    for port in service["spec"].get("ports") or ():
        protocol, target = port.get("protocol") or "TCP", port.get("targetPort") or port.get("port")
        number = target if isinstance(target, int) else named.get((target, protocol))
        if number is not None:
            fields = {"name": port.get("name") or "", "port": number, "protocol": protocol}
            if port.get("appProtocol"):
                fields["appProtocol"] = port["appProtocol"]
            ports.append(tuple(sorted(fields.items())))
    return tuple(ports)


ADDRESSES_MAX = 1000
ENDPOINTS_MANAGED_BY = "endpoints.kubernetes.io/managed-by"
OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity"
_ENDPOINTS = "Endpoints"


class EndpointsController(ServiceReconciler):
    """Keeps the Endpoints object of each service up to date.

    Endpoints have no owner reference, so this controller deletes them after their service.
    """

    name = "endpoint-controller"
    kinds = frozenset({"Service", "Pod", _ENDPOINTS})
    retry_rules = RetryRules(retries_max=15)

    def other_keys(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        yield place_of(change.obj)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        service = self.objects.at("Service", key)
        stored = self.objects.at(_ENDPOINTS, key)
        if service is None:
            is_ours = stored is not None and labels(stored).get(ENDPOINTS_MANAGED_BY) == self.name
            return [deletion_of(_ENDPOINTS, stored)] if stored is not None and is_ours else ()
        if not service["spec"].get("selector") or service["spec"].get("type") == "ExternalName":
            return ()
        namespace, service_name = place_of(service)
        keeps_unready = bool(service["spec"].get("publishNotReadyAddresses"))
        pods = [
            pod
            for pod in self.selected.of(service)
            if _is_endpoint(pod) and (keeps_unready or not is_terminating(pod))
        ]
        metadata = {**(stored["metadata"] if stored is not None else {"namespace": namespace})}
        carried = {**_labels_of(service), ENDPOINTS_MANAGED_BY: self.name}
        metadata |= {"name": service_name, "labels": carried}
        marks = {**part(metadata, "annotations")}
        marks.pop(OVER_CAPACITY, None)
        if len(pods) > ADDRESSES_MAX:
            marks[OVER_CAPACITY] = "truncated"
            pods = sorted(pods, key=lambda pod: not is_ready(pod))[:ADDRESSES_MAX]
        metadata["annotations"] = marks
        groups: dict[Ports, dict[str, list[Object]]] = {}
        for pod in pods:
            field = "addresses" if keeps_unready or is_ready(pod) else "notReadyAddresses"
            address = {"ip": pod["status"]["podIP"], **_reference_of(service, pod)}
            groups.setdefault(_ports_of(service, pod), {}).setdefault(field, []).append(address)
        subsets = []
        for ports in sorted(groups):
            subset: dict[str, Any] = {
                field: sorted(addresses, key=lambda address: str(address["ip"]))
                for field, addresses in groups[ports].items()
            }
            if ports:
                subset["ports"] = [dict(port) for port in ports]
            subsets.append(subset)
        wanted = {"apiVersion": "v1", "kind": _ENDPOINTS, "metadata": metadata, "subsets": subsets}
        if stored is None:
            return [Create(kind=_ENDPOINTS, obj=wanted)]
        is_same = _contents(stored) == _contents(wanted)
        return () if is_same else [Replace(kind=_ENDPOINTS, obj=wanted)]


def _contents(endpoints: Object) -> tuple[Any, ...]:
    marks = annotations(endpoints).get(OVER_CAPACITY)
    return labels(endpoints), marks, list(entries(endpoints, "subsets"))


ENDPOINTS_MAX = 100
SERVICE_NAME = "kubernetes.io/service-name"
SLICE_MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
_MANAGER = "endpointslice-controller.k8s.io"
_SLICE = "EndpointSlice"


def _services(endpoint_slice: Object) -> tuple[str, ...]:
    carried = labels(endpoint_slice)
    if carried.get(SLICE_MANAGED_BY) != _MANAGER or SERVICE_NAME not in carried:
        return ()
    return (f"{place_of(endpoint_slice)[0]}/{carried[SERVICE_NAME]}",)


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
        namespace, obj_name = place_of(change.obj)
        if change.kind == _SLICE:
            for service in _services(change.obj):
                yield namespace, service.rpartition("/")[2]
            return
        node = self.objects.get("Node", obj_name)
        if before is None or node is None or labels(before) != labels(node):
            # The node has come, gone, or moved to another zone.
            for pod in self.objects.by("Pod", "node", obj_name):
                yield from self.selected.update_pod(pod, pod)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        service = self.objects.at("Service", key)
        if service is None or is_terminating(service):
            return
        spec = service["spec"]
        slices = [*self.objects.by(_SLICE, "service", "/".join(place_of(service)))]
        if spec.get("type") == "ExternalName":
            yield from (deletion_of(_SLICE, slice_) for slice_ in slices)
            return
        if not spec.get("selector"):
            return
        keeps_unready = bool(spec.get("publishNotReadyAddresses"))
        wanted: dict[Ports, dict[str, Object]] = {}
        for pod in self.selected.of(service):
            node = self.objects.get("Node", node_name_of(pod))
            if not _is_endpoint(pod) or (node is None and not keeps_unready):
                continue
            serving, terminating = is_ready(pod), is_terminating(pod)
            endpoint = {
                "addresses": [pod["status"]["podIP"]],
                "conditions": {
                    "ready": keeps_unready or (serving and not terminating),
                    "serving": serving,
                    "terminating": terminating,
                },
                **_reference_of(service, pod),
            }
            if zone := labels(node).get(ZONE_LABEL) if node else None:
                endpoint["zone"] = zone
            wanted.setdefault(_ports_of(service, pod), {})[uid_of(pod)] = endpoint
        present: dict[Ports, list[Object]] = {}
        for one in slices:
            ports = (
                tuple((field, port[field]) for field in _PORT_FIELDS if field in port)
                for port in entries(one, "ports")
            )
            present.setdefault(tuple(ports), []).append(one)
        # Without any pod, one slice stays, without endpoints.
        for slice_ports, endpoints in (wanted or {(): {}}).items():
            yield from _fill(service, slice_ports, endpoints, present.pop(slice_ports, []))
        yield from (deletion_of(_SLICE, one) for rest in present.values() for one in rest)


def _fill(
    service: Object, ports: Ports, endpoints: Mapping[str, Object], slices: Sequence[Object]
) -> Iterator[Effect]:
    # Known endpoints stay in their slices, new ones fill these up, and the rest get slices of
    # their own.
    left = dict(endpoints)
    kept: list[list[Object]] = []
    for slice_ in slices:
        # Other clients may have written endpoints of anything but pods.
        uids = [part(endpoint, "targetRef").get("uid") for endpoint in entries(slice_, "endpoints")]
        kept.append([left.pop(uid) for uid in uids if uid in left])
    new = [*left.values()]
    for content in kept:
        space = ENDPOINTS_MAX - len(content)
        content += new[:space]
        new = new[space:]
    carried = {**_labels_of(service), SERVICE_NAME: name(service), SLICE_MANAGED_BY: _MANAGER}
    emptied = sum(not content for content in kept)
    for one, content in zip(slices, kept, strict=True):
        if not content and (endpoints or emptied > 1):
            emptied -= 1
            yield deletion_of(_SLICE, one)
        elif list(entries(one, "endpoints")) != content or labels(one) != carried:
            metadata = {**one["metadata"], "labels": carried}
            yield Replace(kind=_SLICE, obj={**one, "metadata": metadata, "endpoints": content})
    owner = {"apiVersion": "v1", "kind": "Service", **service}
    metadata = {"generateName": f"{name(service)}-", "labels": carried}
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
