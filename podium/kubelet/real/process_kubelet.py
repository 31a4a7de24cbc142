"""The kubelet of a real node, whose containers are processes."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from podium.api.objects import Object, is_terminating, part
from podium.api.values.times import epoch_s
from podium.kubelet.containers.container import (
    KILLED,
    Container,
    ExitStatus,
    Handler,
    ProbeWorker,
    Run,
    State,
    StopSignal,
)
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.eviction.eviction_manager import EvictionLoop, EvictionManager
from podium.kubelet.kubelet import Kubelet
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.kubelet.pod_admission import PodRejection
from podium.kubelet.real import commands
from podium.kubelet.real.registration import HostInfo
from podium.kubelet.real.unsupported_fields import unsupported
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S
from podium.scheduler.snapshot.pod_classes import PodClasses

_LEAVING = PodRejection("NodeShutdown", "Pod was rejected as the node is shutting down.")
_LOST = ExitStatus(KILLED, "ContainerStatusUnknown", "The kubelet was stopped meanwhile")
_PROBES = (Handler.STARTUP, Handler.LIVENESS, Handler.READINESS)


class ProcessSandbox(msgspec.Struct):
    """The sandbox of a pod whose containers are processes."""

    is_scripted: ClassVar[bool] = False

    ip: str
    memory_bytes: int
    records_lives: bool = True

    def heeds_deletion(self, pod: Object) -> bool:
        return True

    def run(self, pod: Object, now_s: float) -> tuple[float, Iterable[Effect]]:
        return NEVER_S, (commands.RunPodSandbox(pod=pod),)

    def remove(self, pod: Object) -> Iterable[Effect]:
        return (commands.RemovePodSandbox(pod=pod),)

    def start(self, container: Container, now_s: float) -> Iterable[Effect]:
        start = commands.StartContainer(
            pod=container.pod,
            container=container.spec,
            attempt=container.attempt,
            memory_bytes=self.memory_bytes,
        )
        return (start,)

    def stop(self, container: Container, signal: StopSignal, now_s: float) -> Iterable[Effect]:
        return (commands.StopContainer(run=container.run, signal=signal),)

    def handle(
        self, container: Container, handler: Handler, action: Object, timeout_s: float, now_s: float
    ) -> Iterable[Effect]:
        run = commands.RunHandler(
            run=container.run,
            pod=container.pod,
            action=action,
            handler=handler,
            timeout_s=timeout_s,
        )
        return (run,)

    def probes(self, container: Container, now_s: float) -> dict[Handler, ProbeWorker]:
        spec = container.spec
        return {one: ProbeWorker.begun(one, spec[one], now_s) for one in _PROBES if spec.get(one)}


class ProcessKubelet(Kubelet):
    """The kubelet of a host, whose containers are processes."""

    def __init__(
        self,
        node: Object,
        host: HostInfo,
        config: KubeletConfiguration,
        *,
        is_leaving: bool,
        now_s: float,
    ) -> None:
        super().__init__(node, host.address, PodClasses(), lambda _pod, _at_s: None, now_s)
        manager = EvictionManager(config.eviction)
        self.loop = self.eviction = EvictionLoop(manager, now_s, now_s, status_update_s=0.0)
        self.is_leaving = False
        self._host = host
        if is_leaving:
            self.leave()

    def leave(self) -> None:
        """Reject new pods, and make the node NotReady, from now on."""
        self.is_leaving = True
        self.own_conditions = {"Ready": "False"}

    def sandbox(self, pod: Object, *, resumes: bool) -> ProcessSandbox | PodRejection:
        if self.is_leaving and not resumes:
            return _LEAVING
        refused = unsupported(pod, self._host.uid)
        return refused or ProcessSandbox(self.host_ip, self._host.memory_bytes)

    def restore(self, worker: PodWorker, now_s: float) -> None:
        # Containers that ran according to the status don't run any more.
        status = worker.pod["status"]
        worker.admitted_s = _seconds(status.get("startTime"), now_s)
        for field, containers in (
            ("initContainerStatuses", worker.init),
            ("containerStatuses", worker.main),
        ):
            statuses = {known["name"]: known for known in status.get(field) or ()}
            for container in containers:
                if container.name in statuses:
                    _resume(container, statuses[container.name], now_s)
        worker.is_set_up = is_terminating(worker.pod)


def _resume(one: Container, status: Object, now_s: float) -> None:
    state = part(status, "state")
    ended = state.get("terminated") or part(status, "lastState").get("terminated")
    if "running" in state:
        one.last = Run(_LOST, _seconds(state["running"].get("startedAt"), now_s), now_s)
    elif ended is not None:
        one.last = Run.stated(ended, now_s)
    else:
        return
    one.attempt = int(status.get("restartCount") or 0)
    one.state = State.EXITED
    if "running" not in state:
        one.back_off.count, one.back_off.last_s = one.restarts, one.last.finished_s


def _seconds(time: str | None, otherwise_s: float) -> float:
    return epoch_s(time) if time else otherwise_s
