"""What a kubelet has done on its machine, as effects beside calls of the API.

A driver hands them, like other effects, to its API, where `podium.kubelet.real.host` takes
them; what comes of them returns back as `CommandOutcome`.
"""

from typing import Any

from podium.api.objects import Object
from podium.kubelet.containers.container import ContainerId, StopSignal
from podium.kubelet.containers.probes import Handler
from podium.machines.effects import Effect
from podium.machines.events import Outcome


class Command(Effect, frozen=True, kw_only=True):
    """An effect that is carried out on the machine, not by the API."""


class RunPodSandbox(Command, frozen=True, kw_only=True):
    """Make a pod's directories and volumes. An error says which volume can't be had."""

    pod: Object


class StartContainer(Command, frozen=True, kw_only=True):
    """Start a container of a pod that is set up.

    An error of the reason `NOT_CONFIGURED` says what is missing, another one that it can't run.
    """

    pod: Object
    container: Object
    attempt: int
    memory_bytes: int


class WaitForExit(Command, frozen=True, kw_only=True):
    """Wait until a container that was started has exited; the result is an `ExitStatus`."""

    run: ContainerId


class StopContainer(Command, frozen=True, kw_only=True):
    """Ask a container's processes to exit."""

    run: ContainerId
    signal: StopSignal


class RunHandler(Command, frozen=True, kw_only=True):
    """Carry out a probe or hook in a container that runs; the result is a `HandlerResult`."""

    run: ContainerId
    pod: Object
    action: Object
    handler: Handler
    timeout_s: float


class RemovePodSandbox(Command, frozen=True, kw_only=True):
    """Remove a pod's volumes and the directories of its containers, its logs too unless kept."""

    pod: Object
    keeps_logs: bool = True


class CollectStats(Command, frozen=True, kw_only=True):
    """Measure the machine; the result is `podium.kubelet.eviction.node_statistics.Statistics`.

    Attributes:
        walks: whether to find out anew what pods take of the disk, which takes a while.
    """

    pods: tuple[Object, ...]
    walks: bool


class CollectGarbage(Command, frozen=True, kw_only=True):
    """Throw away what is left of all pods but these."""

    pods: tuple[Object, ...]


class AwaitShutdown(Command, frozen=True, kw_only=True):
    """Wait until the kubelet is told to end."""


class ShutDown(Command, frozen=True, kw_only=True):
    """The kubelet has ended: nothing runs any more, and all is written."""


class CommandOutcome(Outcome, frozen=True):
    """The outcome of a command, with what it found out."""

    result: Any = None
