"""The commands of a kubelet to its machine, as effects.

`podium.kubelet.real.host` carries them out; each returns a `CommandOutcome`.
"""

from collections.abc import Hashable
from typing import Any

from podium.api.objects import Object
from podium.kubelet.containers.container import ContainerId, Handler, StopSignal
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class Command(Effect, frozen=True, kw_only=True):
    """An effect on the machine instead of an API call."""

    purpose: Hashable = "command"


class RunPodSandbox(Command, frozen=True, kw_only=True):
    """The creation of a pod's directories and volumes; an error names a volume that failed."""

    pod: Object


class StartContainer(Command, frozen=True, kw_only=True):
    """Start a container of a pod that is set up.

    An error of the reason `NOT_CONFIGURED` says what is missing, another one that it can't run.
    """

    pod: Object
    container: Object
    attempt: int
    memory_bytes: int

    @property
    def run(self) -> ContainerId:
        return ContainerId(self.pod["metadata"]["uid"], self.container["name"], self.attempt)


class WaitForExit(Command, frozen=True, kw_only=True):
    """Wait until a container that was started has exited; the result is an `ExitStatus`."""

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
    """The removal of a pod's volumes and container directories, and of its logs unless kept."""

    pod: Object
    keeps_logs: bool = True


class CollectStats(Command, frozen=True, kw_only=True):
    """Measure the machine; the result is `podium.kubelet.eviction.node_statistics.Statistics`.

    Attributes:
        walks: whether to measure the disk usage of pods again, which takes time.
    """

    pods: tuple[Object, ...]
    walks: bool


class CollectGarbage(Command, frozen=True, kw_only=True):
    """The removal of the files of all other pods."""

    pods: tuple[Object, ...]


class AwaitShutdown(Command, frozen=True, kw_only=True):
    """The wait for a request to end the kubelet."""


class ShutDown(Command, frozen=True, kw_only=True):
    """The end of the kubelet: no container runs, and everything is written."""


class CommandOutcome(Outcome, frozen=True):
    """The outcome of a command, with its result."""

    result: Any = None
