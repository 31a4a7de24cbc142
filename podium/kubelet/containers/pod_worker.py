"""The worker of a pod, which starts, restarts and stops its containers.

Init containers run, and sidecars start, one after another; then all main containers start. When a
pod is stopped, sidecars run until the main containers have exited.
"""

from collections.abc import Iterator

import msgspec

from podium.api.objects import Object, uid
from podium.api.pods import init_containers_of
from podium.kubelet.containers.container import Container, PodSandbox, State
from podium.kubelet.containers.device_preparation import DevicePreparation, needs_devices
from podium.kubelet.kubelet_events import node_record
from podium.machines.effects import Effect
from podium.machines.events import Outcome
from podium.machines.machine import NEVER_S
from podium.machines.reconciler.work_queue import Backoff
from podium.scheduler.snapshot.pod_info import PodInfo

NOT_WRITTEN = -1
_SET_UP_BACKOFF = Backoff(first_s=0.5, max_s=122.0)
# The kubelet's syncFrequency, without its jitter.
_PREPARED_AGAIN_S = 60.0


class StopReason(msgspec.Struct, frozen=True):
    """Why a pod is stopped: reason and message of its status, which are empty for a deleted pod."""

    reason: str = ""
    message: str = ""
    disruption: str = ""
    """Message of the condition DisruptionTarget; empty for no condition."""


DELETED = StopReason()
PAST_DEADLINE = StopReason(
    "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
)


class PodWorker(msgspec.Struct):
    """The worker of a pod that a node has admitted."""

    pod: Object
    uid: str
    info: PodInfo
    sandbox: PodSandbox
    admitted_s: float
    init: list[Container]
    main: list[Container]
    containers: list[Container]
    ephemeral: list[Container] = msgspec.field(default_factory=list)
    waits_for: frozenset[str] = frozenset()
    """Uids of the pods that must end before this pod starts."""
    stopped: tuple[Object, ...] = ()
    """Pods that the kubelet stopped to admit this pod, in that order."""
    stop_reason: StopReason | None = None
    """None unless the pod is being stopped."""
    is_over: bool = False
    """Whether no container runs or will run."""
    over_s: float = NEVER_S
    is_set_up: bool = False
    """Whether directories, volumes and network exist."""
    counts: bool = True
    devices: DevicePreparation = msgspec.field(default_factory=DevicePreparation)
    written: int = NOT_WRITTEN
    """Value of `changes` at the last status write; `NOT_WRITTEN` to write it again."""
    written_status: tuple[str, str] = ("", "")
    _due_s: float = NEVER_S
    _next_s: float | None = None
    _stepped_s: float = 0.0
    _changes: int = 1
    _is_setting_up: bool = False
    _set_up_ends_s: float = NEVER_S
    _set_up_s: float = 0.0
    _failures: int = 0
    _stops_s: float = NEVER_S

    @classmethod
    def begun(cls, info: PodInfo, sandbox: PodSandbox, now_s: float) -> "PodWorker":
        pod: Object = info.obj
        spec = pod["spec"]
        init = [Container(pod, container, sandbox, True) for container in init_containers_of(spec)]
        main = [Container(pod, container, sandbox) for container in spec["containers"]]
        both = [*init, *main] if init else main
        worker = cls(pod, uid(pod), info, sandbox, now_s, init, main, both)
        worker.begin_at(now_s)
        worker.take_in_ephemeral(now_s)
        return worker

    @property
    def changes(self) -> int:
        """The number of changes so far that show in the pod's status."""
        changes = self._changes
        for container in self.containers:
            changes += container.changes
        return changes

    @property
    def has_begun(self) -> bool:
        return any(one.last is not None or one.state is State.RUNNING for one in self.main)

    @property
    def phase(self) -> str:
        if not self.is_over:
            return "Running" if self.has_begun else "Pending"
        is_stopped = self.stop_reason is not None and self.stop_reason.reason
        done_well = all(one.last is not None and one.last.exited.code == 0 for one in self.main)
        return "Succeeded" if done_well and not is_stopped else "Failed"

    def next_s(self) -> float:
        if self._next_s is not None:
            return self._next_s
        if self.is_over:
            self._next_s = NEVER_S
            return NEVER_S
        least_s = min(self._due_s, self._deadline_s(), self._set_up_ends_s)
        if self._must_set_up():
            least_s = min(least_s, self._set_up_s)
        goes_on = self.is_set_up and self.stop_reason is None and not self.waits_for
        for container in self._wanted() if goes_on else ():
            least_s = min(least_s, container.next_s())
        if self.init or self.ephemeral or not goes_on:
            for one in self.containers:
                if one.state is State.RUNNING:
                    least_s = min(least_s, one.next_s())
        self._next_s = least_s
        return least_s

    def touch(self, now_s: float) -> None:
        """Schedule a step of the worker for now."""
        self._due_s = min(self._due_s, now_s)
        self._next_s = None

    def see(self, pod: Object) -> None:
        if pod is not self.pod:
            self.pod = pod
            for container in self.containers:
                container.pod = pod

    def take_in_ephemeral(self, now_s: float) -> None:
        """Start new ephemeral containers; only scripted sandboxes run them."""
        wanted = self.pod["spec"].get("ephemeralContainers")
        if not wanted or not self.sandbox.is_scripted:
            return
        known = {container.name for container in self.ephemeral}
        new = [spec for spec in wanted if spec["name"] not in known]
        added = [Container(self.pod, spec, self.sandbox, is_ephemeral=True) for spec in new]
        if added:
            self.ephemeral += added
            self.containers = [*self.containers, *added]
            self.touch(now_s)

    def stop(self, why: StopReason, grace_period_s: float, now_s: float) -> None:
        """Stop the pod. Later calls don't change the reason, and can only make the end earlier."""
        if self.is_over:
            return
        if self.stop_reason is None:
            self.stop_reason = why
        self._stops_s = min(self._stops_s, now_s + grace_period_s)
        self.touch(now_s)

    def release(self, other_uid: str, at_s: float) -> None:
        self.waits_for -= {other_uid}
        if not self.waits_for:
            self._set_up_s = max(self._set_up_s, at_s)
            self.touch(self._set_up_s)

    def begin_at(self, at_s: float) -> None:
        """Set the time of the pod's admission, and start with it."""
        self.admitted_s = self._due_s = self._set_up_s = self._next_s = self._stepped_s = at_s

    def resumed(self) -> None:
        """Continue a pod that ran before the kubelet's restart, without a step or status write."""
        self.is_set_up = True
        self._due_s, self._next_s, self._stepped_s = NEVER_S, None, 0.0

    def read_claim(self, claim_name: str, outcome: Outcome, now_s: float) -> Iterator[Effect]:
        """Process the answer to the kubelet that has read a claim of the pod."""
        self.devices.read(self.pod, claim_name, outcome)
        if self.devices.is_done:
            self._is_setting_up = False
            self.touch(now_s)
        elif self.devices.error:
            yield self._unprepared(now_s)

    def set_up(self, error: str, now_s: float) -> Iterator[Effect]:
        """Process the setup of the sandbox; `error` is empty if it has succeeded."""
        self._changes += 1
        self._is_setting_up = False
        self._set_up_ends_s = NEVER_S
        self.is_set_up = not error
        self.touch(now_s)
        if error:
            self._failures += 1
            self._set_up_s = now_s + _SET_UP_BACKOFF.wait_s(self._failures)
            yield node_record(self.pod, "Warning", "FailedMount", error)

    def advance(self, now_s: float) -> Iterator[Effect]:
        """Do everything that is due; scripted events happen at their own times, not at `now_s`."""
        while (at_s := self.next_s()) <= now_s:
            self._due_s, self._next_s = NEVER_S, None
            # Consequences have the time of what has caused them.
            self._stepped_s = max(at_s, self._stepped_s) if self.sandbox.is_scripted else now_s
            yield from self._step(self._stepped_s)

    def kill(self, reason: str, now_s: float) -> Iterator[Effect]:
        """Kill the pod's containers, which restart by the restart policy."""
        for container in self.main:
            yield from container.kill(reason, now_s)
        yield from self._take_in_exits(now_s)
        self.touch(now_s)

    def own_grace_period_s(self) -> float:
        period_s = self.pod["spec"].get("terminationGracePeriodSeconds")
        return 30.0 if period_s is None else float(period_s)

    def _step(self, now_s: float) -> Iterator[Effect]:
        if self.stop_reason is None and self._deadline_s() <= now_s:
            self.stop(PAST_DEADLINE, self.own_grace_period_s(), now_s)
        yield from self._take_in_exits(now_s)
        if self.stop_reason is not None:
            # Sidecars go on until the others have exited.
            others = [container for container in self.containers if not container.is_sidecar]
            for one in others:
                yield from one.stop(self._stops_s, now_s)
            if self._stops_s <= now_s or not any(container.is_alive for container in others):
                for one in self.init:
                    if one.is_sidecar:
                        yield from one.stop(self._stops_s, now_s)
        elif not self.waits_for:
            if self._must_set_up() and self._set_up_s <= now_s:
                yield from self._begin_set_up(now_s)
            if self._set_up_ends_s <= now_s:
                yield from self.set_up("", now_s)
            if self.is_set_up:
                for one in (*self.ephemeral, *self._wanted()) if self.ephemeral else self._wanted():
                    yield from one.start(now_s)
        for one in self.containers:
            if one.state is State.RUNNING and one.next_s() <= now_s:
                yield from one.advance(now_s)
        if not self._is_done and self.stop_reason is None:
            return
        alive = [container for container in self.containers if container.is_alive]
        if self.stop_reason is None:
            # Sidecars don't outlive the others.
            for one in alive:
                yield from one.stop(now_s + self.own_grace_period_s(), now_s)
        if alive or (self._is_setting_up and not self.sandbox.is_scripted):
            return
        self.is_over, self.over_s = True, now_s
        self._changes += 1
        if self.is_set_up:
            yield from self.sandbox.remove(self.pod)

    def _begin_set_up(self, now_s: float) -> Iterator[Effect]:
        self._is_setting_up = True
        if not self.devices.is_done and needs_devices(self.pod):
            yield from self.devices.begin(self.pod)
            if self.devices.error:
                yield self._unprepared(now_s)
            if not self.devices.is_done:
                return
        self._set_up_ends_s, commands = self.sandbox.run(self.pod, now_s)
        yield from commands

    def _unprepared(self, now_s: float) -> Effect:
        self._is_setting_up = False
        self._set_up_s = now_s + _PREPARED_AGAIN_S
        self.touch(now_s)
        note = (
            f"Failed to prepare dynamic resources: prepare dynamic resources: {self.devices.error}"
        )
        return node_record(self.pod, "Warning", "FailedPrepareDynamicResources", note)

    def _take_in_exits(self, now_s: float) -> Iterator[Effect]:
        for container in self.containers:
            if container.exits_s <= now_s:
                yield from container.exited(container.exits_with, container.exits_s)

    @property
    def _is_done(self) -> bool:
        if self.init and any(one.is_done and not one.has_succeeded for one in self.init):
            return True
        return all(container.state is State.EXITED and container.is_done for container in self.main)

    def _must_set_up(self) -> bool:
        return not (self.is_set_up or self._is_setting_up or self.stop_reason or self.waits_for)

    def _deadline_s(self) -> float:
        limit_s = self.pod["spec"].get("activeDeadlineSeconds")
        if limit_s is None or self.stop_reason is not None:
            return NEVER_S
        return self.admitted_s + float(limit_s)

    def _wanted(self) -> list[Container]:
        if not self.init:
            return self.main
        if self._is_done:
            return []
        wanted = []
        for container in self.init:
            if container.is_sidecar:
                wanted.append(container)
                if not container.is_started:
                    return wanted
            elif not container.has_succeeded:
                return [*wanted, container]
        return [*wanted, *self.main]
