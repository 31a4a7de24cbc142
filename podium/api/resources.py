"""What a pod asks of a node, all containers, sidecars, overhead and resizes considered.

The rules are those of component-helpers' `resource` package in v1.36. Amounts are nanos
(thousand-millionths of a unit) by resource name, so that sums are exact; `resource_amount` turns
them into the integers that the scheduler compares.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from podium.api.objects import entries, spec_of
from podium.api.pod_specs import containers_of, init_containers_of, requests_of, resources_of
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
"""Conditions of a pod whose resize waits for its node, or is being made."""

# What the scheduler's scores assume of a container that doesn't say what it requests.
SCORING_DEFAULTS: Mapping[str, int] = {
    "cpu": 100 * NANOS_PER_MILLI,
    "memory": 200 * 1024 * 1024 * NANOS_PER_UNIT,
}

Amounts = dict[str, int]

_Object = Mapping[str, Any]
_NOTHING: _Object = {}
_OwnAmounts = Callable[[_Object, bool], Amounts]

HUGE_PAGES = "hugepages-"
_ATTACHABLE_VOLUMES = "attachable-volumes-"
_NATIVE_DOMAIN = "kubernetes.io/"
REQUESTS_PREFIX = "requests."


def pod_requests(
    pod: _Object,
    *,
    use_status: bool = False,
    default_missing: Mapping[str, int] | None = None,
    pod_level: bool = True,
) -> Amounts:
    """What a pod requests: nanos by resource name.

    Containers run together, after the init containers, which run one after another; sidecars
    (init containers that are always restarted) keep running from their turn on. Where pod-level
    requests are set, they replace the containers'; the overhead comes on top.

    Args:
        use_status: of what is being resized in place, count of each resource the largest amount
            that is requested (unless that was found infeasible), allocated or actual, as the
            scheduler does for pods that have a node.
        default_missing: nanos that each container requests of a resource that it doesn't mention;
            an explicit zero is a mention.
        pod_level: False leaves pod-level requests out of account, as the scheduler does with the
            pod that it scores nodes for.

    Raises:
        QuantityError: an amount isn't a quantity; the error names the field.
    """
    resize = _resize(pod) if use_status else _NO_RESIZE

    def requests_of(container: _Object, keeps_running: bool) -> Amounts:
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


def pod_requests_in_use(pod: _Object) -> Amounts:
    """What a pod has been given by its node, whatever a resize that waits asks for."""
    status = pod.get("status") or _NOTHING
    conditions = [c for c in status.get("conditions") or () if c.get("type") != RESIZE_PENDING]
    refused = {"type": RESIZE_PENDING, "reason": "Infeasible"}
    known = {**status, "conditions": [*conditions, refused]}
    return pod_requests({**pod, "status": known}, use_status=True)


def pod_scoring_requests(pod: _Object) -> Amounts:
    """What the scheduler's scores count for a pod that has a node: never nothing of cpu or memory.

    Like `pod_requests` with `SCORING_DEFAULTS` for containers that say nothing; but where
    pod-level requests are set, only for a resource that neither they nor any container mentions.
    """
    if not any(map(is_pod_level, requests_of(spec_of(pod)))):
        return pod_requests(pod, use_status=True, default_missing=SCORING_DEFAULTS)
    requests = pod_requests(pod, use_status=True)
    missing = {name: n for name, n in SCORING_DEFAULTS.items() if name not in requests}
    return pod_requests(pod, use_status=True, default_missing=missing)


def pod_limits(pod: _Object) -> Amounts:
    """What a pod may use at most: nanos by resource name; what isn't limited is absent.

    Summed like requests; the overhead raises only limits that are there and above zero. Raises
    QuantityError, naming the field.
    """

    def limits_of(container: _Object, _keeps_running: bool) -> Amounts:
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
    """The integer that the scheduler compares: thousandths of cpu, whole units of all else."""
    return ceil_milli(nanos) if name == "cpu" else ceil_value(nanos)


def is_sidecar(container: _Object) -> bool:
    """Whether an init container, once started, keeps running beside the others."""
    return container.get("restartPolicy") == "Always"


def is_pod_level(name: str) -> bool:
    """Whether a resource can be requested for a pod as a whole."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES)


def is_extended_resource(name: str) -> bool:
    """Whether a resource is a third party's, such as `example.com/gpu`."""
    return (
        "/" in name
        and _NATIVE_DOMAIN not in name
        and not name.startswith(REQUESTS_PREFIX)
        and not validate_label_key(REQUESTS_PREFIX + name)
    )


def is_scalar_resource(name: str) -> bool:
    """Whether the scheduler counts a resource besides cpu, memory and ephemeral storage."""
    return (
        name.startswith((HUGE_PAGES, _ATTACHABLE_VOLUMES))
        or _NATIVE_DOMAIN in name
        or is_extended_resource(name)
    )


class _Resize(msgspec.Struct, frozen=True):
    """What the status of a pod says of a resize in place.

    By container name, and for the pod, the larger of allocated and actual requests.
    """

    infeasible: bool
    containers: Mapping[str, Amounts]
    pod: Amounts | None

    def effective(self, requested: Amounts, held: Amounts | None) -> Amounts:
        """What counts, given what the spec requests and what the status tells."""
        if held is None:
            return requested
        largest = {} if self.infeasible else dict(requested)
        _raise_to(largest, held)
        return largest


_NO_RESIZE = _Resize(infeasible=False, containers={}, pod=None)


def _resize(pod: _Object) -> _Resize:
    status = pod.get("status") or _NOTHING
    containers = {}
    for field in ("containerStatuses", "initContainerStatuses"):
        for index, container in enumerate(entries(status, field)):
            held = _held(container, f"status.{field}[{index}]")
            if held is not None:
                containers[container.get("name", "")] = held
    pending = (c for c in status.get("conditions") or () if c.get("type") == RESIZE_PENDING)
    return _Resize(
        infeasible=next(pending, _NOTHING).get("reason") == "Infeasible",
        containers=containers,
        pod=_held(status, "status"),
    )


def _held(status: _Object, path: str) -> Amounts | None:
    if status.get("resources") is None:
        return None
    held = _resources(status, "requests", path)
    _raise_to(held, _read(status.get("allocatedResources"), f"{path}.allocatedResources"))
    return held


def _aggregate(spec: _Object, amounts_of: _OwnAmounts) -> Amounts:
    """What is needed at the most demanding moment of a pod's life.

    `amounts_of` tells what one container needs, given whether it keeps running.
    """

    def amounts_at(listed: str, index: int, container: _Object, keeps_running: bool) -> Amounts:
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


def _resources(owner: _Object, field: str, path: str = "") -> Amounts:
    try:
        return _read(resources_of(owner).get(field), field)
    except QuantityError as error:
        raise error.under("resources").under(path) from None


def _read(raw: _Object | None, path: str) -> Amounts:
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
