"""The commands of a kubelet to its host, as effects.

`podium.kubelet.real.host` carries out commands; the outcome of each is a `CommandOutcome`.
"""

from collections.abc import Hashable
from typing import Any

from podium.api.objects import Object
from podium.kubelet.containers.container import ContainerId, Handler, StopSignal
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class Command(Effect, frozen=True, kw_only=True):
    """An effect on the host, rather than an API call."""

    purpose: Hashable = "command"


class RunPodSandbox(Command, frozen=True, kw_only=True):
    """Make a pod's directories and volumes; an error names a volume that failed."""

    pod: Object


class StartContainer(Command, frozen=True, kw_only=True):
    """Start a container of a pod that is set up.

    An error with the reason `NOT_CONFIGURED` names a missing object; others say why it can't run.
    """

    pod: Object
    container: Object
    attempt: int
    memory_bytes: int

    @property
    def run(self) -> ContainerId:
        return ContainerId(self.pod["metadata"]["uid"], self.container["name"], self.attempt)


class WaitForExit(Command, frozen=True, kw_only=True):
    """Wait until a started container has exited; the result is an `ExitStatus`."""

    run: ContainerId


class StopContainer(Command, frozen=True, kw_only=True):
    """Signal a container's processes."""

    run: ContainerId
    signal: StopSignal


class RunHandler(Command, frozen=True, kw_only=True):
    """Run a probe or hook in a container; the result is a `HandlerResult`."""

    run: ContainerId
    pod: Object
    action: Object
    handler: Handler
    timeout_s: float


OfContainer = StartContainer | WaitForExit | RunHandler
"""The commands whose outcomes concern a container."""


class RemovePodSandbox(Command, frozen=True, kw_only=True):
    """Remove a pod's volumes and container directories and, unless `keeps_logs`, its logs."""

    pod: Object
    keeps_logs: bool = True


class CollectStats(Command, frozen=True, kw_only=True):
    """Measure the host; the result is `podium.kubelet.eviction.node_statistics.Statistics`."""

    pods: tuple[Object, ...]
    walks: bool
    """Whether to measure the disk usage of pods again, which takes long."""


class CollectGarbage(Command, frozen=True, kw_only=True):
    """Remove the files of all pods except the given ones."""

    pods: tuple[Object, ...]


class AwaitShutdown(Command, frozen=True, kw_only=True):
    """Wait for a signal to end the kubelet."""


class ShutDown(Command, frozen=True, kw_only=True):
    """End the kubelet, after all containers have exited and all statuses are written."""


class CommandOutcome(Outcome, frozen=True):
    """The outcome of a command, with its result."""

    result: Any = None
