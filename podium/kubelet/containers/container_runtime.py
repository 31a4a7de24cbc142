"""What a kubelet asks of a container runtime, in the terms of the Container Runtime Interface.

A kubelet decides which containers run when; a runtime starts and ends them. There are two: scripts
in virtual time (`podium.kubelet.simulated`), which know at once when a container will exit, and the
processes of a machine (`podium.kubelet.real`), which are commanded by effects and answer later.
Images aren't modelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from podium.api.objects import Object
from podium.machines.effects import Effect

if TYPE_CHECKING:
    from podium.kubelet.containers.container import Container
    from podium.kubelet.containers.pod_worker import PodWorker
    from podium.kubelet.containers.probes import ProbeWorker
    from podium.kubelet.pod_admission import PodRejection


NEVER_S = float("inf")
TERMINATED = 143
"""Exit code of a container that ends when it is asked to (SIGTERM)."""
KILLED = 137
"""Exit code of a container that doesn't (SIGKILL)."""
OOM_KILLED = "OOMKilled"


class ContainerId(NamedTuple):
    """The name of one run of a container: which container of which pod, and which attempt.

    Attributes:
        attempt: how often it has been started before.
    """

    pod_uid: str
    name: str
    attempt: int


class Handler(StrEnum):
    """The occasion on which something is done in a running container: a probe, or its last hook."""

    STARTUP = "startupProbe"
    LIVENESS = "livenessProbe"
    READINESS = "readinessProbe"
    PRE_STOP = "preStop"


class StopSignal(StrEnum):
    """The signal by which a container's processes are asked to exit."""

    TERM = "SIGTERM"
    KILL = "SIGKILL"


class ExitStatus(msgspec.Struct, frozen=True):
    """The way in which one run of a container has ended.

    Attributes:
        code: the exit code; 128 plus the number of the signal that ended it.
        reason: `OOMKilled` if it was killed for its memory; empty if the code says it all.
        message: what there is to say of it.
    """

    code: int
    reason: str = ""
    message: str = ""


class HandlerResult(msgspec.Struct, frozen=True):
    """The result of a probe or hook that was carried out in a container.

    Attributes:
        succeeded: whether it went well.
        message: why not.
    """

    succeeded: bool
    message: str = ""


class PodSandbox(Protocol):
    """The environment in which the containers of one pod run, as a kubelet uses it.

    Attributes:
        ip: the pod's address.
        is_scripted: whether it is known ahead what happens when, and the pod's containers end
            with its object and outlive the kubelet.
        records_lives: whether starts, exits and restarts of containers are recorded as events.
    """

    ip: str
    records_lives: bool

    @property
    def is_scripted(self) -> bool: ...

    def run(self, pod: Object, now_s: float) -> tuple[float, Iterable[Effect]]:
        """Set the pod up; when that will be done, `NEVER_S` if it will be told, and commands."""

    def remove(self, pod: Object) -> Iterable[Effect]:
        """Give back what the pod had, but its logs."""

    def heeds_deletion(self, pod: Object) -> bool:
        """Whether the pod can be stopped as it is deleted."""

    def start(self, container: Container, now_s: float) -> Iterable[Effect]:
        """Start a container; told by `Container.started` or `Container.failed_to_start`."""

    def stop(self, container: Container, signal: StopSignal, now_s: float) -> Iterable[Effect]:
        """Ask a container to exit; told by `Container.exited`, or by its `exits_s`."""

    def handle(
        self, container: Container, handler: Handler, action: Object, timeout_s: float, now_s: float
    ) -> Iterable[Effect]:
        """Carry out a probe or hook; told by `Container.handled`."""

    def probes(self, container: Container, now_s: float) -> dict[Handler, ProbeWorker]:
        """The probes of a container that has just started."""


class ContainerRuntime(Protocol):
    """The container runtime of one node.

    Attributes:
        host_ip: the node's address.
        is_down: whether the node is silent and can't be reached.
        conditions: statuses by type of the node's conditions that aren't as on a healthy node.
    """

    host_ip: str
    is_down: bool
    conditions: Mapping[str, str]

    def see(self, node: Object) -> None:
        """Take in how the node is now."""

    def sandbox(self, pod: Object, *, resumes: bool) -> PodSandbox | PodRejection:
        """Where a pod would run, or why it can't.

        Args:
            pod: the pod.
            resumes: whether the node had taken it before the kubelet started.
        """

    def resume(self, worker: PodWorker, now_s: float) -> None:
        """Bring a pod that was taken before to where its status, and the runtime, have it."""

    def renew(self, worker: PodWorker, now_s: float) -> Iterable[Effect]:
        """Take in how a pod has changed; events to record, if any."""
