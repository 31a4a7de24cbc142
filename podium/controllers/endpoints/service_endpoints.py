"""Pods as endpoints of services, by the rules of v1.36's `endpointslice` library."""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from podium.api.objects import (
    Object,
    is_terminating,
    labels,
    name,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pod_specs import containers_of, init_containers_of
from podium.api.pods import is_finished, is_ready
from podium.api.selectors.labels import NOTHING, Selector, equality_selector
from podium.api.well_known import ZONE_LABEL
from podium.controllers.kit.selected_pods import SelectedPods
from podium.machines.events import Change
from podium.machines.reconciler.indexer import Indexes, by_namespace
from podium.machines.reconciler.reconciler import Reconciler

Ports = tuple[tuple[tuple[str, Any], ...], ...]
"""The ports of a slice, each as its fields by name."""

HEADLESS = "service.kubernetes.io/headless"


class ServiceReconciler(Reconciler):
    """A controller that reconciles services when they, or pods that they select, change."""

    indexes: Indexes = (by_namespace("Pod"), by_namespace("Service"))

    def __init__(self) -> None:
        super().__init__()
        self.selected = SelectedPods(self.objects, "Service", service_selector)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        place = place_of(change.obj)
        now = self.objects.at(change.kind, place)
        if change.kind == "Pod":
            if (before and _seen(before)) != (now and _seen(now)):
                yield from self.selected.update_pod(before, now)
            return
        if change.kind == "Service":
            self.selected.update_selector(before, now)
            yield place
        else:
            yield from self.other_keys(change, before)

    @abstractmethod
    def other_keys(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        """The services that a change of another kind concerns; arguments as of `keys_of`."""


def service_selector(service: Object) -> Selector:
    """A service's selector; a service without one selects no pods."""
    raw = spec_of(service).get("selector")
    return equality_selector(raw) if raw else NOTHING


def is_endpoint(pod: Object) -> bool:
    """Whether a selected pod is an endpoint: it has an address, and hasn't finished."""
    return bool(status_of(pod).get("podIP")) and not is_finished(pod)


def endpoint_of(service: Object, pod: Object, node: Object | None) -> Object:
    """The endpoint that a pod is."""
    serving, terminating = is_ready(pod), is_terminating(pod)
    keeps_unready = bool(service["spec"].get("publishNotReadyAddresses"))
    endpoint = {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {
            "ready": keeps_unready or (serving and not terminating),
            "serving": serving,
            "terminating": terminating,
        },
        **reference_of(service, pod),
    }
    zone = labels(node).get(ZONE_LABEL) if node else None
    if zone:
        endpoint["zone"] = zone
    return endpoint


def reference_of(service: Object, pod: Object) -> dict[str, Any]:
    """The fields of an endpoint that refer to its pod: target, node and host name."""
    (place, called), spec = place_of(pod), pod["spec"]
    target = {"kind": "Pod", "namespace": place, "name": called, "uid": uid_of(pod)}
    fields: dict[str, Any] = {"targetRef": target}
    if spec.get("nodeName"):
        fields["nodeName"] = spec["nodeName"]
    if spec.get("hostname") and spec.get("subdomain") == name(service):
        fields["hostname"] = spec["hostname"]
    return fields


def labels_of(service: Object) -> dict[str, str]:
    """The labels that a service passes on, with that of a headless one."""
    carried = {key: value for key, value in labels(service).items() if key != HEADLESS}
    return {**carried, HEADLESS: ""} if service["spec"].get("clusterIP") == "None" else carried


PORT_FIELDS = ("appProtocol", "name", "port", "protocol")
"""The fields by which ports differ, in the order of `Ports`."""


def ports_of(service: Object, pod: Object) -> Ports:
    """The ports of a service that a pod has, with their numbers there."""
    found = []
    for port in service["spec"].get("ports") or ():
        protocol = port.get("protocol") or "TCP"
        number = _number(port.get("targetPort") or port.get("port"), protocol, pod)
        if number is not None:
            fields = {"name": port.get("name") or "", "port": number, "protocol": protocol}
            if port.get("appProtocol"):
                fields["appProtocol"] = port["appProtocol"]
            found.append(tuple(sorted(fields.items())))
    return tuple(found)


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


def _number(target: int | str, protocol: str, pod: Object) -> int | None:
    if isinstance(target, int):
        return target
    spec = spec_of(pod)
    sidecars = (one for one in init_containers_of(spec) if one.get("restartPolicy") == "Always")
    for container in (*containers_of(spec), *sidecars):
        for one in container.get("ports") or ():
            if one.get("name") == target and (one.get("protocol") or "TCP") == protocol:
                return int(one["containerPort"])
    return None
