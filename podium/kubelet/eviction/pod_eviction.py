"""An eviction of a pod: its grace period, its status and its event, in the words of v1.36."""

from collections.abc import Iterator, Mapping

import msgspec

from podium.api.objects import Object, name
from podium.api.pod_specs import all_containers_of, requests_of
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity, parse_quantity
from podium.kubelet.eviction.eviction_ranking import has_pod_level_resources
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.signals import EPHEMERAL_STORAGE, MEMORY

REASON = "Evicted"
IMMEDIATE_GRACE_PERIOD_S = 1

_NOTHING: Object = {}
_LARGER = "{} {} was using {}, request is {}, has larger consumption of {}. "


class Eviction(msgspec.Struct, frozen=True):
    """A pod that is to be stopped within `grace_period_s`, as configured, and fails."""

    pod: Object
    grace_period_s: int
    message: str
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)
    disrupts: bool = False

    @property
    def effective_grace_period_s(self) -> int:
        """How long it has; a pod always has a second."""
        return max(self.grace_period_s, 1)


class StarvedResource(msgspec.Struct, frozen=True):
    """The resource that a node under pressure is short of.

    Attributes:
        threshold: of the first threshold that is met for it; None if nothing was observed.
        available: what there is; likewise.
    """

    resource: str
    threshold: Quantity | None
    available: Quantity | None


def bytes_quantity(amount: int) -> Quantity:
    """So many bytes."""
    return Quantity(amount * NANOS_PER_UNIT, Format.BINARY_SI)


def pressure_message(
    starved: StarvedResource, pod: Object, usage: PodUsage | None
) -> tuple[str, Mapping[str, str]]:
    """Why a pod is evicted under pressure, and the annotations of the event that tells of it."""
    message = f"The node was low on resource: {starved.resource}. "
    if starved.threshold is not None:
        message += f"Threshold quantity: {starved.threshold}, available: {starved.available}. "
    if usage is None:
        return message, _NOTHING
    annotations: dict[str, str] = {}
    pod_level = requests_of(pod["spec"]) if has_pod_level_resources(pod) else _NOTHING
    if starved.resource == MEMORY and MEMORY in pod_level and usage.memory_bytes is not None:
        # Told of a pod that requests memory as a whole, exceeded or not.
        used, requested = bytes_quantity(usage.memory_bytes), parse_quantity(pod_level[MEMORY])
        message += _LARGER.format("Pod", name(pod), used, requested, starved.resource)
        annotations |= {"offending_pod": name(pod), "offending_pod_usage": str(used)}
    offenders = list(_offenders(starved.resource, pod, usage))
    for called, used, requested in offenders:
        message += _LARGER.format("Container", called, used, requested, starved.resource)
    annotations |= {
        "offending_containers": ",".join(called for called, _, _ in offenders),
        "offending_containers_usage": ",".join(str(used) for _, used, _ in offenders),
        "starved_resource": starved.resource,
    }
    return message, annotations


def _offenders(
    resource: str, pod: Object, usage: PodUsage
) -> Iterator[tuple[str, Quantity, Quantity]]:
    spec = pod["spec"]
    containers: dict[str, Object] = {}
    for container in all_containers_of(spec):
        containers.setdefault(container["name"], container)
    for one in usage.containers:
        rootfs, logs = one.rootfs.used_bytes, one.logs.used_bytes
        used = one.memory_bytes if resource == MEMORY else None
        if resource == EPHEMERAL_STORAGE and rootfs is not None and logs is not None:
            used = rootfs + logs
        if used is None or one.name not in containers:
            continue
        requested = parse_quantity(requests_of(containers[one.name]).get(resource, 0))
        quantity = bytes_quantity(used)
        if quantity > requested:
            yield one.name, quantity, requested
