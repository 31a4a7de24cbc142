"""Evictions of pods that take more of the node's disk than they may, pressure or not.

Where a volume has exceeded its limit, the pod's and the containers' limits don't matter any more.
All pods that exceed one are evicted in the same round.
"""

from collections.abc import Iterable, Iterator, Mapping

from podium.api.objects import Object, part, uid
from podium.api.pod_specs import containers_of, limits_of, volumes_of
from podium.api.priority import is_critical
from podium.api.resources import pod_limits
from podium.api.values.quantity import NANOS_PER_UNIT, Format, Quantity, ceil_value, parse_quantity
from podium.kubelet.eviction.node_statistics import PodUsage
from podium.kubelet.eviction.pod_eviction import IMMEDIATE_GRACE_PERIOD_S, Eviction
from podium.kubelet.eviction.signals import EPHEMERAL_STORAGE


def limit_evictions(
    pods: Iterable[Object], usage: Mapping[str, PodUsage], *, dedicated_image_fs: bool
) -> list[Eviction]:
    """Evict the pods that exceed a limit of local storage; critical pods are spared.

    Args:
        dedicated_image_fs: whether writable layers of containers don't count against the limits
            of containers.

    Raises:
        QuantityError: a limit isn't a quantity.
    """
    found = []
    for pod in pods:
        used = usage.get(uid(pod))
        if used is None or is_critical(pod):
            continue
        message = next(_excesses(pod, used, dedicated_image_fs), None)
        if message is not None:
            found.append(Eviction(pod, IMMEDIATE_GRACE_PERIOD_S, message))
    return found


def _excesses(pod: Object, usage: PodUsage, dedicated_image_fs: bool) -> Iterator[str]:
    for volume in volumes_of(pod["spec"]):
        size = part(volume, "emptyDir").get("sizeLimit")
        stored = usage.volumes.get(volume["name"])
        if size is None or stored is None:
            continue
        limit = parse_quantity(size)
        if 0 < limit.nanos < (stored.used_bytes or 0) * NANOS_PER_UNIT:
            called = volume["name"]
            yield f'Usage of EmptyDir volume "{called}" exceeds the limit "{limit}". '
    total = pod_limits(pod).get(EPHEMERAL_STORAGE)
    if total is not None and usage.ephemeral_storage_bytes * NANOS_PER_UNIT > total:
        shown = Quantity(total, Format.BINARY_SI)
        yield f"Pod ephemeral local storage usage exceeds the total limit of containers {shown}. "
    limits = {
        container["name"]: parse_quantity(limits_of(container).get(EPHEMERAL_STORAGE, 0))
        for container in containers_of(pod["spec"])
    }
    for one in usage.containers:
        used = one.logs.used_bytes or 0
        if not dedicated_image_fs:
            used += one.rootfs.used_bytes or 0
        limit = limits.get(one.name, _UNLIMITED)
        if ceil_value(limit.nanos) and used * NANOS_PER_UNIT > limit.nanos:
            yield f'Container {one.name} exceeded its local ephemeral storage limit "{limit}". '


_UNLIMITED = Quantity(0)
