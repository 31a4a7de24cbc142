"""Commands of a kubelet to its machine, as effects beside calls of the API.

A driver hands them, like other effects, to its API, where `podium.kubelet.real.host` carries them
out; each returns as `CommandOutcome`.
"""

from collections.abc import Hashable
from typing import Any

from podium.api.objects import Object
from podium.kubelet.containers.container import ContainerId, Handler, StopSignal
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class Command(Effect, frozen=True, kw_only=True):
    """An effect that is carried out on the machine, not by the API."""

    purpose: Hashable = "command"


class RunPodSandbox(Command, frozen=True, kw_only=True):
    """Make a pod's directories and volumes; an error names a volume that can't be made."""

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
    """Remove a pod's volumes and the directories of its containers, its logs too unless kept."""

    pod: Object
    keeps_logs: bool = True


class CollectStats(Command, frozen=True, kw_only=True):
    """Measure the machine; the result is `podium.kubelet.eviction.node_statistics.Statistics`.

    Attributes:
        walks: whether to measure the disk usage of pods again, which takes a while.
    """

    pods: tuple[Object, ...]
    walks: bool


class CollectGarbage(Command, frozen=True, kw_only=True):
    """Remove what is left of all pods but these."""

    pods: tuple[Object, ...]


class AwaitShutdown(Command, frozen=True, kw_only=True):
    """Wait until the kubelet is asked to end."""


class ShutDown(Command, frozen=True, kw_only=True):
    """The kubelet has ended: nothing runs any more, and all is written."""


class CommandOutcome(Outcome, frozen=True):
    """The outcome of a command, with its result."""

    result: Any = None
