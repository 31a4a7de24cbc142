"""The life of one pod on its node, as its script wants it.

    Starting → Initializing → Running → Stopped
                              ↑     ↓
                             BackingOff

A life advances from one moment to the next at which something happens, however late it is asked
to. All containers of a pod start and exit together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from podium.api.resources import is_sidecar
from podium.node.back_off import BackOff
from podium.node.simulated.behaviour import Script
from podium.node.simulated.durations import ENDLESS_S

Object = Mapping[str, Any]

TERMINATED = 143
"""Exit code of a container that ends when it is asked to (SIGTERM)."""
KILLED = 137
"""Exit code of a container that doesn't (SIGKILL)."""


class Stage(Enum):
    """How far a pod is."""

    STARTING = auto()
    INITIALIZING = auto()
    RUNNING = auto()
    BACKING_OFF = auto()
    STOPPED = auto()


@dataclass(frozen=True, slots=True)
class Why:
    """Why a pod is stopped, as its status will tell; empty if it has been deleted.

    Attributes:
        reason: such as `DeadlineExceeded`.
        message: the sentence.
        disruption: the message of the condition DisruptionTarget, if it gets one.
    """

    reason: str = ""
    message: str = ""
    disruption: str = ""


DELETED = Why()
PAST_DEADLINE = Why(
    "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
)


@dataclass(frozen=True, slots=True)
class Exit:
    """One run of the containers.

    Attributes:
        code: with which they exited.
        started_s: when they started, in seconds since the epoch.
        finished_s: when they exited.
        reason: why, if the code doesn't say it.
    """

    code: int
    started_s: float
    finished_s: float
    reason: str = ""


@dataclass(slots=True)
class Life:
    """One pod's life.

    Attributes:
        script: what the pod does.
        spec: of the pod: its restart policy, init containers, deadline and hooks count.
        admitted_s: when its node took it, in seconds since the epoch.
        since_s: when the present stage began; lies ahead if the pod waits for room on the node.
        stage: how far it is.
        initialized: how many of its init containers are done.
        is_ready: whether its containers are.
        restarts: how often they were restarted.
        last_exit: their last run, if they have exited.
        why: why it is being stopped, or was; None if nobody stops it.
        stops_s: when it will have stopped at the latest.
        changes: how often something visible has changed.
        back_off: how long restarts wait.
    """

    script: Script
    spec: Object
    admitted_s: float
    since_s: float
    stage: Stage = Stage.STARTING
    initialized: int = 0
    is_ready: bool = False
    restarts: int = 0
    last_exit: Exit | None = None
    why: Why | None = None
    stops_s: float = ENDLESS_S
    changes: int = 1
    back_off: BackOff = field(default_factory=BackOff)
    _exit_code: int = KILLED
    _stage_ends_s: float = field(init=False)
    _ready_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._enter(self.stage, self.since_s, is_ready=self.is_ready)

    @property
    def phase(self) -> str:
        """As in the pod's status."""
        match self.stage:
            case Stage.STARTING | Stage.INITIALIZING:
                return "Pending"
            case Stage.RUNNING | Stage.BACKING_OFF:
                return "Running"
        succeeded = self.last_exit is not None and self.last_exit.code == 0
        return "Succeeded" if succeeded and not (self.why and self.why.reason) else "Failed"

    @property
    def back_off_s(self) -> float:
        """How long the restart waits that comes next."""
        return self.back_off.wait_s(self.since_s)

    def next_s(self) -> float:
        """When something happens next; `ENDLESS_S` if nothing ever does."""
        if self.stage is Stage.STOPPED:
            return ENDLESS_S
        return min(self._stage_ends_s, self._ready_s, self.stops_s, self._deadline_s())

    def advance(self, now_s: float) -> None:
        """Let everything happen that is due."""
        while (next_s := self.next_s()) <= now_s:
            self.changes += 1
            if self.stops_s <= next_s:
                self._exit(self._exit_code, next_s)
            elif self._deadline_s() <= next_s:
                self.stop(PAST_DEADLINE, self._grace_period_s(), next_s)
            else:
                self._pass(next_s)

    def stop(self, why: Why, grace_period_s: float, now_s: float) -> None:
        """Ask the containers to exit.

        They do after what their hook and they themselves need, but within the grace period; a
        later order may only make it sooner. What doesn't run stops at once.

        Args:
            why: why; the first reason stays.
            grace_period_s: how long they have.
            now_s: the time.
        """
        if self.stage is Stage.STOPPED:
            return
        if self.why is None:
            self.why = why
        wants_s = _pre_stop_s(self.spec) + self.script.termination_s()
        if self.stage not in (Stage.RUNNING, Stage.INITIALIZING):
            wants_s = 0.0
        stops_s = now_s + min(wants_s, grace_period_s)
        if stops_s < self.stops_s:
            self.stops_s = stops_s
            self._exit_code = TERMINATED if wants_s < grace_period_s else KILLED

    def kill(self, reason: str, now_s: float) -> None:
        """Kill the running containers; they are restarted as after any other exit."""
        self.changes += 1
        self._exit(KILLED, now_s, reason)

    def _deadline_s(self) -> float:
        """When the pod has been active for too long; `ENDLESS_S` once it is being stopped."""
        limit_s = self.spec.get("activeDeadlineSeconds")
        if limit_s is None or self.why is not None:
            return ENDLESS_S
        return self.admitted_s + float(limit_s)

    def _grace_period_s(self) -> float:
        return float(self.spec.get("terminationGracePeriodSeconds") or 0)

    def _pass(self, now_s: float) -> None:
        """The present stage ends, or the containers become ready."""
        match self.stage:
            case Stage.STARTING | Stage.INITIALIZING:
                self.initialized += self.stage is Stage.INITIALIZING
                done = self.initialized >= len(init_containers(self.spec))
                self._enter(Stage.RUNNING if done else Stage.INITIALIZING, now_s)
            case Stage.RUNNING if self._ready_s <= now_s:
                self.is_ready = True
                self._ready_s = ENDLESS_S
            case Stage.RUNNING:
                self._exit(self.script.behaviour.exit_code, now_s)
            case Stage.BACKING_OFF:
                self.back_off.restarted(self.since_s, now_s)
                self.restarts += 1
                self._enter(Stage.RUNNING, now_s)

    def _exit(self, code: int, now_s: float, reason: str = "") -> None:
        has_run = self.stage is Stage.RUNNING
        if has_run:
            self.last_exit = Exit(code, self.since_s, now_s, reason)
        stays = has_run and self.why is None and _is_restarted(self.spec, code)
        self._enter(Stage.BACKING_OFF if stays else Stage.STOPPED, now_s)

    def _enter(self, stage: Stage, since_s: float, *, is_ready: bool = False) -> None:
        self.stage = stage
        self.since_s = since_s
        self.is_ready = is_ready
        self._stage_ends_s = since_s + self._stage_lasts_s()
        self._ready_s = ENDLESS_S
        if stage is Stage.RUNNING and not is_ready:
            self._ready_s = since_s + self.script.ready_after_s(self.restarts)

    def _stage_lasts_s(self) -> float:
        match self.stage:
            case Stage.STARTING:
                return self.script.startup_s()
            case Stage.INITIALIZING:
                return self.script.init_s(self.initialized)
            case Stage.RUNNING:
                return self.script.run_s(self.restarts)
            case Stage.BACKING_OFF:
                return self.back_off_s
        return ENDLESS_S


def init_containers(spec: Object) -> list[Object]:
    """The init containers that run to their end, in their order."""
    return [one for one in spec.get("initContainers") or () if not is_sidecar(one)]


def _is_restarted(spec: Object, code: int) -> bool:
    match spec.get("restartPolicy") or "Always":
        case "Always":
            return True
        case "OnFailure":
            return code != 0
    return False


def _pre_stop_s(spec: Object) -> float:
    """How long the hooks before the order to exit sleep; of several containers the longest."""
    hooks = (
        (container.get("lifecycle") or {}).get("preStop") or {}
        for container in spec.get("containers") or ()
    )
    return max((float((hook.get("sleep") or {}).get("seconds") or 0) for hook in hooks), default=0)
