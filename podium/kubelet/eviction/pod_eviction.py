"""The evictions of pods: their messages, and those for limits of local storage."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from podium.api.objects import Object, name, part, uid
from podium.api.pods import (
    all_containers_of,
    containers_of,
    limits_of,
    requests_of,
    volumes_of,
)
from podium.api.priority import is_critical
from podium.api.resources import pod_limits
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity, ceil_value, parse_quantity
from podium.kubelet.eviction.eviction_ranking import has_pod_level_resources
from podium.kubelet.eviction.node_statistics import Observation, PodUsage
from podium.kubelet.eviction.signals import EPHEMERAL_STORAGE, MEMORY
from podium.kubelet.eviction.thresholds import Threshold

REASON = "Evicted"
IMMEDIATE_GRACE_PERIOD_S = 1

_NOTHING: Object = {}
_LARGER = "{} {} was using {}, request is {}, has larger consumption of {}. "


class Eviction(msgspec.Struct, frozen=True):
    """The eviction of a pod, which stops within a second or more, and then is in phase Failed."""

    pod: Object
    grace_period_s: int
    message: str
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)
    disrupts: bool = False


def bytes_quantity(amount: int) -> Quantity:
    """Return a number of bytes as a quantity."""
    return Quantity(amount * NANOS_PER_UNIT, Format.BINARY_SI)


def pressure_message(
    threshold: Threshold, observed: Observation, pod: Object, usage: PodUsage | None
) -> tuple[str, Mapping[str, str]]:
    """Return the message of an eviction under pressure, and the annotations of its Event."""
    resource, unit = threshold.signal.resource, threshold.signal.starved.unit
    available = Quantity(observed.available * NANOS_PER_UNIT, unit)
    message = f"The node was low on resource: {resource}. "
    message += f"Threshold quantity: {threshold.value.of(observed.capacity)}, "
    message += f"available: {available}. "
    if usage is None:
        return message, _NOTHING
    annotations: dict[str, str] = {}
    pod_level = requests_of(pod["spec"]) if has_pod_level_resources(pod) else _NOTHING
    if resource == MEMORY and MEMORY in pod_level and usage.memory_bytes is not None:
        # Pods with a pod-level memory request are reported even if they don't exceed it.
        used, requested = bytes_quantity(usage.memory_bytes), parse_quantity(pod_level[MEMORY])
        message += _LARGER.format("Pod", name(pod), used, requested, resource)
        annotations |= {"offending_pod": name(pod), "offending_pod_usage": str(used)}
    # Of containers of one name the first counts.
    specs = {spec["name"]: spec for spec in reversed([*all_containers_of(pod["spec"])])}
    offenders: dict[str, Quantity] = {}
    for container in usage.containers:
        rootfs, logs = container.rootfs.used_bytes, container.logs.used_bytes
        used_bytes = container.memory_bytes if resource == MEMORY else None
        if resource == EPHEMERAL_STORAGE and rootfs is not None and logs is not None:
            used_bytes = rootfs + logs
        if used_bytes is None or container.name not in specs:
            continue
        requested = parse_quantity(requests_of(specs[container.name]).get(resource, 0))
        used = bytes_quantity(used_bytes)
        if used > requested:
            offenders[container.name] = used
            message += _LARGER.format("Container", container.name, used, requested, resource)
    annotations |= {
        "offending_containers": ",".join(offenders),
        "offending_containers_usage": ",".join(map(str, offenders.values())),
        "starved_resource": resource,
    }
    return message, annotations


def limit_evictions(
    pods: Iterable[Object], usage: Mapping[str, PodUsage], *, dedicated_image_fs: bool
) -> list[Eviction]:
    """Return the evictions of all pods that exceed a limit of local storage, except critical pods.

    With `dedicated_image_fs` writable layers don't count against the limits of containers.
    Raises QuantityError.
    """
    return [
        Eviction(pod, IMMEDIATE_GRACE_PERIOD_S, message)
        for pod in pods
        if (used := usage.get(uid(pod))) is not None and not is_critical(pod)
        # If a volume exceeds its limit, those of the pod and its containers don't matter.
        for message in islice(_excesses(pod, used, dedicated_image_fs), 1)
    ]


def _excesses(pod: Object, usage: PodUsage, dedicated_image_fs: bool) -> Iterator[str]:
    for volume in volumes_of(pod["spec"]):
        size = part(volume, "emptyDir").get("sizeLimit")
        stored = usage.volumes.get(volume["name"])
        if size is None or stored is None:
            continue
        limit = parse_quantity(size)
        if 0 < limit.nanos < (stored.used_bytes or 0) * NANOS_PER_UNIT:
            yield f'Usage of EmptyDir volume "{volume["name"]}" exceeds the limit "{limit}". '
    total = pod_limits(pod).get(EPHEMERAL_STORAGE)
    if total is not None and usage.ephemeral_storage_bytes * NANOS_PER_UNIT > total:
        shown = Quantity(total, Format.BINARY_SI)
        yield f"Pod ephemeral local storage usage exceeds the total limit of containers {shown}. "
    limits = {
        container["name"]: parse_quantity(limits_of(container).get(EPHEMERAL_STORAGE, 0))
        for container in containers_of(pod["spec"])
    }
    for container_usage in usage.containers:
        name, used = container_usage.name, container_usage.logs.used_bytes or 0
        if not dedicated_image_fs:
            used += container_usage.rootfs.used_bytes or 0
        limit = limits.get(name, Quantity(0))
        if ceil_value(limit.nanos) and used * NANOS_PER_UNIT > limit.nanos:
            yield f'Container {name} exceeded its local ephemeral storage limit "{limit}". '
