"""Carries a kubelet's commands out: `AsyncApi`, for a machine and its cluster together."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.pod_specs import limits_of
from podium.api.values.quantity import milli_value, value
from podium.kubelet.containers.container import NOT_CONFIGURED, ContainerId
from podium.kubelet.containers.probes import HandlerResult
from podium.kubelet.eviction.node_statistics import Statistics
from podium.kubelet.eviction.oom_score import oom_score_adj
from podium.kubelet.real import container_environment as environment
from podium.kubelet.real.commands import (
    AwaitShutdown,
    CollectGarbage,
    CollectStats,
    Command,
    CommandOutcome,
    RemovePodSandbox,
    RunHandler,
    RunPodSandbox,
    ShutDown,
    StartContainer,
    StopContainer,
    WaitForExit,
)
from podium.kubelet.real.container_environment import (
    EnvironmentSource,
    MissingSourceError,
    Sources,
    env_sources,
)
from podium.kubelet.real.host.container_handlers import handle
from podium.kubelet.real.host.containers import CannotStartError, Containers, Launch
from podium.kubelet.real.host.host_stats import DiskUsages, disk_usage, places, statistics
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.host.pod_volumes import (
    link_mounts,
    make_volumes,
    volume_paths,
    volume_sources,
)
from podium.kubelet.real.registration import MachineInfo
from podium.machines.async_api import AsyncApi, ObjectList, WatchEventLike
from podium.machines.effects import Effect
from podium.machines.events import CallError, Outcome

Fetch = Callable[[str, str, str], Awaitable[Object | None]]
"""Reads an object of the cluster by kind, namespace and name; None if there is none."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FAILED = 500
_WALK_S = 0.5
_CANNOT_RUN = "RunContainerError"


class RuntimeService:
    """Carries out a kubelet's commands on the machine, and passes other effects on to the API."""

    def __init__(
        self,
        api: AsyncApi,
        fetch: Fetch,
        containers: Containers,
        directory: NodeDirectory,
        machine: MachineInfo,
        now_s: Callable[[], float],
    ) -> None:
        self.asked_to_end = asyncio.Event()
        self.has_ended = asyncio.Event()
        self._api = api
        self._fetch = fetch
        self._containers = containers
        self._directory = directory
        self._machine = machine
        self._now_s = now_s
        self._taken: DiskUsages = {}
        self._walking: asyncio.Task[None] | None = None
        self._do: Mapping[type[Effect], Callable[[Any], Awaitable[object]]] = {
            RunPodSandbox: self._run_sandbox,
            StartContainer: self._start,
            WaitForExit: lambda command: self._containers.exited(command.run),
            StopContainer: self._stop,
            RunHandler: self._run_handler,
            RemovePodSandbox: self._remove_sandbox,
            CollectStats: self._collect_stats,
            CollectGarbage: self._collect_garbage,
            AwaitShutdown: lambda _: self.asked_to_end.wait(),
            ShutDown: self._shut_down,
        }

    async def call(self, effect: Effect) -> Outcome:
        """Carry out a command here, and any other effect there."""
        if not isinstance(effect, Command):
            return await self._api.call(effect)
        try:
            return CommandOutcome(effect, result=await self._do[type(effect)](effect))
        except CannotStartError as error:
            return Outcome(effect, CallError(_FAILED, _CANNOT_RUN, str(error)))
        except (PodiumError, OSError) as error:
            return Outcome(effect, CallError(_FAILED, NOT_CONFIGURED, str(error)))

    async def list(self, kind: str) -> ObjectList:
        """See `AsyncApi`."""
        return await self._api.list(kind)

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        """See `AsyncApi`."""
        return self._api.watch(kind, revision)

    async def _run_sandbox(self, command: RunPodSandbox) -> None:
        pod = command.pod
        sources = await self._sources(pod, volume_sources(pod))
        make_volumes(pod, self._directory, sources, self._machine)

    async def _start(self, command: StartContainer) -> None:
        pod, container = command.pod, command.container
        sources = await self._sources(pod, env_sources(container))
        mounts = link_mounts(pod, container, self._directory)
        home = self._directory.container(pod, container["name"])
        variables = environment.environment(
            pod, container, sources, self._machine, self._base(pod, home)
        )
        limits = limits_of(container)
        launch = Launch(
            run=ContainerId(pod["metadata"]["uid"], container["name"], command.attempt),
            command=environment.command(container, variables),
            variables=variables,
            directory=_working_directory(container, mounts, home),
            log=self._directory.log(pod, container["name"], command.attempt),
            oom_score_adj=oom_score_adj(pod, container, command.memory_bytes),
            memory_bytes=value(limits["memory"]) if "memory" in limits else None,
            cpu_millis=milli_value(limits["cpu"]) if "cpu" in limits else None,
        )
        self._containers.start(launch)

    async def _stop(self, command: StopContainer) -> None:
        self._containers.stop(command.run, command.signal)

    async def _run_handler(self, command: RunHandler) -> HandlerResult:
        running = self._containers.get(command.run)
        if running is None or running.exited.done():
            return HandlerResult(succeeded=False, message="the container doesn't run any more")
        return await handle(running, command.pod, command.action, command.timeout_s)

    async def _remove_sandbox(self, command: RemovePodSandbox) -> None:
        await asyncio.to_thread(self._directory.remove_pod, command.pod)
        if not command.keeps_logs:
            await asyncio.to_thread(self._directory.remove_logs, command.pod)

    async def _collect_stats(self, command: CollectStats) -> Statistics:
        if command.walks and (self._walking is None or self._walking.done()):
            self._walking = asyncio.create_task(self._walk(places(command.pods, self._directory)))
        if command.walks and self._walking is not None:
            # Large volumes take longer; memory can't wait for them, and the next look has them.
            await asyncio.wait({self._walking}, timeout=_WALK_S)
        return statistics(
            command.pods, self._directory, self._containers, self._taken, self._now_s()
        )

    async def _walk(self, found: Iterable[Path]) -> None:
        self._taken = await asyncio.to_thread(lambda: {path: disk_usage(path) for path in found})

    async def _collect_garbage(self, command: CollectGarbage) -> None:
        uids = [pod["metadata"]["uid"] for pod in command.pods]
        await asyncio.to_thread(self._directory.discard, uids)

    async def _shut_down(self, _: ShutDown) -> None:
        self.has_ended.set()

    async def _sources(self, pod: Object, wanted: Iterable[EnvironmentSource]) -> Sources:
        namespace = pod["metadata"]["namespace"]
        return {
            source: await self._fetch(source.kind, namespace, source.name)
            for source in dict.fromkeys(wanted)
            if source.name
        }

    def _base(self, pod: Object, home: Path) -> dict[str, str]:
        paths = volume_paths(pod, self._directory)
        volumes = {environment.volume_variable(name): str(path) for name, path in paths.items()}
        hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
        return {"PATH": _PATH, "HOME": str(home), "HOSTNAME": hostname, **volumes}


def _working_directory(container: Object, mounts: Mapping[str, str], home: Path) -> Path:
    wanted = container.get("workingDir")
    if not wanted:
        return home
    path = Path(environment.mounted(wanted, mounts) or wanted)
    if not path.is_dir():
        raise MissingSourceError(f"working directory {wanted}: isn't there")
    return path
