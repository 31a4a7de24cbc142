"""Measurements of the host: its memory, eviction signals, and the usage of pods.

The working set excludes inactive file pages, as the kubelet's does.
"""

import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from podium.api.objects import Object
from podium.api.pods import init_containers_of
from podium.kubelet.eviction.node_statistics import (
    ContainerUsage,
    DiskUsage,
    Observation,
    PodUsage,
    Statistics,
    ephemeral_volumes,
)
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.real.host.cgroups import OWN, ROOT, Cgroup, own_group
from podium.kubelet.real.host.containers import Containers, Use
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.host.process_table import PROC, processes
from podium.kubelet.real.registration import HostInfo

DiskUsages = Mapping[Path, DiskUsage]
"""The disk usage of directories."""

_BLOCK = 512
_NO_USE = Use(0, 0)
_DISK = (Signal.NODEFS_AVAILABLE, Signal.IMAGEFS_AVAILABLE)
_INODES = (Signal.NODEFS_INODES_FREE, Signal.IMAGEFS_INODES_FREE)


class Memory(NamedTuple):
    """The memory of the host, or of this process's cgroup if it has a limit, in bytes."""

    capacity_bytes: int
    available_bytes: int


def memory(root: Path = ROOT, own: Path = OWN) -> Memory:
    """Measure the memory of the host, or of this process's cgroup if it has a limit."""
    text = (PROC / "meminfo").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines())
    info = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}
    whole = Memory(info["MemTotal"], info["MemFree"] + info.get("Inactive(file)", 0))
    group = own_group(root, own)
    while group is not None and group.is_relative_to(root):
        limit = group / "memory.max"
        if limit.exists() and (text := limit.read_text().strip()) != "max":
            left = min(int(text) - Cgroup(group).memory_bytes, whole.available_bytes)
            return Memory(int(text), max(left, 0))
        group = group.parent
    return whole


def observations(root: Path, now_s: float) -> dict[Signal, Observation]:
    """Observe the eviction signals; those of inodes only if the filesystem counts inodes."""
    left = memory()
    most = min(int((PROC / "sys/kernel" / name).read_text()) for name in ("pid_max", "threads-max"))
    running = (PROC / "loadavg").read_text().split()[3]
    free_pids = max(most - int(running.partition("/")[2]), 0)
    disk = os.statvfs(root)
    available = disk.f_bavail * disk.f_frsize
    observed = {
        Signal.MEMORY_AVAILABLE: Observation(left.available_bytes, left.capacity_bytes, now_s),
        Signal.PID_AVAILABLE: Observation(free_pids, most, now_s),
    }
    observed |= {one: Observation(available, disk.f_blocks * disk.f_frsize, now_s) for one in _DISK}
    if disk.f_files:
        observed |= {signal: Observation(disk.f_favail, disk.f_files, now_s) for signal in _INODES}
    return observed


def statistics(
    pods: tuple[Object, ...],
    directory: NodeDirectory,
    containers: Containers,
    taken: DiskUsages,
    now_s: float,
) -> Statistics:
    """Measure the host and pods; `taken` has the disk usage, measured before."""
    table, nothing, usage = processes(), DiskUsage(0, 0), {}
    for pod in pods:
        uid = pod["metadata"]["uid"]
        usages: list[ContainerUsage] = []
        process_count = 0
        for container in (*init_containers_of(pod["spec"]), *pod["spec"]["containers"]):
            name = container["name"]
            running = containers.named(uid, name)
            use = _NO_USE if running is None else running.use(table)
            process_count += use.processes
            rootfs = taken.get(directory.container(pod, name), nothing)
            logs = taken.get(directory.pod_logs(pod) / name, nothing)
            usages.append(ContainerUsage(name, use.memory_bytes, rootfs, logs))
        names = ephemeral_volumes(pod)
        volumes = {name: taken.get(directory.volume(pod, name), nothing) for name in names}
        disks = (*volumes.values(), *(one.rootfs for one in usages), *(one.logs for one in usages))
        usage[uid] = PodUsage(
            memory_bytes=sum(one.memory_bytes or 0 for one in usages),
            containers=tuple(usages),
            volumes=volumes,
            ephemeral_storage_bytes=sum(disk.used_bytes or 0 for disk in disks),
            processes=process_count,
        )
    return Statistics(observations(directory.root, now_s), usage)


def places(pods: tuple[Object, ...], directory: NodeDirectory) -> list[Path]:
    """Return the directories whose size is disk usage of pods."""
    paths: list[Path] = []
    for pod in pods:
        paths += (directory.volume(pod, name) for name in ephemeral_volumes(pod))
        for container in (*init_containers_of(pod["spec"]), *pod["spec"]["containers"]):
            paths.append(directory.container(pod, container["name"]))
            paths.append(directory.pod_logs(pod) / container["name"])
    return paths


def disk_usage(path: Path) -> DiskUsage:
    """Measure the disk usage of a directory, without following links."""
    used = inodes = 0
    left = [path]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    stat = entry.stat(follow_symlinks=False)
                    used += stat.st_blocks * _BLOCK
                    inodes += 1
                    if entry.is_dir(follow_symlinks=False):
                        left.append(Path(entry.path))
        except (FileNotFoundError, PermissionError):
            # It was just removed, or isn't readable.
            continue
    return DiskUsage(used, inodes)


_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_OS_RELEASE = Path("/etc/os-release")
# No packet is sent there, but the address by which it would go is known.
_FAR_AWAY = ("192.0.2.1", 9)
_LOOPBACK = "127.0.0.1"


def host_info(root: Path, logs: Path) -> HostInfo:
    """Describe this host."""
    disk = os.statvfs(root)
    system, os_image = platform.uname(), platform.system()
    if _OS_RELEASE.exists():
        lines = _OS_RELEASE.read_text(encoding="utf-8").splitlines()
        fields = dict(line.split("=", 1) for line in lines if "=" in line)
        os_image = fields.get("PRETTY_NAME", os_image).strip('"')
    # The address by which others would be reached; the loopback's if there are no others.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_FAR_AWAY)
            address = str(probe.getsockname()[0])
        except OSError:
            address = _LOOPBACK
    return HostInfo(
        address=address,
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=memory(ROOT, OWN).capacity_bytes,
        disk_bytes=disk.f_blocks * disk.f_frsize,
        uid=os.getuid(),
        log_directory=str(logs),
        info={
            "operatingSystem": system.system.lower(),
            "architecture": _ARCHITECTURES.get(system.machine, system.machine),
            "kernelVersion": system.release,
            "osImage": os_image,
        },
    )
