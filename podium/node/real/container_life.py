"""The life of one container on a real node.

Waiting → Starting → Running → Exited → (back-off) → Starting …
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from podium.api.durations import NANOS_PER_SECOND, format_duration
from podium.api.resources import is_sidecar
from podium.control.effects import Effect, Record
from podium.node.back_off import BackOff
from podium.node.pod_events import node_record
from podium.node.real.commands import (
    NOT_CONFIGURED,
    Ask,
    Await,
    Check,
    ContainerId,
    Exited,
    Force,
    Start,
    Stop,
    Verdict,
)
from podium.node.real.probing import Probing

Object = Mapping[str, Any]

OOM_KILLED = "OOMKilled"
CANNOT_RUN = 128
"""Exit code of a container that couldn't be started."""
# How long a container has at least once its hook is done, and between two tries to configure it.
_LEAST_GRACE_S = 2.0
_CONFIGURING_S = 10.0
_KILL_AGAIN_S = 1.0
_NEVER = float("inf")


class State(Enum):
    """What a container is doing."""

    WAITING = auto()
    STARTING = auto()
    RUNNING = auto()
    EXITED = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a container that is over.

    Attributes:
        exited: how it ended.
        started_s: when it started, in seconds since the epoch.
        finished_s: when it ended.
    """

    exited: Exited
    started_s: float
    finished_s: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a container doesn't run yet, or not again."""

    reason: str
    message: str = ""


@dataclass(slots=True)
class ContainerLife:
    """A container.

    Attributes:
        pod: its pod, as last seen.
        spec: the container's own part of it.
        is_init: whether it runs to its end before others start.
        state: what it is doing.
        attempt: the number of the present or last run; -1 before the first.
        since_s: when it started, if it runs.
        last: the last run that is over.
        waiting: why it waits.
        back_off: how long restarts wait.
        killed_as: the reason for which it was killed, if it was.
    """

    pod: Object
    spec: Object
    is_init: bool = False
    state: State = State.WAITING
    attempt: int = -1
    since_s: float = 0.0
    last: Run | None = None
    waiting: Waiting = field(default_factory=lambda: Waiting("ContainerCreating"))
    back_off: BackOff = field(default_factory=BackOff)
    killed_as: str = ""
    _probes: dict[Check, Probing] = field(default_factory=dict)
    _not_before_s: float = 0.0
    _terminates_s: float = _NEVER
    _kills_s: float = _NEVER
    _by_s: float = _NEVER
    _is_stopping: bool = False

    @property
    def name(self) -> str:
        """The container's name."""
        return str(self.spec["name"])

    @property
    def run(self) -> ContainerId:
        """The present or last run."""
        return ContainerId(self.pod["metadata"]["uid"], self.name, self.attempt)

    @property
    def is_sidecar(self) -> bool:
        """Whether it is an init container that goes on running."""
        return is_sidecar(self.spec)

    @property
    def restarts(self) -> int:
        """How often it has been restarted."""
        return max(self.attempt, 0)

    @property
    def is_alive(self) -> bool:
        """Whether there are processes of it, or will be in a moment."""
        return self.state in (State.STARTING, State.RUNNING)

    @property
    def is_started(self) -> bool:
        """Whether it runs, and its startup probe has succeeded."""
        startup = self._probes.get(Check.STARTUP)
        return self.state is State.RUNNING and (startup is None or startup.holds)

    @property
    def is_ready(self) -> bool:
        """Whether it is started, and its readiness probe succeeds."""
        readiness = self._probes.get(Check.READINESS)
        return self.is_started and (readiness is None or readiness.holds)

    def restarts_after(self, code: int) -> bool:
        """Whether it is started again after an exit."""
        policy = self.spec.get("restartPolicy") or self.pod["spec"].get("restartPolicy") or "Always"
        if policy == "Always" and self.is_init and not self.is_sidecar:
            return code != 0
        return policy == "Always" or (policy == "OnFailure" and code != 0)

    @property
    def is_done(self) -> bool:
        """Whether it has exited and isn't started again."""
        last = self.last
        if self.state is not State.EXITED or last is None:
            return False
        return not self.restarts_after(last.exited.code)

    @property
    def has_succeeded(self) -> bool:
        """Whether it has exited well, for good."""
        return self.is_done and self.last is not None and self.last.exited.code == 0

    def next_s(self) -> float:
        """When there is something to do; `inf` if nothing but news can change that."""
        if self.state in (State.WAITING, State.EXITED):
            return _NEVER if self.is_done else self._not_before_s
        if self.state is State.STARTING:
            return _NEVER
        due_s = [self._terminates_s, self._kills_s]
        due_s += (one.due_s for one in self._asked() if not one.is_under_way)
        return min(due_s)

    def start(self, memory_bytes: int, now_s: float) -> Iterator[Effect]:
        """Start it, if it is time."""
        if self.is_alive or self.is_done or now_s < self._not_before_s:
            return
        if self.last is not None and self.state is State.EXITED:
            self.back_off.restarted(self.last.finished_s, now_s)
        self.state = State.STARTING
        self.attempt += 1
        yield Start(
            purpose=self.run,
            pod=self.pod,
            container=self.spec,
            attempt=self.attempt,
            memory_bytes=memory_bytes,
        )

    def started(self, now_s: float) -> Iterator[Effect]:
        """It runs."""
        self.state, self.since_s, self.killed_as = State.RUNNING, now_s, ""
        self._probes = {
            check: Probing.begun(check, self.spec[check], now_s)
            for check in (Check.STARTUP, Check.LIVENESS, Check.READINESS)
            if self.spec.get(check)
        }
        yield Await(purpose=self.run, run=self.run)
        yield node_record(self.pod, "Normal", "Started", f"Container {self.name} started")
        if self._is_stopping:
            yield from self._terminate()

    def failed_to_start(self, reason: str, message: str, now_s: float) -> Iterator[Effect]:
        """It doesn't run: something that it names is missing, or there is nothing to execute."""
        yield node_record(self.pod, "Warning", "Failed", f"Error: {message}")
        if reason == NOT_CONFIGURED:
            self.attempt -= 1
            self.state = State.WAITING
            self.waiting = Waiting(reason, message)
            self._not_before_s = now_s + _CONFIGURING_S
            return
        self.since_s = now_s
        yield from self.exited(Exited(CANNOT_RUN, "StartError", message), now_s)

    def exited(self, exited: Exited, now_s: float) -> Iterator[Record]:
        """It has ended."""
        if self.killed_as and not exited.reason:
            exited = Exited(exited.code, self.killed_as, exited.message)
        self.state = State.EXITED
        self.last = Run(exited, self.since_s, now_s)
        self._terminates_s = self._kills_s = self._by_s = _NEVER
        self._is_stopping = False
        self._probes = {}
        wait_s = self.back_off.wait_s(now_s)
        self._not_before_s = now_s + wait_s
        if wait_s and self.restarts_after(exited.code):
            metadata = self.pod["metadata"]
            whose = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
            wait = format_duration(int(wait_s) * NANOS_PER_SECOND)
            message = f"back-off {wait} restarting failed container={self.name}"
            self.waiting = Waiting("CrashLoopBackOff", f"{message} pod={whose}")
            note = f"Back-off restarting failed container {self.name} in pod {whose}"
            yield node_record(self.pod, "Warning", "BackOff", note)

    def backs_off(self, now_s: float) -> bool:
        """Whether it waits to be started again."""
        return self.state is State.EXITED and not self.is_done and now_s < self._not_before_s

    def stop(self, by_s: float, now_s: float, note: str = "") -> Iterator[Effect]:
        """Have it exit by a time, its hook included; a later order may only make it sooner.

        Args:
            by_s: when it is killed, in seconds since the epoch.
            now_s: the time.
            note: what is recorded of it; empty for the usual sentence.
        """
        if not self.is_alive or by_s >= self._by_s:
            return
        self._by_s = self._kills_s = by_s
        if self._is_stopping:
            if self._terminates_s < _NEVER:
                self._terminates_s = by_s
            return
        self._is_stopping = True
        text = note or f"Stopping container {self.name}"
        yield node_record(self.pod, "Normal", "Killing", text)
        if self.state is State.STARTING:
            return
        hook = (self.spec.get("lifecycle") or {}).get(Check.PRE_STOP)
        if hook is None or by_s <= now_s:
            yield from self._terminate()
            return
        self._terminates_s = by_s
        yield self._ask(Check.PRE_STOP, hook, by_s - now_s)

    def kill(self, reason: str) -> Iterator[Effect]:
        """Kill it at once, for a reason that its status tells."""
        if self.state is State.RUNNING:
            self.killed_as = reason
            yield Stop(run=self.run, force=Force.KILL)

    def hook_done(self, verdict: Verdict, now_s: float) -> Iterator[Effect]:
        """The hook before the end has ended."""
        if not verdict.succeeded:
            note = f"PreStopHook failed: {verdict.message}"
            yield node_record(self.pod, "Warning", "FailedPreStopHook", note)
        if self._terminates_s < _NEVER:
            self._kills_s = max(self._kills_s, now_s + _LEAST_GRACE_S)
            yield from self._terminate()

    def probed(
        self, check: Check, verdict: Verdict, grace_period_s: float, now_s: float
    ) -> Iterator[Effect]:
        """A probe has been carried out."""
        probing = self._probes.get(check)
        if probing is None or self.state is not State.RUNNING:
            return
        if not verdict.succeeded:
            kind = check.removesuffix("Probe").capitalize()
            note = f"{kind} probe failed: {verdict.message}"
            yield node_record(self.pod, "Warning", "Unhealthy", note)
        if not probing.answered(verdict.succeeded, now_s) or check is Check.READINESS:
            return
        own_s = probing.grace_period_s
        note = (
            f"Container {self.name} failed {check.removesuffix('Probe')} probe, will be restarted"
        )
        lasts_s = grace_period_s if own_s is None else float(own_s)
        yield from self.stop(now_s + lasts_s, now_s, note)

    def advance(self, now_s: float) -> Iterator[Effect]:
        """Do what is due while it runs."""
        if self.state is not State.RUNNING:
            return
        if self._terminates_s <= now_s:
            # The hook has taken all the time that there was.
            self._kills_s = max(self._kills_s, now_s + _LEAST_GRACE_S)
            yield from self._terminate()
        elif self._kills_s <= now_s:
            self._kills_s = now_s + _KILL_AGAIN_S
            yield Stop(run=self.run, force=Force.KILL)
        for probing in self._asked():
            if not probing.is_under_way and probing.due_s <= now_s:
                probing.is_under_way = True
                yield self._ask(probing.check, probing.spec, probing.timeout_s)

    def _asked(self) -> list[Probing]:
        """The probes that go on now: first only the one of the start."""
        if self._is_stopping:
            return []
        startup = self._probes.get(Check.STARTUP)
        if startup is not None and not startup.holds:
            return [startup]
        return [one for one in self._probes.values() if one is not startup]

    def _terminate(self) -> Iterator[Effect]:
        self._terminates_s = _NEVER
        yield Stop(run=self.run, force=Force.TERM)

    def _ask(self, check: Check, action: Object, timeout_s: float) -> Ask:
        return Ask(
            purpose=(check, self.run),
            run=self.run,
            pod=self.pod,
            action=action,
            check=check,
            timeout_s=timeout_s,
        )
