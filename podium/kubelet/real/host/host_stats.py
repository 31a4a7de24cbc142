"""What the machine is, the eviction signals on it, and what pods use, measured.

The working set of the machine is what it uses, less file pages that nobody has asked for lately, as
the kubelet has it: those the kernel drops before anything else.
"""

import os
import platform
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from podium.api.objects import Object
from podium.api.pod_specs import init_containers_of
from podium.kubelet.eviction.node_statistics import (
    ContainerUsage,
    DiskUsage,
    Observation,
    PodUsage,
    Statistics,
    ephemeral_volumes,
)
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.real.host.cgroups import OWN, ROOT, memory_stat
from podium.kubelet.real.host.containers import Containers, Use
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.host.process_table import PROC, ProcessEntry, processes
from podium.kubelet.real.registration import MachineInfo

DiskUsages = Mapping[Path, DiskUsage]
"""What directories take of the disk."""

_BLOCK = 512
_NO_USE = Use(0, 0)
_DISK = (Signal.NODEFS_AVAILABLE, Signal.IMAGEFS_AVAILABLE)
_INODES = (Signal.NODEFS_INODES_FREE, Signal.IMAGEFS_INODES_FREE)


class Memory(NamedTuple):
    """The memory that the machine, or this process's group, has, and what is left of it."""

    capacity_bytes: int
    available_bytes: int


def memory(root: Path = ROOT, own: Path = OWN) -> Memory:
    """What there is of memory, and what is left."""
    text = (PROC / "meminfo").read_text(encoding="utf-8")
    lines = (line.split() for line in text.splitlines())
    info = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}
    whole = Memory(info["MemTotal"], info["MemFree"] + info.get("Inactive(file)", 0))
    group = _limited_group(root, own)
    if group is None:
        return whole
    limit = int((group / "memory.max").read_text())
    used = int((group / "memory.current").read_text())
    working_set = max(used - memory_stat(group).get("inactive_file", 0), 0)
    return Memory(limit, max(min(limit - working_set, whole.available_bytes), 0))


def observations(root: Path, now_s: float) -> dict[Signal, Observation]:
    """What the signals tell now; of a filesystem without a number of inodes nothing of them."""
    left = memory()
    disk = os.statvfs(root)
    available = disk.f_bavail * disk.f_frsize
    found = {
        Signal.MEMORY_AVAILABLE: Observation(left.available_bytes, left.capacity_bytes, now_s),
        Signal.PID_AVAILABLE: _pids(now_s),
    }
    found |= {one: Observation(available, disk.f_blocks * disk.f_frsize, now_s) for one in _DISK}
    if disk.f_files:
        found |= {one: Observation(disk.f_favail, disk.f_files, now_s) for one in _INODES}
    return found


def statistics(
    pods: tuple[Object, ...],
    directory: NodeDirectory,
    containers: Containers,
    taken: DiskUsages,
    now_s: float,
) -> Statistics:
    """Measure the machine; `taken` is what pods took of the disk when that was last found out."""
    table = processes()
    usage = {pod["metadata"]["uid"]: _pod(pod, directory, containers, taken, table) for pod in pods}
    return Statistics(observations(directory.root, now_s), usage)


def places(pods: tuple[Object, ...], directory: NodeDirectory) -> list[Path]:
    """The directories whose sizes count."""
    found: list[Path] = []
    for pod in pods:
        found += (directory.volume(pod, name) for name in ephemeral_volumes(pod))
        for container in _containers(pod):
            found.append(directory.container(pod, container["name"]))
            found.append(directory.pod_logs(pod) / container["name"])
    return found


def disk_usage(path: Path) -> DiskUsage:
    """What a directory and all in it takes of the disk; links aren't followed."""
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
            # It has just gone, or isn't to be seen.
            continue
    return DiskUsage(used, inodes)


def _pod(
    pod: Object,
    directory: NodeDirectory,
    containers: Containers,
    taken: DiskUsages,
    table: Mapping[int, ProcessEntry],
) -> PodUsage:
    nothing = DiskUsage(0, 0)
    uid = pod["metadata"]["uid"]
    found: list[ContainerUsage] = []
    process_count = 0
    for container in _containers(pod):
        name = container["name"]
        running = containers.named(uid, name)
        use = _NO_USE if running is None else running.use(table)
        process_count += use.processes
        rootfs = taken.get(directory.container(pod, name), nothing)
        logs = taken.get(directory.pod_logs(pod) / name, nothing)
        found.append(ContainerUsage(name, use.memory_bytes, rootfs, logs))
    names = ephemeral_volumes(pod)
    volumes = {name: taken.get(directory.volume(pod, name), nothing) for name in names}
    disks = (*volumes.values(), *(one.rootfs for one in found), *(one.logs for one in found))
    return PodUsage(
        memory_bytes=sum(one.memory_bytes or 0 for one in found),
        containers=tuple(found),
        volumes=volumes,
        ephemeral_storage_bytes=sum(one.used_bytes or 0 for one in disks),
        processes=process_count,
    )


def _containers(pod: Object) -> Iterator[Object]:
    yield from init_containers_of(pod["spec"])
    yield from pod["spec"]["containers"]


def _pids(now_s: float) -> Observation:
    most = min(int((PROC / "sys/kernel" / name).read_text()) for name in ("pid_max", "threads-max"))
    running = (PROC / "loadavg").read_text().split()[3]
    return Observation(max(most - int(running.partition("/")[2]), 0), most, now_s)


def _limited_group(root: Path, own: Path) -> Path | None:
    if not (root / "cgroup.controllers").exists():
        return None
    lines = own.read_text(encoding="utf-8").splitlines()
    path = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), "/")
    group = root / path.lstrip("/")
    while group.is_relative_to(root):
        limit = group / "memory.max"
        if limit.exists() and limit.read_text().strip() != "max":
            return group
        group = group.parent
    return None


_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_OS_RELEASE = Path("/etc/os-release")
# Nobody has to be there: no packet is sent to find out by which address it would go.
_FAR_AWAY = ("192.0.2.1", 9)
_LOOPBACK = "127.0.0.1"


def machine_info(root: Path, logs: Path) -> MachineInfo:
    """What there is to know of this machine."""
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
    return MachineInfo(
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
