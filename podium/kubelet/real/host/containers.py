"""The containers of a host: processes, each in its own session."""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import IO, NamedTuple

import msgspec

from podium.kubelet.containers.container import OOM_KILLED, ContainerId, ExitStatus, StopSignal
from podium.kubelet.real.host.cgroups import Cgroup, Cgroups
from podium.kubelet.real.host.container_logs import LogFile
from podium.kubelet.real.host.cpu_throttle import Throttle
from podium.kubelet.real.host.process_table import (
    ProcessEntry,
    marked,
    members,
    memory_bytes,
    oom_kills,
    processes,
    send_signal,
)

MARK = "PODIUM_CONTAINER"
NODE_MARK = "PODIUM_NODE_DIRECTORY"
"""The variables of processes that have left their session, or outlived a kubelet."""

_SIGNALLED = 128
_KILLED = _SIGNALLED + signal.SIGKILL
# The time for the last output of a container that has exited.
_DRAIN_S = 1.0
_REMOVE_TRIES = 50
_REMOVE_S = 0.02
# The shell joins the cgroup and then becomes the container's process.
_SHELL = "/bin/sh"
_BEGIN = (
    'test -z "$2" || echo $$ >"$2" || exit 125; '
    '{ echo "$1" >/proc/self/oom_score_adj; } 2>/dev/null; unset PWD; shift 2; exec "$@"'
)


class CannotStartError(Exception):
    """A container can't be started: its program is missing, or the host refuses to run it."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a container to start; limits of None are no limits."""

    run: ContainerId
    command: list[str]
    variables: Mapping[str, str]
    directory: Path
    log: Path
    oom_score_adj: int
    memory_bytes: int | None
    cpu_millis: int | None


class Use(NamedTuple):
    """The usage of a container: memory and number of processes."""

    memory_bytes: int
    processes: int


class Running(msgspec.Struct):
    """A running container."""

    launch: Launch
    variables: Mapping[str, str]
    process: Popen[bytes]
    log: LogFile
    cgroup: Cgroup | None
    exited: asyncio.Future[ExitStatus]
    oom_kills: int = msgspec.field(default_factory=oom_kills)
    """Number of the host's OOM kills when the container was last seen alive."""
    was_killed: bool = False

    def use(self, table: Mapping[int, ProcessEntry]) -> Use:
        if self.cgroup is not None:
            return Use(self.cgroup.memory_bytes, self.cgroup.processes)
        pids = members(table, self.process.pid)
        if pids:
            self.oom_kills = oom_kills()
        return Use(sum(map(memory_bytes, pids)), len(pids))


class Containers:
    """The containers of the host, in cgroups if cgroups are available."""

    def __init__(self, now_s: Callable[[], float], cgroups: Cgroups | None, root: Path) -> None:
        self._now_s = now_s
        self._cgroups = cgroups
        self._root = root
        self._running: dict[ContainerId, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._throttle = Throttle()

    def get(self, run: ContainerId) -> Running | None:
        """Return a container that runs, or whose exit wasn't awaited yet; None otherwise."""
        return self._running.get(run)

    def named(self, pod_uid: str, name: str) -> Running | None:
        running = (
            one for run, one in self._running.items() if (run.pod_uid, run.name) == (pod_uid, name)
        )
        return next(running, None)

    def start(self, launch: Launch) -> None:
        """Start a container.

        Raises:
            CannotStartError: the program is missing, or the host refuses to run it.
            OSError: the log or the limits can't be made.
        """
        # Of this node alone: pods of other clusters may have equal uids.
        mark = "/".join(map(str, (self._root, *launch.run)))
        marks = {MARK: mark, NODE_MARK: str(self._root)}
        variables = {**launch.variables, **marks}
        # The shell would report it only in the log.
        program = launch.command[0]
        path = str(launch.directory / program) if "/" in program else program
        if shutil.which(path, path=variables.get("PATH", "")) is None:
            raise CannotStartError(f'exec: "{program}": executable file not found in $PATH')
        if not launch.directory.is_dir():
            raise CannotStartError(f"working directory {launch.directory}: isn't there")
        log = LogFile(launch.log, self._now_s)
        cgroup = None
        if self._cgroups is not None:
            name = f"podium-{launch.run.pod_uid}-{launch.run.name}-{launch.run.attempt}"
            cgroup = self._cgroups.make(name, launch.memory_bytes, launch.cpu_millis)
        procs = "" if cgroup is None else str(cgroup.path / "cgroup.procs")
        begin = [_SHELL, "-c", _BEGIN, "podium", str(launch.oom_score_adj), procs]
        try:
            process = Popen(
                [*begin, *launch.command],
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                cwd=launch.directory,
                env=variables,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CannotStartError(f"{launch.command[0]}: {error}") from None
        exited = asyncio.get_running_loop().create_future()
        running = Running(launch, variables, process, log, cgroup, exited)
        self._running[launch.run] = running
        if cgroup is None and launch.cpu_millis is not None:
            self._throttle.hold(process.pid, launch.cpu_millis)
        task = asyncio.create_task(self._attend(running))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def exited(self, run: ContainerId) -> ExitStatus:
        running = self._running[run]
        exited = await asyncio.shield(running.exited)
        self._running.pop(run, None)
        return exited

    def stop(self, run: ContainerId, wanted: StopSignal) -> None:
        running = self._running.get(run)
        # Once it is reaped, its number may be another's.
        if running is None or running.process.returncode is not None:
            return
        self._throttle.release(running.process.pid)
        if wanted is StopSignal.KILL:
            running.was_killed = True
            _kill(running)
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.process.pid, signal.SIGTERM)

    def kill_all(self) -> None:
        """Kill all processes that were started for containers of this node."""
        for running in list(self._running.values()):
            if running.process.returncode is None:
                _kill(running)
        self._running.clear()
        send_signal(list(marked(f"{NODE_MARK}={self._root}")), signal.SIGKILL)

    async def _attend(self, running: Running) -> None:
        process, log = running.process, running.log

        async def follow(name: str, pipe: IO[bytes] | None) -> None:
            assert pipe is not None
            async with reading(pipe) as reader:
                await log.follow(name, reader)

        pipes = (("stdout", process.stdout), ("stderr", process.stderr))
        following = [asyncio.create_task(follow(name, pipe)) for name, pipe in pipes]
        try:
            await end_of(process)
            self._throttle.release(process.pid)
            _kill(running)
            code = exit_code(process)
            await asyncio.wait(following, timeout=_DRAIN_S)
        finally:
            for task in following:
                task.cancel()
            await asyncio.wait(following)
            log.close()
        cgroup, reason = running.cgroup, ""
        if cgroup is None:
            was_starved = code == _KILLED and not running.was_killed
            # The kernel doesn't say which process it has killed, but this one was killed just then.
            if was_starved and oom_kills() > running.oom_kills:
                reason = OOM_KILLED
        else:
            reason = OOM_KILLED if cgroup.was_out_of_memory else ""
            for _ in range(_REMOVE_TRIES):
                if cgroup.remove():
                    break
                await asyncio.sleep(_REMOVE_S)
        running.exited.set_result(ExitStatus(code, reason))


async def end_of(process: Popen[bytes]) -> None:
    """Wait for the exit of a process, without reaping it; its output may stay open."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    descriptor = os.pidfd_open(process.pid)
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def exit_code(process: Popen[bytes]) -> int:
    """Reap a process that has ended, and return its exit code."""
    code = process.wait()
    return _SIGNALLED - code if code < 0 else code


@contextlib.asynccontextmanager
async def reading(pipe: IO[bytes]) -> AsyncIterator[asyncio.StreamReader]:
    """Return a stream reader of a process's pipe, open inside of `async with`."""
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        yield reader
    finally:
        transport.close()


def _kill(running: Running) -> None:
    if running.cgroup is not None:
        running.cgroup.kill()
    send_signal(members(processes(), running.process.pid), signal.SIGKILL)
    send_signal(list(marked(f"{MARK}={running.variables[MARK]}")), signal.SIGKILL)
