"""The statistics of a simulated node: the sum of its script and those of its pods.

A pod's curves begin with each start of its containers. Memory is spread evenly over containers,
disk usage is that of the first one. A pod without a script uses nothing.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podium.api.nodes import allocatable_of
from podium.api.objects import Object, name, status_of
from podium.api.pod_specs import requests_of
from podium.api.usage import Usage
from podium.api.values.quantity import parse_quantity, value
from podium.kubelet.containers.container import State
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.eviction.eviction_manager import EvictionConfig, allocatable_memory
from podium.kubelet.eviction.node_statistics import (
    ContainerUsage,
    DiskUsage,
    Observation,
    PodUsage,
    Statistics,
    ephemeral_volumes,
)
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.simulated.scripted_runtime import ScriptedSandbox
from podium.kubelet.simulated.scripted_usage import NO_USAGE, NodeScript, UsageScript

_NOTHING = PodUsage(memory_bytes=0)


class StatsProvider(msgspec.Struct, frozen=True):
    """Computes the usage of a simulated node."""

    node: Object
    script: NodeScript
    started_s: float
    config: EvictionConfig
    seed: int
    freed_bytes: int = 0

    def memory_total_bytes(self, workers: Iterable[PodWorker], at_s: float) -> int:
        own = self._own("memory", at_s)
        return own + sum(memory_bytes_of(one, at_s) for one in workers)

    def memory_corners_s(
        self, workers: Iterable[PodWorker], from_s: float, to_s: float
    ) -> list[float]:
        """The ends of an interval, and the corners of memory usage in between, in order."""
        found_s = {from_s, to_s}
        curves = [(self.script.usage.curves.get("memory"), self.started_s)]
        running = filter(runs, workers)
        curves += ((script_of(one).curves.get("memory"), one.main[0].since_s) for one in running)
        for curve, start_s in curves:
            if curve is not None:
                corners_s = curve.corners_s(from_s - start_s, to_s - start_s)
                found_s.update(start_s + corner_s for corner_s in corners_s)
        return sorted(found_s)

    def is_level_from(self, workers: Iterable[PodWorker], at_s: float) -> bool:
        return self.script.usage.is_level_from(at_s - self.started_s) and all(
            script_of(one).is_level_from(at_s - one.main[0].since_s) for one in workers if runs(one)
        )

    @property
    def memory_capacity_bytes(self) -> int:
        return self._capacity("memory")

    def statistics(self, workers: Iterable[PodWorker], at_s: float) -> Statistics:
        usage = {
            one.uid: usage_at(one.pod, script_of(one), at_s - one.main[0].since_s, _seed(one))
            if runs(one)
            else _NOTHING
            for one in workers
        }
        return Statistics(dict(self._observations(usage, at_s)), usage)

    def _observations(
        self, usage: Mapping[str, PodUsage], at_s: float
    ) -> Iterator[tuple[Signal, Observation]]:
        pods = usage.values()
        memory = sum(one.memory_bytes or 0 for one in pods)
        if capacity := self.memory_capacity_bytes:
            left = _left(capacity, self._own("memory", at_s) + memory, at_s)
            yield Signal.MEMORY_AVAILABLE, left
            amount = value(allocatable_of(self.node).get("memory", capacity))
            left = allocatable_memory(self.config, amount, left, memory)
            yield Signal.ALLOCATABLE_MEMORY_AVAILABLE, left
        if capacity := self._capacity("ephemeral-storage"):
            waste = self.script.unused_images_bytes + self.script.dead_containers_bytes
            used = self._own("disk", at_s) + max(waste - self.freed_bytes, 0)
            used += sum(one.ephemeral_storage_bytes for one in pods)
            for signal in _DISK:
                yield signal, _left(capacity, used, at_s)
        if (inodes := self.script.inodes) is not None:
            used = self._own("inodes", at_s) + sum(
                container.rootfs.inodes or 0 for one in pods for container in one.containers
            )
            for signal in _INODES:
                yield signal, _left(inodes, used, at_s)
        if (pids := self.script.max_pids) is not None:
            used = self._own("processes", at_s) + sum(one.processes for one in pods)
            yield Signal.PID_AVAILABLE, _left(pids, used, at_s)

    def _capacity(self, resource: str) -> int:
        status = status_of(self.node)
        amounts = status.get("capacity") or status.get("allocatable") or {}
        return value(amounts.get(resource, 0))

    def _own(self, what: str, at_s: float) -> int:
        seed = f"{self.seed}/{name(self.node)}"
        return _at(self.script.usage, what, at_s - self.started_s, seed)


def runs(worker: PodWorker) -> bool:
    """Whether the main containers of a pod run, which start and exit together."""
    return worker.main[0].state is State.RUNNING


def memory_bytes_of(worker: PodWorker, at_s: float) -> int:
    """The memory that a pod's containers use at a time."""
    if not runs(worker):
        return 0
    return _at(script_of(worker), "memory", at_s - worker.main[0].since_s, _seed(worker))


def script_of(worker: PodWorker) -> UsageScript:
    """The scripted usage of a pod."""
    sandbox = worker.sandbox
    return sandbox.usage if isinstance(sandbox, ScriptedSandbox) else NO_USAGE


def _seed(worker: PodWorker) -> str:
    sandbox = worker.sandbox
    assert isinstance(sandbox, ScriptedSandbox)
    return f"{sandbox.script.seed}/{worker.main[0].restarts}"


def usage_at(pod: Object, script: UsageScript, elapsed_s: float, seed: str) -> PodUsage:
    """The usage of a pod some time after the start of its containers."""
    if script.is_empty:
        return _NOTHING
    memory, disk, logs, inodes, processes = (
        _at(script, what, elapsed_s, seed)
        for what in ("memory", "disk", "logs", "inodes", "processes")
    )
    volumes = {
        called: DiskUsage(curve.at(elapsed_s, f"{seed}/volume/{called}"))
        for called, curve in script.volumes.items()
    }
    stored = sum(volumes[one].used_bytes or 0 for one in ephemeral_volumes(pod) if one in volumes)
    share, rest = divmod(memory, len(pod["spec"]["containers"]))
    containers = [
        ContainerUsage(container["name"], share, DiskUsage(0), DiskUsage(0))
        for container in pod["spec"]["containers"]
    ]
    containers[0] = ContainerUsage(
        containers[0].name, share + rest, DiskUsage(disk, inodes), DiskUsage(logs)
    )
    return PodUsage(
        memory_bytes=memory,
        containers=tuple(containers),
        volumes=volumes,
        ephemeral_storage_bytes=disk + logs + stored,
        processes=processes,
    )


def _at(script: UsageScript, what: str, elapsed_s: float, seed: str) -> int:
    curve = script.curves.get(what)
    return 0 if curve is None else curve.at(elapsed_s, f"{seed}/{what}")


_DISK = (Signal.NODEFS_AVAILABLE, Signal.IMAGEFS_AVAILABLE, Signal.CONTAINERFS_AVAILABLE)
_INODES = (Signal.NODEFS_INODES_FREE, Signal.IMAGEFS_INODES_FREE, Signal.CONTAINERFS_INODES_FREE)


def _left(capacity: int, used: int, at_s: float) -> Observation:
    return Observation(max(capacity - used, 0), capacity, at_s)


def container_usages(worker: PodWorker, at_s: float) -> Mapping[str, Usage]:
    """The usage of a pod's running containers by name; the main ones share the memory."""
    share, rest = divmod(memory_bytes_of(worker, at_s), len(worker.main))
    memory = {one.name: share for one in worker.main}
    memory[worker.main[0].name] += rest
    running = (one for one in worker.containers if one.state is State.RUNNING)
    return {
        one.name: Usage(
            parse_quantity(requests_of(one.spec).get("cpu", 0)).nanos, memory.get(one.name, 0)
        )
        for one in running
    }
