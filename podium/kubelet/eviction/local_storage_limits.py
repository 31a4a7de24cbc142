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
        usage: what they use, by uid.
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
    for volume, limit in _empty_dir_excesses(pod, usage):
        yield f'Usage of EmptyDir volume "{volume}" exceeds the limit "{limit}". '
    total = _exceeded_pod_limit(pod, usage)
    if total is not None:
        yield f"Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
    for container, limit in _container_excesses(pod, usage, dedicated_image_fs):
        yield f'Container {container} exceeded its local ephemeral storage limit "{limit}". '


def _empty_dir_excesses(pod: Object, usage: PodUsage) -> Iterator[tuple[str, Quantity]]:
    for volume in volumes_of(pod["spec"]):
        size = part(volume, "emptyDir").get("sizeLimit")
        used = usage.volumes.get(volume["name"])
        if size is None or used is None:
            continue
        limit = parse_quantity(size)
        if 0 < limit.nanos < (used.used_bytes or 0) * NANOS_PER_UNIT:
            yield volume["name"], limit


def _exceeded_pod_limit(pod: Object, usage: PodUsage) -> Quantity | None:
    limit = pod_limits(pod).get(EPHEMERAL_STORAGE)
    if limit is None or usage.ephemeral_storage_bytes * NANOS_PER_UNIT <= limit:
        return None
    return Quantity(limit, Format.BINARY_SI)


def _container_excesses(
    pod: Object, usage: PodUsage, dedicated_image_fs: bool
) -> Iterator[tuple[str, Quantity]]:
    limits = {}
    for container in containers_of(pod["spec"]):
        amounts = limits_of(container)
        limit = parse_quantity(amounts.get(EPHEMERAL_STORAGE, 0))
        if ceil_value(limit.nanos):
            limits[container["name"]] = limit
    for one in usage.containers:
        used = one.logs.used_bytes or 0
        if not dedicated_image_fs:
            used += one.rootfs.used_bytes or 0
        limit = limits.get(one.name, _UNLIMITED)
        if limit is not _UNLIMITED and used * NANOS_PER_UNIT > limit.nanos:
            yield one.name, limit


_UNLIMITED = Quantity(0)
