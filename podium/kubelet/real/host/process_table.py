"""The processes of the host, read from /proc."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class ProcessEntry(NamedTuple):
    """A process in /proc."""

    pid: int
    parent: int
    session: int
    is_dead: bool
    """Whether the process is a zombie."""
    cpu_ticks: int
    """CPU time in clock ticks, including children that have exited."""


def processes() -> dict[int, ProcessEntry]:
    """Return all processes of the host by process id."""
    table: dict[int, ProcessEntry] = {}
    for pid in _pids():
        try:
            text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        # The name in parentheses may contain anything.
        fields = text.rpartition(")")[2].split()
        state, parent, _, session = fields[:4]
        cpu_ticks = sum(map(int, fields[11:15]))
        table[pid] = ProcessEntry(pid, int(parent), int(session), state in "ZX", cpu_ticks)
    return table


def members(table: Mapping[int, ProcessEntry], leader: int) -> set[int]:
    """Return the ids of the processes of a session, and of all their descendants."""
    children: dict[int, list[int]] = {}
    for entry in table.values():
        children.setdefault(entry.parent, []).append(entry.pid)
    pids: set[int] = set()
    left = [pid for pid, entry in table.items() if entry.session == leader or pid == leader]
    while left:
        pid = left.pop()
        if pid not in pids:
            pids.add(pid)
            left += children.get(pid, ())
    return {pid for pid in pids if not table[pid].is_dead}


def memory_bytes(pid: int) -> int:
    """Return the anonymous and shared memory of a process, in bytes; 0 if it has exited."""
    try:
        text = (PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return sum(int(fields.get(name, "0").split()[0]) for name in ("RssAnon", "RssShmem")) * 1024


def oom_kills() -> int:
    """Return the number of the kernel's OOM kills since the host started."""
    with open(PROC / "vmstat", encoding="utf-8") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def send_signal(pids: Iterable[int], number: int) -> None:
    """Signal processes that this process may signal, unless they have exited."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def marked(mark: str) -> Iterator[int]:
    """Yield the ids of other processes that have `mark` (`NAME=value`) in their environment."""
    wanted = mark.encode()
    for pid in _pids():
        if pid == os.getpid():
            continue
        try:
            variables = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in variables:
            yield pid


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdecimal()]
