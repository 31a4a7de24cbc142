"""What an agent has done on its machine, as values beside calls of the API.

A driver hands them, like other effects, to its API, where `podium.machine` takes them; what comes
of them comes back as `Answered`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from podium.control.effects import Effect
from podium.control.events import Outcome

Object = Mapping[str, Any]


class ContainerId(NamedTuple):
    """One run of a container.

    Attributes:
        pod_uid: the pod's uid.
        name: the container's name.
        attempt: how often it has been started before.
    """

    pod_uid: str
    name: str
    attempt: int


class Check(StrEnum):
    """Why something is asked of a container."""

    STARTUP = "startupProbe"
    LIVENESS = "livenessProbe"
    READINESS = "readinessProbe"
    PRE_STOP = "preStop"


class Force(StrEnum):
    """How a container's processes are asked to exit."""

    TERM = "SIGTERM"
    KILL = "SIGKILL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Effect):
    """Something to be done on the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp(Command):
    """Make a pod's directories and volumes. An error says which volume can't be had."""

    pod: Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Command):
    """Start a container of a pod that is set up.

    An error of the reason `NOT_CONFIGURED` says what is missing, another one that it can't run.

    Attributes:
        pod: the pod.
        container: its container.
        attempt: how often that has been started before.
        memory_bytes: of the machine, for the order in which the kernel kills.
    """

    pod: Object
    container: Object
    attempt: int
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Await(Command):
    """Wait until a container that was started has exited; the result is an `Exited`."""

    run: ContainerId


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Command):
    """Ask a container's processes to exit."""

    run: ContainerId
    force: Force


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Command):
    """Carry out a probe or hook in a container that runs; the result is a `Verdict`.

    Attributes:
        run: the container.
        pod: its pod.
        action: what to do, such as `{"exec": {"command": […]}}`.
        check: why.
        timeout_s: how long it may take.
    """

    run: ContainerId
    pod: Object
    action: Object
    check: Check
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TearDown(Command):
    """Remove a pod's volumes and the directories of its containers, its logs too unless kept."""

    pod: Object
    keeps_logs: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Command):
    """Measure the machine; the result is `podium.node.pressure.statistics.Statistics`.

    Attributes:
        pods: that are to be measured.
        walks: whether to find out anew what pods take of the disk, which takes a while.
    """

    pods: tuple[Object, ...]
    walks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard(Command):
    """Throw away what is left of all pods but these."""

    pods: tuple[Object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitEnd(Command):
    """Wait until the agent is told to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End(Command):
    """The agent has ended: nothing runs any more, and all is written."""


NOT_CONFIGURED = "CreateContainerConfigError"


@dataclass(frozen=True, slots=True)
class Exited:
    """How a container has ended.

    Attributes:
        code: the exit code; 128 plus the number of the signal that ended it.
        reason: `OOMKilled` if it was killed for its memory; empty if the code says it all.
        message: what there is to say of it.
    """

    code: int
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a probe or hook.

    Attributes:
        succeeded: whether it went well.
        message: why not.
    """

    succeeded: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Answered(Outcome):
    """What became of a command.

    Attributes:
        result: what it found out.
    """

    result: Any = None
