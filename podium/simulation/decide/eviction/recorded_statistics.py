"""Node and pod statistics from the usage in a record.

Node statistics come by group, and stay until a step changes them. Where a record gives one number
for a pod, memory is spread evenly over the containers, and all disk usage is the first one's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.objects import DEFAULT_NAMESPACE, Object, part
from podium.api.pod_specs import containers_of
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
    """Node statistics by group, with what a step changes."""
    return {
        **before,
        **{group: {**part(before, group), **(changes[group] or _NOTHING)} for group in changes},
    }


def with_shared_filesystems(by_group: Object, filesystems: Filesystems) -> Object:
    """The same with what goes for filesystems that are one with another."""
    found = dict(by_group)
    dedicated = filesystems.dedicated_image_fs
    if "nodefs" in found and not dedicated:
        found.setdefault("imagefs", found["nodefs"])
    shared = "imagefs" if dedicated and not filesystems.is_split else "nodefs"
    if shared in found:
        found.setdefault("containerfs", found[shared])
    return found


def observations(groups: Object, times_s: Mapping[str, float]) -> dict[Signal, Observation]:
    """Observations by eviction signal."""
    found = {}
    for signal, (group, available, capacity) in _GROUPS.items():
        told = groups.get(group) or _NOTHING
        if available in told and capacity in told:
            amounts = value(told[available]), value(told[capacity])
            found[signal] = Observation(*amounts, times_s.get(group))
    pids = groups.get("pid") or _NOTHING
    if "max" in pids and "running" in pids:
        most, running = value(pids["max"]), value(pids["running"])
        found[Signal.PID_AVAILABLE] = Observation(most - running, most, times_s.get("pid"))
    return found


def usage_key(called: str) -> str:
    """The namespace and name of a pod that a record may name without its namespace."""
    return called if "/" in called else f"{DEFAULT_NAMESPACE}/{called}"


def pod_usage(pod: Object, told: Usage) -> PodUsage:
    """Usage of a pod as recorded."""
    names = [one["name"] for one in containers_of(pod["spec"])]
    memory, disk = told.memory, told.disk
    inodes = told.inodes if isinstance(told.inodes, Mapping) else {"rootfs": told.inodes}
    if not isinstance(memory, Mapping):
        # A number for the pod stands for each container, too.
        by_container, pod_bytes = memory, _amount(memory)
    else:
        by_container = memory.get("containers")
        if isinstance(by_container, Sequence):
            by_container = {one["name"]: one["usage"] for one in by_container}
        summed = sum(_amounts(part(memory, "containers")).values())
        pod_bytes = _amount(memory["pod"]) if "pod" in memory else summed
    containers = _containers(names, _spread(by_container, names), disk, inodes)
    sizes, counts = part(disk or _NOTHING, "volumes"), part(inodes, "volumes")
    volumes = {
        called: DiskUsage(_amount(sizes.get(called)), _amount(counts.get(called)))
        for called in {**sizes, **counts}
    }
    stored = told.ephemeral_storage
    if stored is None:
        parts = [use for one in containers for use in (one.rootfs, one.logs)]
        parts += [volumes[called] for called in ephemeral_volumes(pod) if called in volumes]
    return PodUsage(
        memory_bytes=pod_bytes,
        containers=containers,
        volumes=volumes,
        ephemeral_storage_bytes=(
            sum(one.used_bytes or 0 for one in parts) if stored is None else value(stored)
        ),
        processes=value(told.processes),
    )


def _containers(
    names: Sequence[str], memory: Mapping[str, int], disk: Object | None, inodes: Object
) -> tuple[ContainerUsage, ...]:
    parts = []
    for place in ("rootfs", "logs"):
        sizes = {} if disk is None else _of_first(disk.get(place), names)
        parts.append((sizes, _of_first(inodes.get(place), names)))
    told = (memory, *(one for part in parts for one in part))
    unknown = None if disk is None else 0
    return tuple(
        ContainerUsage(
            called,
            memory.get(called),
            *(DiskUsage(sizes.get(called, unknown), count.get(called)) for sizes, count in parts),
        )
        for called in dict.fromkeys((*(called for one in told for called in one), *names))
    )


def _spread(told: Any, names: Sequence[str]) -> dict[str, int]:
    """An amount by container; the first one also gets what doesn't divide."""
    if told is None or isinstance(told, Mapping) or not names:
        return _amounts(told)
    share, rest = divmod(value(told), len(names))
    return {called: share + (0 if index else rest) for index, called in enumerate(names)}


def _of_first(told: Any, names: Sequence[str]) -> dict[str, int]:
    if told is None or isinstance(told, Mapping) or not names:
        return _amounts(told)
    return {names[0]: value(told)}


def _amounts(told: Any) -> dict[str, int]:
    found: Object = told if isinstance(told, Mapping) else _NOTHING
    return {called: value(amount) for called, amount in found.items()}


def _amount(told: Any) -> int | None:
    return None if told is None else value(told)
