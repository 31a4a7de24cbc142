"""The runtime service, which carries out a kubelet's commands and its API calls."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.pods import limits_of
from podium.api.values.quantity import milli_value, value
from podium.kubelet.containers.container import NOT_CONFIGURED, HandlerResult
from podium.kubelet.eviction.oom_score import oom_score_adj
from podium.kubelet.real import commands
from podium.kubelet.real import container_environment as environment
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
from podium.kubelet.real.registration import HostInfo
from podium.machines.async_api import AsyncApi, ObjectList, WatchEventLike
from podium.machines.effects import Effect
from podium.machines.events import CallError, Outcome

Fetch = Callable[[str, str, str], Awaitable[Object | None]]
"""Reads an object of the cluster by kind, namespace and name; None if there is none."""

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FAILED = 500
_WALK_S = 0.5
_CANNOT_RUN = "RunContainerError"


@dataclass(eq=False)
class RuntimeService:
    """The `AsyncApi` of a kubelet: runs commands on the host, and makes API calls."""

    api: AsyncApi
    fetch: Fetch
    containers: Containers
    directory: NodeDirectory
    host: HostInfo
    now_s: Callable[[], float]

    def __post_init__(self) -> None:
        self.asked_to_end = asyncio.Event()
        self.has_ended = asyncio.Event()
        self._taken: DiskUsages = {}
        self._walking: asyncio.Task[None] | None = None

    async def call(self, effect: Effect) -> Outcome:
        if not isinstance(effect, commands.Command):
            return await self.api.call(effect)
        try:
            return commands.CommandOutcome(effect, result=await self._carry_out(effect))
        except CannotStartError as error:
            return Outcome(effect, CallError(_FAILED, _CANNOT_RUN, str(error)))
        except (PodiumError, OSError) as error:
            return Outcome(effect, CallError(_FAILED, NOT_CONFIGURED, str(error)))

    async def list(self, kind: str) -> ObjectList:
        return await self.api.list(kind)

    def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        return self.api.watch(kind, revision)

    async def _carry_out(self, command: commands.Command) -> object:
        match command:
            case commands.RunPodSandbox(pod=pod):
                sources = await self._sources(pod, volume_sources(pod))
                make_volumes(pod, self.directory, sources, self.host)
            case commands.StartContainer():
                await self._start(command)
            case commands.WaitForExit():
                return await self.containers.exited(command.run)
            case commands.StopContainer():
                self.containers.stop(command.run, command.signal)
            case commands.RunHandler():
                running = self.containers.get(command.run)
                if running is None or running.exited.done():
                    return HandlerResult(False, "the container doesn't run any more")
                return await handle(running, command.pod, command.action, command.timeout_s)
            case commands.RemovePodSandbox(pod=pod, keeps_logs=keeps_logs):
                await asyncio.to_thread(self.directory.remove_pod, pod, keeps_logs=keeps_logs)
            case commands.CollectStats(pods=pods):
                if command.walks:
                    if self._walking is None or self._walking.done():
                        self._walking = asyncio.create_task(
                            self._walk(places(pods, self.directory))
                        )
                    # Large volumes take longer than memory can wait; the next measurement has them.
                    await asyncio.wait({self._walking}, timeout=_WALK_S)
                now_s = self.now_s()
                return statistics(pods, self.directory, self.containers, self._taken, now_s)
            case commands.CollectGarbage():
                uids = {pod["metadata"]["uid"] for pod in command.pods}
                await asyncio.to_thread(self.directory.discard, uids)
            case commands.AwaitShutdown():
                await self.asked_to_end.wait()
            case commands.ShutDown():
                self.has_ended.set()
            case _:
                raise TypeError(f"no command: {command}")
        return None

    async def _start(self, command: commands.StartContainer) -> None:
        pod, container = command.pod, command.container
        sources = await self._sources(pod, env_sources(container))
        mounts = link_mounts(pod, container, self.directory)
        home = self.directory.container(pod, container["name"])
        paths = volume_paths(pod, self.directory)
        hostname = pod["spec"].get("hostname") or pod["metadata"]["name"]
        base = {"PATH": _PATH, "HOME": str(home), "HOSTNAME": hostname}
        base |= {environment.volume_variable(name): str(path) for name, path in paths.items()}
        variables = environment.environment(pod, container, sources, self.host, base)
        directory = home
        if wanted := container.get("workingDir"):
            directory = Path(environment.mounted(wanted, mounts) or wanted)
            if not directory.is_dir():
                raise MissingSourceError(f"working directory {wanted}: isn't there")
        limits = limits_of(container)
        launch = Launch(
            run=command.run,
            command=environment.command(container, variables),
            variables=variables,
            directory=directory,
            log=self.directory.log(pod, container["name"], command.attempt),
            oom_score_adj=oom_score_adj(pod, container, command.memory_bytes),
            memory_bytes=value(limits["memory"]) if "memory" in limits else None,
            cpu_millis=milli_value(limits["cpu"]) if "cpu" in limits else None,
        )
        self.containers.start(launch)

    async def _walk(self, found: Iterable[Path]) -> None:
        self._taken = await asyncio.to_thread(lambda: {path: disk_usage(path) for path in found})

    async def _sources(self, pod: Object, wanted: Iterable[EnvironmentSource]) -> Sources:
        namespace = pod["metadata"]["namespace"]
        return {
            source: await self.fetch(source.kind, namespace, source.name)
            for source in dict.fromkeys(wanted)
            if source.name
        }
