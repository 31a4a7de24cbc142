"""What the machine is: processors, memory, disk, system."""

import os
import platform
import socket
from pathlib import Path

from podium.machine.cgroups import OWN, ROOT
from podium.machine.host_stats import memory
from podium.node.real.machine_info import MachineInfo

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_OS_RELEASE = Path("/etc/os-release")
# Nobody has to be there: no packet is sent to find out by which address it would go.
_FAR_AWAY = ("192.0.2.1", 9)
_LOOPBACK = "127.0.0.1"


def machine_info(root: Path, logs: Path) -> MachineInfo:
    """What there is to know of this machine.

    Args:
        root: the node's directory, whose filesystem counts.
        logs: where it keeps logs.
    """
    disk = os.statvfs(root)
    system = platform.uname()
    return MachineInfo(
        hostname=system.node,
        address=_address(),
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=memory(ROOT, OWN).capacity_bytes,
        disk_bytes=disk.f_blocks * disk.f_frsize,
        uid=os.getuid(),
        log_directory=str(logs),
        info={
            "operatingSystem": system.system.lower(),
            "architecture": _ARCHITECTURES.get(system.machine, system.machine),
            "kernelVersion": system.release,
            "osImage": _os_image(),
        },
    )


def _address() -> str:
    """The address by which others would be reached; the loopback's if there are no others."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_FAR_AWAY)
        except OSError:
            return _LOOPBACK
        return str(probe.getsockname()[0])


def _os_image() -> str:
    try:
        lines = _OS_RELEASE.read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.system()
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    return fields.get("PRETTY_NAME", platform.system()).strip('"')
