"""A made-up machine for a real node's agent: containers that do as told, in virtual time."""

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.objects import Object
from podium.kubelet.containers.container import (
    NOT_CONFIGURED,
    ContainerId,
    ExitStatus,
    Handler,
    HandlerResult,
    StopSignal,
)
from podium.kubelet.eviction import node_statistics
from podium.kubelet.eviction.signals import Signal
from podium.kubelet.kubelet_config import read_kubelet_config
from podium.kubelet.real import commands
from podium.kubelet.real.machine_kubelet import MachineKubelet
from podium.kubelet.real.registration import HostInfo, node_object
from podium.machines.effects import Create, Delete, Effect, Patch, Record
from podium.machines.events import CallError, Change, Outcome, Synced, Woken
from tests import objects

START_S = 1_800_000_000.0
NODE = "worker"
GI = 2**30
MACHINE = HostInfo(
    address="192.0.2.7",
    cpus=4,
    memory_bytes=8 * GI,
    disk_bytes=100 * GI,
    uid=1000,
    log_directory="/logs",
    info={"operatingSystem": "linux", "architecture": "amd64"},
)
_STEPS_MAX = 20_000


@dataclass
class Script:
    """What a container does."""

    runs_s: float | None = None
    code: int = 0
    obeys_s: float | None = 0.0
    lacks: str = ""
    memory_bytes: int = 0
    answers: dict[Handler, tuple[bool, float]] = field(default_factory=dict)


class Stage:
    """An agent, its machine, and its API."""

    def __init__(self, kubelet: Mapping[str, Any] | None = None) -> None:
        config = read_kubelet_config(kubelet or {})
        self.now_s = START_S
        self.agent = MachineKubelet(node_object(NODE, MACHINE, config, {}), MACHINE, config)
        self.pods: dict[str, dict[str, Any]] = {}
        self.node: Object | None = None
        self.scripts: dict[str, Script] = {}
        self.starts: dict[str, list[float]] = {}
        self.signals: list[tuple[float, str, StopSignal]] = []
        self.records: dict[str, list[str]] = {}
        self.available_bytes = 6 * GI
        self.disk_bytes = self.waste_bytes = 0
        self.has_ended = self.is_cut_off = False
        self.alive: dict[ContainerId, Effect] = {}
        self._ending: Effect | None = None
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._count = self._version = 0
        self._tell(Synced())

    def put(self, pod: dict[str, Any], **scripts: Script) -> None:
        """A pod comes to the node."""
        self.scripts |= scripts
        self._change(pod["metadata"]["name"], pod)

    def delete(self, name: str, grace_period_s: int) -> None:
        """Somebody deletes a pod."""
        pod = self.pods[name]
        dying = {"deletionTimestamp": "x", "deletionGracePeriodSeconds": grace_period_s}
        self._change(name, {**pod, "metadata": {**pod["metadata"], **dying}})

    def forget(self, name: str) -> None:
        """A pod is gone at once."""
        self._tell(Change("Pod", self.pods.pop(name), None))

    def take_node_away(self) -> None:
        """Somebody deletes the Node."""
        node, self.node = self.node, None
        self._tell(Change("Node", node, None))

    def end(self) -> None:
        """The agent is told to end."""
        assert self._ending is not None
        self._tell(commands.CommandOutcome(self._ending))

    def status(self, name: str) -> dict[str, Any]:
        return self.pods[name].get("status") or {}

    def advance(self, duration_s: float) -> None:
        """Let time pass."""
        until_s = self.now_s + duration_s
        for _ in range(_STEPS_MAX):
            wakeup_s = self.agent.next_wakeup_s()
            due_s = self._agenda[0][0] if self._agenda else float("inf")
            next_s = min(due_s, float("inf") if wakeup_s is None else max(wakeup_s, self.now_s))
            if next_s > until_s:
                self.now_s = until_s
                return
            self.now_s = next_s
            if due_s <= next_s:
                heapq.heappop(self._agenda)[2]()
            else:
                self._tell(Woken())
        raise AssertionError("the agent doesn't come to rest")

    def _tell(self, event: Any) -> None:
        for effect in self.agent.step(event, self.now_s):
            self._take(effect)

    def _after(self, wait_s: float, do: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._agenda, (self.now_s + wait_s, self._count, do))

    def _answer(self, effect: Effect, result: Any = None, wait_s: float = 0.0) -> None:
        self._after(wait_s, lambda: self._tell(commands.CommandOutcome(effect, result=result)))

    def _take(self, effect: Effect) -> None:
        if isinstance(effect, Record):
            name = effect.regarding["metadata"]["name"]
            self.records.setdefault(name, []).append(effect.reason)
        elif isinstance(effect, commands.Command):
            self._carry_out(effect)
        elif not self.is_cut_off:
            self._after(0.0, lambda: self._write(effect))

    def _carry_out(self, command: commands.Command) -> None:
        match command:
            case commands.StartContainer():
                self._start(command)
            case commands.WaitForExit():
                self.alive[command.run] = command
                script = self.scripts.get(command.run.name, Script())
                if script.runs_s is not None:
                    self._exit(command.run, script.code, script.runs_s)
            case commands.StopContainer():
                self._stop(command)
            case commands.RunHandler():
                script = self.scripts.get(command.run.name, Script())
                succeeded, took_s = script.answers.get(command.handler, (True, 0.0))
                self._answer(command, HandlerResult(succeeded), min(took_s, command.timeout_s))
            case commands.CollectStats():
                self._answer(command, self._statistics(command))
            case commands.AwaitShutdown():
                self._ending = command
            case commands.ShutDown():
                self.has_ended = True
            case _:
                if isinstance(command, commands.CollectGarbage):
                    self.disk_bytes += self.waste_bytes
                    self.waste_bytes = 0
                self._answer(command)

    def _start(self, command: commands.StartContainer) -> None:
        name = command.container["name"]
        script = self.scripts.get(name, Script())
        if script.lacks:
            error = CallError(500, NOT_CONFIGURED, script.lacks)
            self._after(0.0, lambda: self._tell(Outcome(command, error)))
            return
        self.starts.setdefault(name, []).append(self.now_s - START_S)
        self._answer(command)

    def _stop(self, command: commands.StopContainer) -> None:
        run = command.run
        self.signals.append((self.now_s - START_S, run.name, command.signal))
        script = self.scripts.get(run.name, Script())
        if command.signal is StopSignal.KILL:
            self._exit(run, 137, 0.0)
        elif script.obeys_s is not None:
            self._exit(run, 143, script.obeys_s)

    def _exit(self, run: ContainerId, code: int, wait_s: float) -> None:
        def exits() -> None:
            awaited = self.alive.pop(run, None)
            if awaited is not None:
                self._tell(commands.CommandOutcome(awaited, result=ExitStatus(code)))

        self._after(wait_s, exits)

    def _statistics(self, command: commands.CollectStats) -> node_statistics.Statistics:
        usage, used = {}, 0
        for pod in command.pods:
            containers = []
            for run in self.alive:
                if run.pod_uid == pod["metadata"]["uid"]:
                    own = self.scripts.get(run.name, Script()).memory_bytes
                    disk = node_statistics.DiskUsage(0, 0)
                    containers.append(node_statistics.ContainerUsage(run.name, own, disk, disk))
            total = sum(one.memory_bytes or 0 for one in containers)
            usage[pod["metadata"]["uid"]] = node_statistics.PodUsage(total, tuple(containers))
            used += total
        left = max(self.available_bytes - used, 0)
        memory = node_statistics.Observation(left, MACHINE.memory_bytes, self.now_s)
        found = {Signal.MEMORY_AVAILABLE: memory}
        if self.disk_bytes:
            disk = node_statistics.Observation(self.disk_bytes, MACHINE.disk_bytes, self.now_s)
            found[Signal.NODEFS_AVAILABLE] = disk
        return node_statistics.Statistics(found, usage)

    def _write(self, effect: Effect) -> None:
        """The API takes everything."""
        answer: Object | None = None
        if isinstance(effect, Create) and effect.kind == "Node":
            self.node = answer = self._versioned({**effect.obj}, uid="node-uid")
        elif isinstance(effect, Patch) and effect.kind == "Node" and self.node is not None:
            status = _merged(self.node.get("status") or {}, effect.body.get("status") or {})
            self.node = answer = self._versioned({**self.node, "status": status})
        elif isinstance(effect, Patch) and effect.kind == "Pod":
            answer = self._write_status(effect)
        elif isinstance(effect, Delete):
            pod = self.pods.pop(effect.name, None)
            if pod is not None:
                self._tell(Change("Pod", pod, None))
        self._tell(Outcome(effect, obj=answer))

    def _write_status(self, effect: Patch) -> Object | None:
        pod = self.pods.get(effect.name)
        if pod is None:
            return None
        status = _merged(pod.get("status") or {}, effect.body["status"])
        self._change(effect.name, {**pod, "status": status})
        return self.pods[effect.name]

    def _versioned(self, obj: dict[str, Any], **metadata: str) -> dict[str, Any]:
        self._version += 1
        version = str(self._version)
        return {**obj, "metadata": {**obj["metadata"], **metadata, "resourceVersion": version}}

    def _change(self, name: str, pod: dict[str, Any]) -> None:
        old, self.pods[name] = self.pods.get(name), self._versioned(pod)
        self._tell(Change("Pod", old, self.pods[name]))


def _merged(status: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    known = {one["type"]: one for one in status.get("conditions") or ()}
    known |= {one["type"]: one for one in patch.get("conditions") or ()}
    return {**status, **patch, "conditions": list(known.values())}


def pod(name: str, *containers: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A pod on the node; without containers it has one of its own name."""
    usual = {"containers": list(containers) or [container(name)], "uid": f"uid-{name}"}
    return objects.pod(name, on=NODE, **{**usual, "terminationGracePeriodSeconds": 30, **fields})


def container(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": "none", "command": [name], **fields}
