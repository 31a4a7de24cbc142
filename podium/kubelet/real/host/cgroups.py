"""The cgroups (v2) of containers, if this process may set limits.

Only a group without processes can delegate controllers. So the kubelet moves out of its own group,
into a child beside the groups of its containers. It needs a group that is delegated to it, as under
`systemd-run --user --scope -p Delegate=yes`.
"""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_CONTROLLERS = ("cpu", "memory", "pids")
_CPU_PERIOD_US = 100_000


@dataclass
class Cgroup:
    """The cgroup of one run of a container."""

    path: Path

    @property
    def memory_bytes(self) -> int:
        """Return the working set: the memory usage without inactive file pages."""
        used = int((self.path / "memory.current").read_text())
        stat = dict(line.split() for line in _lines(self.path / "memory.stat"))
        return max(used - int(stat.get("inactive_file", 0)), 0)

    @property
    def processes(self) -> int:
        return int((self.path / "pids.current").read_text())

    @property
    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed a process for exceeding the memory limit."""
        events = dict(line.split() for line in _lines(self.path / "memory.events"))
        return int(events.get("oom_kill", 0)) > 0

    def kill(self) -> None:
        (self.path / "cgroup.kill").write_text("1")

    def remove(self) -> bool:
        """Remove the cgroup; return False if it still has processes."""
        try:
            self.path.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        return True


@dataclass
class Cgroups:
    """The parent of the cgroups of containers."""

    parent: Path

    @classmethod
    def delegated(cls, root: Path = ROOT, own: Path = OWN) -> "Cgroups | None":
        """Return cgroups below the kubelet's own cgroup; None without permission to set limits."""
        parent = own_group(root, own)
        if parent is None:
            return None
        agent = parent / "podium-agent"
        try:
            agent.mkdir(exist_ok=True)
            (agent / "cgroup.procs").write_text(str(os.getpid()))
            wanted = " ".join(f"+{one}" for one in _CONTROLLERS)
            (parent / "cgroup.subtree_control").write_text(wanted)
        except OSError:
            return None
        return cls(parent)

    def make(self, name: str, memory_bytes: int | None, cpu_millis: int | None) -> Cgroup:
        """Make the cgroup of a run of a container; a limit of None is no limit."""
        path = self.parent / name
        path.mkdir(exist_ok=True)
        if memory_bytes is not None:
            (path / "memory.max").write_text(str(memory_bytes))
            (path / "memory.oom.group").write_text("1")
        if cpu_millis is not None:
            quota_us = max(cpu_millis * _CPU_PERIOD_US // 1000, 1000)
            (path / "cpu.max").write_text(f"{quota_us} {_CPU_PERIOD_US}")
        return Cgroup(path)


def own_group(root: Path, own: Path) -> Path | None:
    """Return the directory of this process's cgroup; None without cgroups of version 2."""
    if not (root / "cgroup.controllers").exists():
        return None
    path = next((line for line in _lines(own) if line.startswith("0::")), "0::/")
    return root / path.removeprefix("0::").lstrip("/")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
