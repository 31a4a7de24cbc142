"""The life of one pod on a real node: which of its containers run when.

Init containers run one after another, sidecars from their turn on, then all others at once, each
restarted by itself. When a pod is stopped, sidecars go on until the others have exited.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.api.meta import is_terminating, uid
from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.control.backoff import Backoff
from podium.control.effects import Effect
from podium.node.back_off import BackOff
from podium.node.life import KILLED, PAST_DEADLINE, Why
from podium.node.pod_events import node_record
from podium.node.real.commands import Exited, SetUp, TearDown
from podium.node.real.container_life import ContainerLife, Run, State

Object = Mapping[str, Any]

_NEVER = float("inf")
_LOST = Exited(KILLED, "ContainerStatusUnknown", "The node's agent was stopped meanwhile")
_SET_UP_BACKOFF = Backoff(first_s=0.5, max_s=122.0)


@dataclass(slots=True)
class PodLife:
    """A pod.

    Attributes:
        pod: as last seen.
        admitted_s: when the node took it, in seconds since the epoch.
        memory_bytes: of the machine.
        init: its init containers, in their order.
        main: the others.
        waits_for: uids of the pods that have to make room for it first.
        why: why it is being stopped, or was; None if nobody stops it.
        is_over: whether nothing of it runs any more, nor will.
    """

    pod: Object
    admitted_s: float
    memory_bytes: int
    init: list[ContainerLife]
    main: list[ContainerLife]
    waits_for: set[str] = field(default_factory=set)
    why: Why | None = None
    is_over: bool = False
    is_set_up: bool = False
    _setting_up: bool = False
    _set_up_s: float = 0.0
    _failures: int = 0
    _stops_s: float = _NEVER

    @classmethod
    def begun(cls, pod: Object, memory_bytes: int, now_s: float) -> "PodLife":
        """The life of a pod that the node has just taken, or took before its agent was stopped."""
        spec = pod["spec"]
        life = cls(
            pod,
            now_s,
            memory_bytes,
            [ContainerLife(pod, one, is_init=True) for one in spec.get("initContainers") or ()],
            [ContainerLife(pod, one) for one in spec["containers"]],
        )
        status = pod.get("status") or {}
        if status.get("startTime"):
            life.admitted_s = parse_time(status["startTime"]) / NANOS_PER_SECOND
            life._resume(status, now_s)
        return life

    @property
    def uid(self) -> str:
        """The pod's uid."""
        return uid(self.pod)

    @property
    def containers(self) -> list[ContainerLife]:
        """All of them."""
        return [*self.init, *self.main]

    @property
    def is_initialized(self) -> bool:
        """Whether all init containers are done, and all sidecars started."""
        return all(one.is_started if one.is_sidecar else one.has_succeeded for one in self.init)

    @property
    def has_begun(self) -> bool:
        """Whether any of the containers that make up the pod has ever run."""
        return any(one.last is not None or one.state is State.RUNNING for one in self.main)

    @property
    def phase(self) -> str:
        """As in the pod's status."""
        if not self.is_over:
            return "Running" if self.has_begun else "Pending"
        stopped = self.why is not None and self.why.reason
        done_well = all(one.last is not None and one.last.exited.code == 0 for one in self.main)
        return "Succeeded" if done_well and not stopped else "Failed"

    def next_s(self) -> float:
        """When there is something to do; `inf` if nothing but news can change that."""
        if self.is_over:
            return _NEVER
        times_s = [self._deadline_s(), self._set_up_s if self._must_set_up() else _NEVER]
        if self.is_set_up and not self.waits_for:
            alive = (one for one in self.containers if one.is_alive)
            times_s += (one.next_s() for one in (alive if self.why else self._wanted()))
            times_s += (one.next_s() for one in self.containers if one.is_alive)
        return min(times_s)

    def see(self, pod: Object) -> None:
        """Take in how the pod is now."""
        self.pod = pod
        for one in self.containers:
            one.pod = pod

    def stop(self, why: Why, grace_period_s: float, now_s: float) -> None:
        """Have it stop; the first reason stays, a later order may only make it sooner."""
        if self.is_over:
            return
        if self.why is None:
            self.why = why
        self._stops_s = min(self._stops_s, now_s + grace_period_s)

    def set_up(self, error: str, now_s: float) -> Iterator[Effect]:
        """Its directories and volumes are there, or not."""
        self._setting_up = False
        self.is_set_up = not error
        if error:
            self._failures += 1
            self._set_up_s = now_s + _SET_UP_BACKOFF.wait_s(self._failures)
            yield node_record(self.pod, "Warning", "FailedMount", error)

    def advance(self, now_s: float) -> Iterator[Effect]:
        """Do what is due."""
        if self.is_over:
            return
        if self._deadline_s() <= now_s:
            self.stop(PAST_DEADLINE, self.own_grace_period_s(), now_s)
        if self.why is not None:
            yield from self._wind_down(now_s)
        elif self.waits_for:
            return
        elif self.is_set_up:
            for one in self._wanted():
                yield from one.start(self.memory_bytes, now_s)
        elif self._must_set_up() and self._set_up_s <= now_s:
            self._setting_up = True
            yield SetUp(purpose=self.uid, pod=self.pod)
        for one in self.containers:
            yield from one.advance(now_s)
        yield from self._conclude(now_s)

    def own_grace_period_s(self) -> float:
        """How long the pod itself wants to have for stopping."""
        period_s = self.pod["spec"].get("terminationGracePeriodSeconds")
        return 30.0 if period_s is None else float(period_s)

    @property
    def _is_done(self) -> bool:
        """Whether nothing is left to do but to stop the sidecars."""
        has_failed = any(one.is_done and not one.has_succeeded for one in self.init)
        return has_failed or all(one.is_done for one in self.main)

    def _must_set_up(self) -> bool:
        return not (self.is_set_up or self._setting_up or self.why or self.waits_for)

    def _deadline_s(self) -> float:
        limit_s = self.pod["spec"].get("activeDeadlineSeconds")
        return _NEVER if limit_s is None or self.why else self.admitted_s + float(limit_s)

    def _wanted(self) -> list[ContainerLife]:
        """The containers that should run now."""
        if self._is_done:
            return []
        wanted = []
        for one in self.init:
            if one.is_sidecar:
                wanted.append(one)
                if not one.is_started:
                    return wanted
            elif not one.has_succeeded:
                return [*wanted, one]
        return [*wanted, *self.main]

    def _wind_down(self, now_s: float) -> Iterator[Effect]:
        others = [one for one in self.containers if not one.is_sidecar]
        for one in others:
            yield from one.stop(self._stops_s, now_s)
        if any(one.is_alive for one in others) and now_s < self._stops_s:
            return
        for one in self.init:
            if one.is_sidecar:
                yield from one.stop(self._stops_s, now_s)

    def _conclude(self, now_s: float) -> Iterator[Effect]:
        """Find out whether it is over; sidecars don't outlive the others."""
        alive = [one for one in self.containers if one.is_alive]
        is_done = self._is_done
        if self.why is None and is_done:
            for one in alive:
                yield from one.stop(now_s + self.own_grace_period_s(), now_s)
        if alive or self._setting_up or not (is_done or self.why is not None):
            return
        self.is_over = True
        if self.is_set_up:
            yield TearDown(pod=self.pod)

    def _resume(self, status: Object, now_s: float) -> None:
        """Go on from what the status tells; whatever ran then runs no more."""
        for field_name, lives in (
            ("initContainerStatuses", self.init),
            ("containerStatuses", self.main),
        ):
            told = {one["name"]: one for one in status.get(field_name) or ()}
            for life in lives:
                if life.name in told:
                    _resume_container(life, told[life.name], now_s)
        if is_terminating(self.pod):
            self.is_set_up = True


def _resume_container(life: ContainerLife, told: Object, now_s: float) -> None:
    state = told.get("state") or {}
    ended = state.get("terminated") or (told.get("lastState") or {}).get("terminated")
    has_run = "running" in state or ended is not None
    life.attempt = int(told.get("restartCount") or 0) if has_run else -1
    if not has_run:
        return
    life.state = State.EXITED
    if "running" in state:
        started_s = _seconds(state["running"].get("startedAt"), now_s)
        life.last = Run(_LOST, started_s, now_s)
    elif ended is not None:
        exited = Exited(
            int(ended["exitCode"]), ended.get("reason") or "", ended.get("message") or ""
        )
        finished_s = _seconds(ended.get("finishedAt"), now_s)
        life.last = Run(exited, _seconds(ended.get("startedAt"), now_s), finished_s)
        life.back_off = BackOff(count=life.restarts, last_s=finished_s)


def _seconds(time: str | None, otherwise_s: float) -> float:
    return parse_time(time) / NANOS_PER_SECOND if time else otherwise_s
