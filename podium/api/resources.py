"""Requests and limits of pods, including sidecars, overhead and in-place resizes; QoS classes.

The rules are those of component-helpers' `resource` package in v1.36. Amounts are nanos (10⁻⁹ of a
unit) by resource name, so that sums are exact. For the quality of service class, only cpu and
memory above zero count, from the pod-level resources if the pod has that field.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from podium.api.objects import Object, entries, spec_of, status_of
from podium.api.pods import (
    all_containers_of,
    containers_of,
    init_containers_of,
    requests_of,
    resources_of,
)
from podium.api.selectors.labels import validate_label_key
from podium.api.values.quantity import (
    NANOS_PER_MILLI,
    NANOS_PER_UNIT,
    QuantityError,
    ceil_milli,
    ceil_value,
    nanos,
)

RESIZE_PENDING, RESIZE_IN_PROGRESS = "PodResizePending", "PodResizeInProgress"

# What the scheduler's scores assume of a container that doesn't say what it requests.
SCORING_DEFAULTS: Mapping[str, int] = {
    "cpu": 100 * NANOS_PER_MILLI,
    "memory": 200 * 1024 * 1024 * NANOS_PER_UNIT,
}

Amounts = dict[str, int]

_NOTHING: Object = {}

HUGE_PAGES = "hugepages-"
_ATTACHABLE_VOLUMES = "attachable-volumes-"
_NATIVE_DOMAIN = "kubernetes.io/"
REQUESTS_PREFIX = "requests."


def pod_requests(
    pod: Object,
    *,
    use_status: bool = False,
    default_missing: Mapping[str, int] | None = None,
    pod_level: bool = True,
) -> Amounts:
    """Compute the requests of a pod in nanos by resource name; a QuantityError names the field.

    The result is the larger one of the sum of all containers and the largest init container, as
    init containers run one after another; sidecars (restartable init containers) are added to all
    that start later. Pod-level requests replace those of the containers; overhead is added.

    Args:
        use_status: whether to use the largest of the requested (unless infeasible), allocated
            and actual amounts of a pod that is resized in place, as for pods with a node.
        default_missing: nanos of resources that a container doesn't specify; 0 is specified.
        pod_level: whether pod-level requests count; they don't for a pod to be scored.
    """
    resize = _Resize.of(pod) if use_status else _NO_RESIZE

    def requests_of(container: Object, keeps_running: bool) -> Amounts:
        requests = _resources(container, "requests")
        if keeps_running and resize is not _NO_RESIZE:
            requests = resize.effective(requests, resize.containers.get(container.get("name", "")))
        for name, amount in (default_missing or _NOTHING).items():
            requests.setdefault(name, amount)
        return requests

    spec = pod.get("spec") or _NOTHING
    total = _aggregate(spec, requests_of)
    if pod_level and spec.get("resources"):
        requested = _resources(spec, "requests", "spec")
        effective = resize.effective(requested, resize.pod)
        total.update((name, effective.get(name, 0)) for name in requested if is_pod_level(name))
    if overhead := spec.get("overhead"):
        _add(total, _read(overhead, "spec.overhead"))
    return total


def pod_requests_in_use(pod: Object) -> Amounts:
    """Compute the requests that a pod's node has allocated, without a pending resize."""
    status = pod.get("status") or _NOTHING
    conditions = [c for c in status.get("conditions") or () if c.get("type") != RESIZE_PENDING]
    refused = {"type": RESIZE_PENDING, "reason": "Infeasible"}
    known = {**status, "conditions": [*conditions, refused]}
    return pod_requests({**pod, "status": known}, use_status=True)


def pod_scoring_requests(pod: Object) -> Amounts:
    """Compute the requests of a pod that is on a node, for scoring.

    Containers without requests count with `SCORING_DEFAULTS`; if there are pod-level requests,
    only for resources that neither they nor any container specify.
    """
    if not any(map(is_pod_level, requests_of(spec_of(pod)))):
        return pod_requests(pod, use_status=True, default_missing=SCORING_DEFAULTS)
    requests = pod_requests(pod, use_status=True)
    missing = {name: n for name, n in SCORING_DEFAULTS.items() if name not in requests}
    return pod_requests(pod, use_status=True, default_missing=missing)


def pod_limits(pod: Object) -> Amounts:
    """Compute a pod's limits in nanos by resource name, without unlimited resources.

    Overhead is only added to limits above zero. A QuantityError names the field.
    """

    def limits_of(container: Object, _keeps_running: bool) -> Amounts:
        return _resources(container, "limits")

    spec = pod.get("spec") or _NOTHING
    total = _aggregate(spec, limits_of)
    pod_level = _resources(spec, "limits", "spec")
    total.update((name, n) for name, n in pod_level.items() if is_pod_level(name))
    for name, overhead in _read(spec.get("overhead"), "spec.overhead").items():
        if total.get(name):
            total[name] += overhead
    return total


def resource_amount(name: str, nanos: int) -> int:
    """Convert nanos into the scheduler's integers: millicores for cpu, otherwise whole units."""
    return ceil_milli(nanos) if name == "cpu" else ceil_value(nanos)


def is_sidecar(container: Object) -> bool:
    """Return whether an init container is a sidecar (`restartPolicy: Always`)."""
    return container.get("restartPolicy") == "Always"


def is_pod_level(name: str) -> bool:
    """Return whether a resource can be requested for a pod as a whole."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES)


def is_extended_resource(name: str) -> bool:
    """Return whether a resource is an extended one, such as `example.com/gpu`."""
    return (
        "/" in name
        and _NATIVE_DOMAIN not in name
        and not name.startswith(REQUESTS_PREFIX)
        and not validate_label_key(REQUESTS_PREFIX + name)
    )


def is_scalar_resource(name: str) -> bool:
    """Return whether the scheduler counts a resource besides cpu, memory and ephemeral-storage."""
    return (
        name.startswith((HUGE_PAGES, _ATTACHABLE_VOLUMES))
        or _NATIVE_DOMAIN in name
        or is_extended_resource(name)
    )


class _Resize(msgspec.Struct, frozen=True):
    # The resize of a pod by its status: the larger of allocated and actual requests, by container
    # name and for the whole pod.

    infeasible: bool
    containers: Mapping[str, Amounts]
    pod: Amounts | None

    @classmethod
    def of(cls, pod: Object) -> "_Resize":
        status = pod.get("status") or _NOTHING
        containers = {}
        for field in ("containerStatuses", "initContainerStatuses"):
            for index, container in enumerate(entries(status, field)):
                held = _held(container, f"status.{field}[{index}]")
                if held is not None:
                    containers[container.get("name", "")] = held
        pending = (c for c in status.get("conditions") or () if c.get("type") == RESIZE_PENDING)
        is_infeasible = next(pending, _NOTHING).get("reason") == "Infeasible"
        return cls(is_infeasible, containers, _held(status, "status"))

    def effective(self, requested: Amounts, held: Amounts | None) -> Amounts:
        if held is None:
            return requested
        largest = {} if self.infeasible else dict(requested)
        _raise_to(largest, held)
        return largest


_NO_RESIZE = _Resize(infeasible=False, containers={}, pod=None)


def _held(status: Object, path: str) -> Amounts | None:
    if status.get("resources") is None:
        return None
    held = _resources(status, "requests", path)
    _raise_to(held, _read(status.get("allocatedResources"), f"{path}.allocatedResources"))
    return held


def _aggregate(spec: Object, amounts_of: Callable[[Object, bool], Amounts]) -> Amounts:
    # The amounts at the most demanding moment of a pod's life. `amounts_of` has those of one
    # container, given whether it keeps running.

    def amounts_at(listed: str, index: int, container: Object, keeps_running: bool) -> Amounts:
        try:
            return amounts_of(container, keeps_running)
        except QuantityError as error:
            raise error.under(f"spec.{listed}[{index}]") from None

    total: Amounts = {}
    for index, container in enumerate(containers_of(spec)):
        _add(total, amounts_at("containers", index, container, True))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for index, container in enumerate(init_containers_of(spec)):
        sidecar = is_sidecar(container)
        stage = amounts_at("initContainers", index, container, sidecar)
        if sidecar:
            _add(total, stage)
        _add(stage, sidecars)
        if sidecar:
            sidecars = stage
        _raise_to(peak, stage)
    _raise_to(total, peak)
    return total


def _resources(owner: Object, field: str, path: str = "") -> Amounts:
    try:
        return _read(resources_of(owner).get(field), field)
    except QuantityError as error:
        raise error.under("resources").under(path) from None


def _read(raw: Object | None, path: str) -> Amounts:
    amounts = {}
    for name, quantity in (raw or _NOTHING).items():
        try:
            amounts[name] = nanos(quantity)
        except QuantityError as error:
            raise error.under(f"{path}[{name}]") from None
    return amounts


def _add(total: Amounts, amounts: Amounts) -> None:
    if not total:
        total.update(amounts)
        return
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount


def _raise_to(total: Amounts, amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if name not in total or total[name] < amount:
            total[name] = amount


IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"
"""The prefix of the extended resource that each DeviceClass provides under its own name."""


def may_be_devices(resource: str) -> bool:
    """Return whether a DeviceClass may provide this resource (IsDRAExtendedResourceName)."""
    return is_extended_resource(resource) or resource.startswith(IMPLICIT_PREFIX)


def implicit_resource(class_name: str) -> str:
    """Return the extended resource that a DeviceClass provides by its own name."""
    return IMPLICIT_PREFIX + class_name


def explicit_resource(device_class: Object) -> str:
    """Return the extended resource that a DeviceClass names in its spec; empty if none."""
    return str(spec_of(device_class).get("extendedResourceName") or "")


QOSClass = Literal["Guaranteed", "Burstable", "BestEffort"]

_COMPUTE = ("cpu", "memory")


def qos_class(pod: Mapping[str, Any]) -> QOSClass:
    """Compute the QoS class of a pod from its spec; raises QuantityError."""
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    all_limited = True
    spec = spec_of(pod)
    pod_level = spec.get("resources")
    stated = map(resources_of, all_containers_of(spec)) if pod_level is None else [pod_level]
    for resources in stated:
        _add_positive(requests, resources.get("requests"))
        all_limited &= _add_positive(limits, resources.get("limits")) == len(_COMPUTE)
    if not requests and not limits:
        return "BestEffort"
    return "Guaranteed" if all_limited and requests == limits else "Burstable"


def stored_or_computed_qos(pod: Mapping[str, Any]) -> QOSClass:
    """Return the QoS class in the pod's status, which never changes; if absent, compute it."""
    return status_of(pod).get("qosClass") or qos_class(pod)


def _add_positive(total: dict[str, int], amounts: Mapping[str, Any] | None) -> int:
    # Adds cpu and memory above zero to the total, in nanos, and returns how many there were.
    positive = {
        name: amount
        for name in _COMPUTE
        if amounts and name in amounts and (amount := nanos(amounts[name])) > 0
    }
    for name, amount in positive.items():
        total[name] = total.get(name, 0) + amount
    return len(positive)
