"""A container of a pod, its probes, and the sandbox in which it runs.

Waiting → Starting → Running → Exited → (back-off) → Starting …
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, StrEnum, auto
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Protocol

import msgspec

from podium.api.objects import Object, part
from podium.api.resources import is_sidecar
from podium.api.values.times import NANOS_PER_SECOND, epoch_s, format_duration
from podium.kubelet.kubelet_events import node_record
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S
from podium.machines.reconciler.work_queue import Backoff, Restarts


class Handler(StrEnum):
    """The probes and the preStop hook of a container; the values are their field names."""

    STARTUP = "startupProbe"
    LIVENESS = "livenessProbe"
    READINESS = "readinessProbe"
    PRE_STOP = "preStop"


class HandlerResult(msgspec.Struct, frozen=True):
    """The result of a probe or hook."""

    succeeded: bool
    message: str = ""


class ProbeWorker(msgspec.Struct):
    """A probe of a running container.

    As in v1.36's probe workers, the result changes after as many consecutive successes or
    failures as the threshold says. Before the first result, a container counts as alive, but
    neither as started nor as ready.

    `due_s` is when the probe runs next; `holds` is whether it succeeds at present.
    """

    kind: Handler
    spec: Object
    due_s: float
    is_under_way: bool = False
    holds: bool = False
    _row: int = 0
    _last: bool | None = None

    @classmethod
    def begun(cls, kind: Handler, spec: Object, started_s: float) -> "ProbeWorker":
        delay_s = float(spec.get("initialDelaySeconds") or 0)
        return cls(kind, spec, started_s + delay_s, holds=kind is Handler.LIVENESS)

    @property
    def timeout_s(self) -> float:
        return float(self.spec.get("timeoutSeconds") or 1)

    def answered(self, succeeded: bool, now_s: float) -> bool:
        """Count a success or failure, and return whether the container has failed the probe."""
        self.is_under_way = False
        self.due_s = max(self.due_s + float(self.spec.get("periodSeconds") or 10), now_s)
        self._row = self._row + 1 if succeeded is self._last else 1
        self._last = succeeded
        field = "successThreshold" if succeeded else "failureThreshold"
        if self._row < int(self.spec.get(field) or (1 if succeeded else 3)):
            return False
        self.holds = succeeded
        return not succeeded


# Exit codes after SIGTERM and SIGKILL, and of a container that couldn't be started.
TERMINATED = 143
KILLED = 137
CANNOT_RUN = 128
OOM_KILLED = "OOMKilled"
NOT_CONFIGURED = "CreateContainerConfigError"
"""The reason of a container that waits as something that it names doesn't exist."""
# The least time after its hook, and the time between two tries to configure a container.
_LEAST_GRACE_S = 2.0
_CONFIGURING_S = 10.0
_KILL_AGAIN_S = 1.0
# As with the settings of v1.36's kubelet: at once, then after 10 s, 20 s and so on.
_BACKOFF = Backoff(first_s=10.0, max_s=300.0)
_NO_PROBES: Mapping[Handler, ProbeWorker] = MappingProxyType({})


def restarts_after(policy: str, code: int) -> bool:
    """Return whether a container with a restart policy restarts after an exit code."""
    return policy == "Always" or (policy == "OnFailure" and code != 0)


class ContainerId(NamedTuple):
    """The identity of one run of a container."""

    pod_uid: str
    name: str
    attempt: int


class StopSignal(StrEnum):
    """The signal sent to a container's processes."""

    TERM = "SIGTERM"
    KILL = "SIGKILL"


class ExitStatus(msgspec.Struct, frozen=True):
    """The exit code of a run (128 plus the signal if killed); `reason` may be `OOMKilled`."""

    code: int
    reason: str = ""
    message: str = ""


class PodSandbox(Protocol):
    """The runtime environment of a pod's containers, which starts, probes and stops them."""

    is_scripted: ClassVar[bool]
    """Whether the times of exits are known in advance. Scripted containers end when the Pod object
    is deleted, and survive a restart of the kubelet."""
    ip: str
    records_lives: bool
    """Whether starts, exits and restarts of containers are recorded as Events."""

    def run(self, pod: Object, now_s: float) -> tuple[float, Iterable[Effect]]:
        """Set the pod up; return when it will be, or `NEVER_S` if `PodWorker.set_up` is called."""

    def remove(self, pod: Object) -> Iterable[Effect]:
        """Free the pod's resources except its logs."""

    def heeds_deletion(self, pod: Object) -> bool:
        """Return whether the pod's containers stop when the pod is deleted."""

    def start(self, container: "Container", now_s: float) -> Iterable[Effect]:
        """Start a container; `Container.started` or `failed_to_start` is called afterwards."""

    def stop(self, container: "Container", signal: StopSignal, now_s: float) -> Iterable[Effect]:
        """Signal a container; `Container.exited` is called afterwards, or `exits_s` is set."""

    def handle(
        self,
        container: "Container",
        handler: Handler,
        action: Object,
        timeout_s: float,
        now_s: float,
    ) -> Iterable[Effect]:
        """Run a probe or hook; `Container.handled` is called afterwards."""

    def probes(self, container: "Container", now_s: float) -> dict[Handler, ProbeWorker]:
        """Return the probes of a container that has started."""


class State(Enum):
    """The states of a container on a node."""

    WAITING = auto()
    STARTING = auto()
    RUNNING = auto()
    EXITED = auto()


class Run(msgspec.Struct, frozen=True):
    """A finished run of a container, with its times in seconds since the epoch."""

    exited: ExitStatus
    started_s: float
    finished_s: float

    @classmethod
    def stated(cls, terminated: Object, otherwise_s: float) -> "Run":
        """Read a run from a status; without a code it is an error, times default to a given one."""
        reason, message = terminated.get("reason") or "", terminated.get("message") or ""
        times_s = (
            epoch_s(terminated[field]) if terminated.get(field) else otherwise_s
            for field in ("startedAt", "finishedAt")
        )
        return cls(ExitStatus(int(terminated.get("exitCode", 1)), reason, message), *times_s)


class Waiting(msgspec.Struct, frozen=True):
    """Reason and message of a waiting container; empty for the default reason."""

    reason: str = ""
    message: str = ""


_WAITING = Waiting()
_NO_EXIT = ExitStatus(0)


class Container(msgspec.Struct):
    """A container of a pod on its node."""

    pod: Object
    spec: Object
    sandbox: PodSandbox
    is_init: bool = False
    is_ephemeral: bool = False
    state: State = State.WAITING
    attempt: int = -1
    """Number of the current or last run, from 0; -1 before the first run."""
    since_s: float = 0.0
    exits_s: float = NEVER_S
    """When the container exits; `NEVER_S` if the sandbox doesn't know it."""
    exits_with: ExitStatus = _NO_EXIT
    kills_s: float = NEVER_S
    """When SIGKILL is sent; `NEVER_S` unless the container is being stopped."""
    last: Run | None = None
    waiting: Waiting = _WAITING
    back_off: Restarts = msgspec.field(default_factory=lambda: Restarts(_BACKOFF))
    changes: int = 0
    not_before_s: float = 0.0
    probes: Mapping[Handler, ProbeWorker] = msgspec.field(default_factory=lambda: _NO_PROBES)
    is_sidecar: bool = False
    terminates_s: float = NEVER_S
    """Latest time of SIGTERM; `NEVER_S` unless the preStop hook runs."""
    _killed_as: str = ""
    _by_s: float = NEVER_S
    _is_stopping: bool = False

    def __post_init__(self) -> None:
        self.is_sidecar = self.is_init and is_sidecar(self.spec)

    @property
    def name(self) -> str:
        return str(self.spec["name"])

    @property
    def run(self) -> ContainerId:
        return ContainerId(self.pod["metadata"]["uid"], self.name, self.attempt)

    @property
    def restarts(self) -> int:
        return max(self.attempt, 0)

    @property
    def is_alive(self) -> bool:
        return self.state is State.RUNNING or self.state is State.STARTING

    @property
    def is_started(self) -> bool:
        startup = self.probes.get(Handler.STARTUP)
        return self.state is State.RUNNING and (startup is None or startup.holds)

    @property
    def is_ready(self) -> bool:
        readiness = self.probes.get(Handler.READINESS)
        return self.is_started and (readiness is None or readiness.holds)

    @property
    def is_done(self) -> bool:
        last = self.last
        if self.state is not State.EXITED or last is None:
            return False
        return not self.restarts_after(last.exited.code)

    @property
    def has_succeeded(self) -> bool:
        return self.is_done and self.last is not None and self.last.exited.code == 0

    @property
    def is_initialized(self) -> bool:
        """Return whether this init container lets the next container start."""
        return self.is_started if self.is_sidecar else self.has_succeeded

    def restarts_after(self, code: int) -> bool:
        if self.is_ephemeral:
            return False
        policy = self.spec.get("restartPolicy") or self.pod["spec"].get("restartPolicy") or "Always"
        if policy == "Always" and self.is_init and not self.is_sidecar:
            return code != 0
        return restarts_after(policy, code)

    def backs_off(self, now_s: float) -> bool:
        return self.state is State.EXITED and not self.is_done and now_s < self.not_before_s

    def next_s(self) -> float:
        """Return the next time at which something is due; `NEVER_S` if only events matter."""
        if self.state is State.RUNNING:
            due_s = min(self.exits_s, self.terminates_s, self.kills_s)
            if not self.probes:
                return due_s
            probes = (worker.due_s for worker in self._active_probes() if not worker.is_under_way)
            return min(due_s, *probes, NEVER_S)
        if self.state is State.STARTING or self.is_done:
            return NEVER_S
        return self.not_before_s

    def start(self, now_s: float) -> Iterable[Effect]:
        if self.is_alive or now_s < self.not_before_s or self.is_done:
            return ()
        if self.last is not None and self.state is State.EXITED:
            self.back_off.restarted(self.last.finished_s, now_s)
        self.state = State.STARTING
        self.attempt += 1
        return self.sandbox.start(self, now_s)

    def started(self, now_s: float) -> Iterator[Effect]:
        self.changes += 1
        self.state, self.since_s, self._killed_as = State.RUNNING, now_s, ""
        self.probes = self.sandbox.probes(self, now_s)
        yield from self._recorded("Normal", "Created", "Container created")
        yield from self._recorded("Normal", "Started", "Container started")
        if self._is_stopping:
            yield from self._terminate(now_s)

    def failed_to_start(self, reason: str, message: str, now_s: float) -> Iterator[Effect]:
        """Wait for a missing object if `reason` is `NOT_CONFIGURED`; otherwise exit."""
        yield from self._recorded("Warning", "Failed", f"Error: {message}")
        if reason == NOT_CONFIGURED:
            self.changes += 1
            self.attempt -= 1
            self.state = State.WAITING
            self.waiting = Waiting(reason, message)
            self.not_before_s = now_s + _CONFIGURING_S
            return
        self.since_s = now_s
        yield from self.exited(ExitStatus(CANNOT_RUN, "StartError", message), now_s)

    def exited(self, exited: ExitStatus, now_s: float) -> Iterable[Effect]:
        self.changes += 1
        if self._killed_as and not exited.reason:
            exited = ExitStatus(exited.code, self._killed_as, exited.message)
        self.state = State.EXITED
        self.last = Run(exited, self.since_s, now_s)
        self.exits_s = self.kills_s = self.terminates_s = self._by_s = NEVER_S
        self._is_stopping = False
        self.probes = _NO_PROBES
        wait_s = self.back_off.wait_s(now_s)
        self.not_before_s = now_s + wait_s
        if not wait_s or not self.restarts_after(exited.code):
            return ()
        metadata = self.pod["metadata"]
        whose = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
        wait = format_duration(int(wait_s) * NANOS_PER_SECOND)
        message = f"back-off {wait} restarting failed container={self.name} pod={whose}"
        self.waiting = Waiting("CrashLoopBackOff", message)
        note = f"Back-off restarting failed container {self.name} in pod {whose}"
        return self._recorded("Warning", "BackOff", note)

    def stop(self, by_s: float, now_s: float, note: str = "") -> Iterator[Effect]:
        """Stop the container by a time, with its preStop hook; later calls only make it earlier."""
        if not self.is_alive or by_s >= self._by_s:
            return
        self._by_s = self.kills_s = by_s
        if self._is_stopping:
            if self.terminates_s < NEVER_S:
                self.terminates_s = min(self.terminates_s, by_s)
            return
        self._is_stopping = True
        yield from self._recorded("Normal", "Killing", note or f"Stopping container {self.name}")
        if self.state is State.STARTING:
            return
        hook = part(self.spec, "lifecycle").get(Handler.PRE_STOP)
        if hook is None or by_s <= now_s:
            yield from self._terminate(now_s)
            return
        self.terminates_s = by_s
        yield from self.sandbox.handle(self, Handler.PRE_STOP, hook, by_s - now_s, now_s)

    def kill(self, reason: str, now_s: float) -> Iterable[Effect]:
        if self.state is not State.RUNNING:
            return ()
        self._killed_as = reason
        return self.sandbox.stop(self, StopSignal.KILL, now_s)

    def handled(
        self, handler: Handler, result: HandlerResult, grace_period_s: float, now_s: float
    ) -> Iterator[Effect]:
        """Process the result of a probe or hook; after a failed probe, stop the container."""
        if handler is Handler.PRE_STOP:
            if not result.succeeded:
                note = f"PreStopHook failed: {result.message}"
                yield from self._recorded("Warning", "FailedPreStopHook", note)
            if self.terminates_s < NEVER_S:
                self.kills_s = max(self.kills_s, now_s + _LEAST_GRACE_S)
                yield from self._terminate(now_s)
            return
        probe = self.probes.get(handler)
        if probe is None or self.state is not State.RUNNING:
            return
        kind = handler.removesuffix("Probe")
        if not result.succeeded:
            note = f"{kind.capitalize()} probe failed: {result.message}"
            yield from self._recorded("Warning", "Unhealthy", note)
        held = probe.holds
        has_failed = probe.answered(result.succeeded, now_s)
        self.changes += probe.holds is not held
        if has_failed and handler is not Handler.READINESS:
            own_s = probe.spec.get("terminationGracePeriodSeconds")
            lasts_s = grace_period_s if own_s is None else float(own_s)
            note = f"Container {self.name} failed {kind} probe, will be restarted"
            yield from self.stop(now_s + lasts_s, now_s, note)

    def advance(self, now_s: float) -> Iterator[Effect]:
        """Do what is due for a running container: probes, SIGTERM and SIGKILL."""
        if self.terminates_s <= now_s:
            # The hook has taken all the time.
            self.kills_s = max(self.kills_s, now_s + _LEAST_GRACE_S)
            yield from self._terminate(now_s)
        elif self.kills_s <= now_s:
            self.kills_s = now_s + _KILL_AGAIN_S
            yield from self.sandbox.stop(self, StopSignal.KILL, now_s)
        for probe in self._active_probes():
            if not probe.is_under_way and probe.due_s <= now_s:
                probe.is_under_way = True
                yield from self.sandbox.handle(self, probe.kind, probe.spec, probe.timeout_s, now_s)

    def _active_probes(self) -> list[ProbeWorker]:
        # Until the startup probe succeeds, there are no others.
        if self._is_stopping or not self.probes:
            return []
        startup = self.probes.get(Handler.STARTUP)
        if startup is not None and not startup.holds:
            return [startup]
        return [probe for probe in self.probes.values() if probe is not startup]

    def _terminate(self, now_s: float) -> Iterable[Effect]:
        self.terminates_s = NEVER_S
        return self.sandbox.stop(self, StopSignal.TERM, now_s)

    def _recorded(self, kind: str, reason: str, note: str) -> Iterable[Effect]:
        if not self.sandbox.records_lives:
            return ()
        return (node_record(self.pod, kind, reason, note),)
