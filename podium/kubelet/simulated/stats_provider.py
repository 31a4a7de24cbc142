"""The statistics of a simulated node: its own scripted usage, and that of its pods.

A pod's curves start anew with each start of its containers. Memory is split evenly between the
containers; the first container has all disk usage. Pods without a script use nothing.
"""

from collections.abc import Iterable, Mapping

from podium.api.nodes import allocatable_of
from podium.api.objects import Object, name, status_of
from podium.api.pods import requests_of
from podium.api.usage import Usage
from podium.api.values.quantity import parse_quantity, value
from podium.kubelet.containers.container import State
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.eviction.eviction_manager import allocatable_memory
from podium.kubelet.eviction.node_statistics import (
    ContainerUsage,
    DiskUsage,
    Observation,
    PodUsage,
    Statistics,
    ephemeral_volumes,
)
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.simulated.behaviour import NodeSettings
from podium.kubelet.simulated.scripted_usage import NO_USAGE, UsageScript
from podium.kubelet.simulated.simulated_kubelet import ScriptedSandbox, SimulatedKubelet

_NOTHING = PodUsage(memory_bytes=0)
_DISK = (Signal.NODEFS_AVAILABLE, Signal.IMAGEFS_AVAILABLE, Signal.CONTAINERFS_AVAILABLE)
_INODES = (Signal.NODEFS_INODES_FREE, Signal.IMAGEFS_INODES_FREE, Signal.CONTAINERFS_INODES_FREE)


class StatsProvider:
    """Computes the statistics of a simulated node."""

    def __init__(self, kubelet: SimulatedKubelet, settings: NodeSettings) -> None:
        self.freed_bytes = 0
        """Bytes of unused images and dead containers that were garbage-collected."""
        self._kubelet = kubelet
        self._started_s = kubelet.started_s
        self._config = settings.eviction
        self._seed = f"{settings.seed}/{name(kubelet.node)}"

    def memory_total_bytes(self, workers: Iterable[PodWorker], at_s: float) -> int:
        own = self._own("memory", at_s)
        return own + sum(memory_bytes_of(worker, at_s) for worker in workers)

    def memory_corners_s(
        self, workers: Iterable[PodWorker], from_s: float, to_s: float
    ) -> list[float]:
        """Return the ends of an interval, and the times between at which memory curves bend."""
        corners_s = {from_s, to_s}
        curves = [(self._kubelet.node_script.usage.curves.get("memory"), self._started_s)]
        running = filter(runs, workers)
        curves += ((script_of(one).curves.get("memory"), one.main[0].since_s) for one in running)
        for curve, start_s in curves:
            if curve is not None:
                of_curve_s = curve.corners_s(from_s - start_s, to_s - start_s)
                corners_s.update(start_s + corner_s for corner_s in of_curve_s)
        return sorted(corners_s)

    def is_level_from(self, workers: Iterable[PodWorker], at_s: float) -> bool:
        """Return whether all usage is constant from a time on."""
        usage = self._kubelet.node_script.usage
        return usage.is_level_from(at_s - self._started_s) and all(
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
        pods, script = usage.values(), self._kubelet.node_script
        observed: dict[Signal, Observation] = {}

        def observe(signals: Iterable[Signal], capacity: int, used: int) -> None:
            left = Observation(max(capacity - used, 0), capacity, at_s)
            observed.update(dict.fromkeys(signals, left))

        if capacity := self.memory_capacity_bytes:
            of_pods = sum(pod.memory_bytes or 0 for pod in pods)
            observe([Signal.MEMORY_AVAILABLE], capacity, self._own("memory", at_s) + of_pods)
            amount = value(allocatable_of(self._kubelet.node).get("memory", capacity))
            observed[Signal.ALLOCATABLE_MEMORY_AVAILABLE] = allocatable_memory(
                self._config, amount, observed[Signal.MEMORY_AVAILABLE], of_pods
            )
        if capacity := self._capacity("ephemeral-storage"):
            waste = script.unused_images_bytes + script.dead_containers_bytes
            used = self._own("disk", at_s) + max(waste - self.freed_bytes, 0)
            observe(_DISK, capacity, used + sum(pod.ephemeral_storage_bytes for pod in pods))
        if script.inodes is not None:
            roots = (container.rootfs.inodes or 0 for pod in pods for container in pod.containers)
            observe(_INODES, script.inodes, self._own("inodes", at_s) + sum(roots))
        if script.max_pids is not None:
            used = self._own("processes", at_s) + sum(pod.processes for pod in pods)
            observe([Signal.PID_AVAILABLE], script.max_pids, used)
        return Statistics(observed, usage)

    def _capacity(self, resource: str) -> int:
        status = status_of(self._kubelet.node)
        amounts = status.get("capacity") or status.get("allocatable") or {}
        return value(amounts.get(resource, 0))

    def _own(self, what: str, at_s: float) -> int:
        usage = self._kubelet.node_script.usage
        return _at(usage, what, at_s - self._started_s, self._seed)


def runs(worker: PodWorker) -> bool:
    """Return whether a pod's main containers, which start and exit together, run."""
    return worker.main[0].state is State.RUNNING


def memory_bytes_of(worker: PodWorker, at_s: float) -> int:
    """Return the memory that a pod's containers use at a time."""
    if not runs(worker):
        return 0
    return _at(script_of(worker), "memory", at_s - worker.main[0].since_s, _seed(worker))


def script_of(worker: PodWorker) -> UsageScript:
    """Return the scripted usage of a pod."""
    sandbox = worker.sandbox
    return sandbox.usage if isinstance(sandbox, ScriptedSandbox) else NO_USAGE


def _seed(worker: PodWorker) -> str:
    sandbox = worker.sandbox
    assert isinstance(sandbox, ScriptedSandbox)
    return f"{sandbox.script.seed}/{worker.main[0].restarts}"


def usage_at(pod: Object, script: UsageScript, elapsed_s: float, seed: str) -> PodUsage:
    """Compute the usage of a pod some time after the start of its containers."""
    if script.is_empty:
        return _NOTHING
    memory, disk, logs, inodes, processes = (
        _at(script, what, elapsed_s, seed)
        for what in ("memory", "disk", "logs", "inodes", "processes")
    )
    volumes = {
        volume: DiskUsage(curve.at(elapsed_s, f"{seed}/volume/{volume}"))
        for volume, curve in script.volumes.items()
    }
    stored = sum(volumes[one].used_bytes or 0 for one in ephemeral_volumes(pod) if one in volumes)
    first, *others = (container["name"] for container in pod["spec"]["containers"])
    share, rest = divmod(memory, 1 + len(others))
    nothing = DiskUsage(0)
    return PodUsage(
        memory_bytes=memory,
        containers=(
            ContainerUsage(first, share + rest, DiskUsage(disk, inodes), DiskUsage(logs)),
            *(ContainerUsage(container, share, nothing, nothing) for container in others),
        ),
        volumes=volumes,
        ephemeral_storage_bytes=disk + logs + stored,
        processes=processes,
    )


def _at(script: UsageScript, what: str, elapsed_s: float, seed: str) -> int:
    curve = script.curves.get(what)
    return 0 if curve is None else curve.at(elapsed_s, f"{seed}/{what}")


def container_usages(worker: PodWorker, at_s: float) -> Mapping[str, Usage]:
    """Return the usage of a pod's running containers by name; the main ones share the memory."""
    share, rest = divmod(memory_bytes_of(worker, at_s), len(worker.main))
    memory = {container.name: share for container in worker.main}
    memory[worker.main[0].name] += rest
    running = (container for container in worker.containers if container.state is State.RUNNING)
    return {
        one.name: Usage(
            parse_quantity(requests_of(one.spec).get("cpu", 0)).nanos, memory.get(one.name, 0)
        )
        for one in running
    }
