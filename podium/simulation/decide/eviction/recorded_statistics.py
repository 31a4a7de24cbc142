"""Node and pod statistics from the usage in a record.

Node statistics by group, such as nodefs, stay until a step changes them. If a pod's usage is one
number, memory is divided equally among its containers, and disk usage is that of the first one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import DEFAULT_NAMESPACE, Object, part
from podium.api.pods import containers_of
from podium.api.values.quantity import value
from podium.kubelet.eviction.filesystems import Filesystems
from podium.kubelet.eviction.node_statistics import (
    ContainerUsage,
    DiskUsage,
    Observation,
    PodUsage,
    ephemeral_volumes,
)
from podium.kubelet.eviction.signals import Signal
from podium.simulation.decide.eviction.question import Usage

_NOTHING: Object = {}
# Each signal's group, and its fields for what is available and for the capacity.
_GROUPS: Mapping[Signal, tuple[str, str, str]] = {
    Signal.MEMORY_AVAILABLE: ("memory", "available", "capacity"),
    Signal.ALLOCATABLE_MEMORY_AVAILABLE: ("allocatableMemory", "available", "capacity"),
    Signal.NODEFS_AVAILABLE: ("nodefs", "available", "capacity"),
    Signal.NODEFS_INODES_FREE: ("nodefs", "inodesFree", "inodes"),
    Signal.IMAGEFS_AVAILABLE: ("imagefs", "available", "capacity"),
    Signal.IMAGEFS_INODES_FREE: ("imagefs", "inodesFree", "inodes"),
    Signal.CONTAINERFS_AVAILABLE: ("containerfs", "available", "capacity"),
    Signal.CONTAINERFS_INODES_FREE: ("containerfs", "inodesFree", "inodes"),
}


def merged_groups(before: Object, changes: Object) -> dict[str, Any]:
    """Merge a step's changes into node statistics by group."""
    changed = {group: {**part(before, group), **(changes[group] or _NOTHING)} for group in changes}
    return {**before, **changed}


def with_shared_filesystems(by_group: Object, filesystems: Filesystems) -> Object:
    """Add values by group for filesystems that share a disk with a filesystem that has values."""
    completed = dict(by_group)
    dedicated = filesystems.dedicated_image_fs
    if "nodefs" in completed and not dedicated:
        completed.setdefault("imagefs", completed["nodefs"])
    shared = "imagefs" if dedicated and not filesystems.is_split else "nodefs"
    if shared in completed:
        completed.setdefault("containerfs", completed[shared])
    return completed


def observations(groups: Object, times_s: Mapping[str, float]) -> dict[Signal, Observation]:
    """Compute observations by eviction signal; `times_s` are the measuring times by group."""
    observed = {}
    for signal, (group, available, capacity) in _GROUPS.items():
        statistics = groups.get(group) or _NOTHING
        if available in statistics and capacity in statistics:
            amounts = value(statistics[available]), value(statistics[capacity])
            observed[signal] = Observation(*amounts, times_s.get(group))
    pids = groups.get("pid") or _NOTHING
    if "max" in pids and "running" in pids:
        most, running = value(pids["max"]), value(pids["running"])
        observed[Signal.PID_AVAILABLE] = Observation(most - running, most, times_s.get("pid"))
    return observed


def usage_key(name: str) -> str:
    """Return `namespace/name` of a pod; a name without namespace is in the default one."""
    return name if "/" in name else f"{DEFAULT_NAMESPACE}/{name}"


def pod_usage(pod: Object, usage: Usage) -> PodUsage:
    """Read the usage of a pod."""
    names = [container["name"] for container in containers_of(pod["spec"])]
    memory, disk = usage.memory, usage.disk
    inodes = usage.inodes if isinstance(usage.inodes, Mapping) else {"rootfs": usage.inodes}
    if not isinstance(memory, Mapping):
        # A number for the pod stands for its containers, too.
        by_container, pod_bytes = memory, _amount(memory)
    else:
        by_container = memory.get("containers")
        if isinstance(by_container, Sequence):
            by_container = {one["name"]: one["usage"] for one in by_container}
        summed = sum(_amounts(part(memory, "containers")).values())
        pod_bytes = _amount(memory["pod"]) if "pod" in memory else summed
    if by_container is None or isinstance(by_container, Mapping) or not names:
        memory_bytes = _amounts(by_container)
    else:
        share, rest = divmod(value(by_container), len(names))
        # The first container also gets what can't be divided.
        memory_bytes = {name: share + (0 if at else rest) for at, name in enumerate(names)}
    parts = [
        (
            {} if disk is None else _of_first(disk.get(where), names),
            _of_first(inodes.get(where), names),
        )
        for where in ("rootfs", "logs")
    ]
    unknown = None if disk is None else 0
    known = (memory_bytes, *(amounts for both in parts for amounts in both))
    containers = tuple(
        ContainerUsage(
            name,
            memory_bytes.get(name),
            *(DiskUsage(sizes.get(name, unknown), counts.get(name)) for sizes, counts in parts),
        )
        for name in dict.fromkeys((*(name for amounts in known for name in amounts), *names))
    )
    sizes, counts = part(disk or _NOTHING, "volumes"), part(inodes, "volumes")
    volumes = {
        name: DiskUsage(_amount(sizes.get(name)), _amount(counts.get(name)))
        for name in {**sizes, **counts}
    }
    stored = _amount(usage.ephemeral_storage)
    if stored is None:
        disks = [one for container in containers for one in (container.rootfs, container.logs)]
        disks += [volumes[name] for name in ephemeral_volumes(pod) if name in volumes]
        stored = sum(disk_usage.used_bytes or 0 for disk_usage in disks)
    return PodUsage(
        memory_bytes=pod_bytes,
        containers=containers,
        volumes=volumes,
        ephemeral_storage_bytes=stored,
        processes=value(usage.processes),
    )


def _of_first(amounts: Any, names: Sequence[str]) -> dict[str, int]:
    if amounts is None or isinstance(amounts, Mapping) or not names:
        return _amounts(amounts)
    return {names[0]: value(amounts)}


def _amounts(amounts: Any) -> dict[str, int]:
    by_name: Object = amounts if isinstance(amounts, Mapping) else _NOTHING
    return {name: value(amount) for name, amount in by_name.items()}


def _amount(amount: Any) -> int | None:
    return None if amount is None else value(amount)
