"""The kubelet of a simulated node, whose containers behave as scripted."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import filterfalse
from typing import ClassVar

import msgspec

from podium.api.objects import Object, annotations, entries, is_terminating, part, status_of
from podium.api.pods import init_containers_of, is_finished, is_ready, phase_of
from podium.api.priority import is_critical
from podium.api.resources import is_sidecar
from podium.api.values.times import epoch_s
from podium.kubelet.containers.container import (
    KILLED,
    TERMINATED,
    Container,
    ExitStatus,
    Handler,
    HandlerResult,
    ProbeWorker,
    Run,
    State,
    StopSignal,
    Waiting,
)
from podium.kubelet.containers.pod_worker import PodWorker
from podium.kubelet.kubelet import Kubelet
from podium.kubelet.kubelet_events import node_record
from podium.kubelet.pod_admission import PodRejection
from podium.kubelet.simulated.behaviour import (
    ENDLESS,
    ENDLESS_S,
    PREFIX,
    STUCK,
    BehaviourError,
    NodeSettings,
    Script,
    behaviour_of,
    is_stuck,
    is_undeletable,
    node_behaviour_of,
)
from podium.kubelet.simulated.scripted_usage import (
    NO_SCRIPT,
    NO_USAGE,
    NodeScript,
    UsageScript,
    node_script_of,
    usage_of,
)
from podium.machines.effects import Effect
from podium.machines.machine import NEVER_S
from podium.scheduler.snapshot.pod_classes import PodClasses

_NODES = 172 << 24 | 16 << 16
_PODS = 10 << 24 | 128 << 16
_PODS_PER_NODE_BITS = 9
_NODES_MAX = 1 << (23 - _PODS_PER_NODE_BITS)


class Addresses:
    """The addresses of a simulated node: one in 172.16.0.0/12, and a /23 in 10.128.0.0/9 for pods.

    An internal address in the node's status is kept. Addresses repeat from the 16,384th node on,
    and from the 511th pod of a node on.
    """

    def __init__(self, node: Object, number: int) -> None:
        known = status_of(node).get("addresses") or ()
        internal = (one["address"] for one in known if one.get("type") == "InternalIP")
        self.host = next(internal, _dotted(_NODES + 1 + number % _NODES_MAX))
        self._first = _PODS + (number % _NODES_MAX << _PODS_PER_NODE_BITS)
        self._next = 0
        self._used: set[str] = set()

    def take(self) -> str:
        """Take the next free address, in the order of addresses, starting over after the last."""
        count = (1 << _PODS_PER_NODE_BITS) - 2
        for _ in range(count):
            address = _dotted(self._first + 1 + self._next)
            self._next = (self._next + 1) % count
            if address not in self._used:
                break
        self._used.add(address)
        return address

    def keep(self, address: str) -> None:
        self._used.add(address)

    def give_back(self, address: str) -> None:
        self._used.discard(address)


def _dotted(number: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


_UNREADABLE = "InvalidBehaviour"
_NOTHING: Object = {}
_WELL = HandlerResult(succeeded=True)
# Fields by which something may be due for a pod that doesn't change.
_WATCHED = frozenset({"activeDeadlineSeconds", "ephemeralContainers", "readinessGates"})


class ScriptedSandbox(msgspec.Struct):
    """The sandbox of a simulated pod, which knows in advance when its containers exit."""

    is_scripted: ClassVar[bool] = True

    script: Script
    usage: UsageScript
    annotations: Object | None
    addresses: Addresses
    records_lives: bool
    ip: str = ""

    def run(self, pod: Object, now_s: float) -> tuple[float, Iterable[Effect]]:
        self.take_address(pod)
        return now_s + self.script.startup_s(), ()

    def take_address(self, pod: Object) -> None:
        if self.ip:
            self.addresses.keep(self.ip)
        elif pod["spec"].get("hostNetwork"):
            self.ip = self.addresses.host
        else:
            self.ip = self.addresses.take()

    def remove(self, pod: Object) -> Iterable[Effect]:
        self.addresses.give_back(self.ip)
        return ()

    def heeds_deletion(self, pod: Object) -> bool:
        return not is_undeletable(pod)

    def start(self, container: Container, now_s: float) -> Iterator[Effect]:
        if self.records_lives:
            image = container.spec.get("image") or ""
            note = f'Container image "{image}" already present on machine'
            yield node_record(container.pod, "Normal", "Pulled", note)
        yield from container.started(now_s)
        self.schedule_exit(container)

    def schedule_exit(self, container: Container) -> None:
        """Set the time and the code with which a running container will exit by itself."""
        if container.is_sidecar or container.is_ephemeral:
            return
        if container.is_init:
            inits = container.pod["spec"]["initContainers"]
            names = [one["name"] for one in inits if not is_sidecar(one)]
            lasts_s = self.script.init_s(names.index(container.name))
            container.exits_with = ExitStatus(0)
        else:
            lasts_s = self.script.run_s(container.attempt)
            container.exits_with = ExitStatus(self.script.behaviour.exit_code)
        container.exits_s = container.since_s + lasts_s

    def stop(self, container: Container, signal: StopSignal, now_s: float) -> Iterable[Effect]:
        if signal is StopSignal.KILL:
            container.exits_s, container.exits_with = now_s, ExitStatus(KILLED)
            return ()
        # Sidecars are signalled last, and exit at once.
        lasts_s = 0.0 if container.is_sidecar else self.script.termination_s()
        if now_s + lasts_s < min(container.exits_s, container.kills_s) or container.is_sidecar:
            container.exits_s, container.exits_with = now_s + lasts_s, ExitStatus(TERMINATED)
        return ()

    def handle(
        self, container: Container, handler: Handler, action: Object, timeout_s: float, now_s: float
    ) -> Iterable[Effect]:
        if handler is Handler.PRE_STOP:
            sleeps_s = float(part(action, "sleep").get("seconds") or 0)
            if sleeps_s:
                container.terminates_s = now_s + min(sleeps_s, timeout_s)
                return ()
        return container.handled(handler, _WELL, 0.0, now_s)

    def probes(self, container: Container, now_s: float) -> dict[Handler, ProbeWorker]:
        if container.is_init or container.is_ephemeral:
            return {}
        delay_s = self.script.ready_after_s(container.attempt)
        if not delay_s:
            return {}
        return _readiness(delay_s, now_s)


class SimulatedKubelet(Kubelet):
    """The kubelet of a simulated node."""

    def __init__(
        self,
        node: Object,
        addresses: Addresses,
        settings: NodeSettings,
        classes: PodClasses,
        revisit: Callable[[Object, float], None],
        now_s: float,
    ) -> None:
        super().__init__(node, addresses.host, classes, revisit, now_s)
        self.node_script: NodeScript = NO_SCRIPT
        self.is_measured = False
        """Whether the usage of the node or of any of its pods was ever scripted."""
        self._settings = settings
        self._pod_behaviour = settings.behaviour
        self._addresses = addresses

    def see(self, node: Object, now_s: float) -> Iterator[Effect]:
        self.node = node
        try:
            is_down, conditions = node_behaviour_of(node)
            self._pod_behaviour = behaviour_of(node, self._settings.behaviour)
            if self.is_down and not is_down:
                self.started_s = now_s
            self.is_down, self.own_conditions = is_down, conditions
            self.node_script = node_script_of(node)
        except BehaviourError as error:
            # The node behaves as before.
            yield node_record(node, "Warning", _UNREADABLE, str(error))
        self.is_measured |= self.node_script is not NO_SCRIPT

    def sandbox(self, pod: Object, *, resumes: bool) -> ScriptedSandbox | PodRejection:
        # Invalid annotations are no reason to reject a pod that was admitted before.
        try:
            behaviour, usage = behaviour_of(pod, self._pod_behaviour), usage_of(pod)
        except BehaviourError as error:
            if not resumes:
                return PodRejection(_UNREADABLE, str(error))
            behaviour, usage = self._pod_behaviour, NO_USAGE
        metadata = pod["metadata"]
        script = Script(behaviour, f"{self._settings.seed}/{metadata['uid']}")
        self.is_measured |= not usage.is_empty
        annotations = metadata.get("annotations")
        records_lives = self._settings.records_lives
        return ScriptedSandbox(script, usage, annotations, self._addresses, records_lives)

    def goes_on(self, pod: Object) -> bool:
        if is_terminating(pod):
            return False
        spec, status = pod["spec"], status_of(pod)
        if phase_of(pod) != "Running":
            return is_finished(pod)
        return (
            self._pod_behaviour.run is ENDLESS
            and is_ready(pod)
            and spec.keys().isdisjoint(_WATCHED)
            and not any(map(is_sidecar, init_containers_of(spec)))
            and not [note for note in annotations(pod) if note.startswith(PREFIX)]
            and all(map(_runs_well, entries(status, "containerStatuses")))
        )

    def only_counts(self, pods: Iterable[Object], newcomer: Object) -> bool:
        # Pods that may be stopped or measured, or need an address, need workers.
        running = [*filterfalse(is_finished, pods)]
        addresses = [status_of(pod).get("podIP") for pod in running]
        if self.is_measured or is_critical(newcomer) or not all(addresses):
            return False
        for pod, address in zip(running, addresses, strict=True):
            self._addresses.keep(str(address))
            self.pods.foresee(pod)
        return True

    def restore(self, worker: PodWorker, now_s: float) -> None:
        # Containers have gone on since their status was written, which has whole seconds.
        pod, sandbox = worker.pod, _sandbox(worker)
        status = pod["status"]
        sandbox.ip = status.get("podIP") or ""
        started_at = status.get("startTime")
        admitted_s = epoch_s(started_at) if started_at else now_s
        stays = is_stuck(pod)
        if phase_of(pod) != "Running" and not stays:
            # What should have happened long ago begins now.
            init_count, script = sum(not one.is_sidecar for one in worker.init), sandbox.script
            starts_s = admitted_s + script.startup_s() + sum(map(script.init_s, range(init_count)))
            worker.begin_at(now_s if starts_s <= now_s else admitted_s)
            worker.admitted_s = admitted_s
            return
        worker.admitted_s = admitted_s
        sandbox.take_address(pod)
        statuses = _by_name(status, "containerStatuses")
        if stays:
            _stay(worker, statuses | _by_name(status, "initContainerStatuses"))
        else:
            for container in worker.init:
                _resume_init(container, admitted_s)
            for one in worker.main:
                _resume(one, statuses.get(one.name, {"ready": is_ready(pod)}), admitted_s)
        worker.resumed()
        before = _by_name(status, "ephemeralContainerStatuses")
        for one in worker.ephemeral:
            if one.name in before:
                _resume(one, {**before[one.name], "ready": True}, admitted_s)
            else:
                worker.touch(now_s)

    def renew(self, worker: PodWorker, now_s: float) -> Iterable[Effect]:
        sandbox = _sandbox(worker)
        written = worker.pod["metadata"].get("annotations")
        if written is sandbox.annotations:
            return ()
        if (sandbox.annotations or _NOTHING).get(STUCK) == "true" and not is_stuck(worker.pod):
            for container in worker.containers:
                if container.state is not State.RUNNING:
                    container.not_before_s = min(container.not_before_s, now_s)
                elif not container.is_ready:
                    container.probes = container.sandbox.probes(container, now_s)
                    container.changes += 1
            worker.touch(now_s)
        sandbox.annotations = written
        try:
            sandbox.usage = usage_of(worker.pod)
        except BehaviourError as error:
            return (node_record(worker.pod, "Warning", _UNREADABLE, str(error)),)
        self.is_measured |= not sandbox.usage.is_empty
        return ()


def _runs_well(status: Object) -> bool:
    ended = "terminated" in part(status, "lastState")
    state = status.get("state") or _NOTHING
    return bool(status.get("ready")) and ("running" in state or not (state or ended))


def _readiness(delay_s: float, started_s: float) -> dict[Handler, ProbeWorker]:
    # A probe that succeeds once, after a delay.
    once = {"initialDelaySeconds": delay_s, "periodSeconds": NEVER_S}
    return {Handler.READINESS: ProbeWorker.begun(Handler.READINESS, once, started_s)}


def _sandbox(worker: PodWorker) -> ScriptedSandbox:
    sandbox = worker.sandbox
    assert isinstance(sandbox, ScriptedSandbox)
    return sandbox


def _resume_init(container: Container, at_s: float) -> None:
    # Once main containers have started, init containers have succeeded, and sidecars run.
    container.attempt, container.since_s = 0, at_s
    container.state = State.RUNNING if container.is_sidecar else State.EXITED
    if not container.is_sidecar:
        container.last = Run(ExitStatus(0), at_s, at_s)


def _resume(one: Container, status: Object, admitted_s: float) -> None:
    sandbox = one.sandbox
    assert isinstance(sandbox, ScriptedSandbox)
    state = status.get("state") or _NOTHING
    ended = state.get("terminated") or part(status, "lastState").get("terminated")
    started = (state.get("running") or ended or _NOTHING).get("startedAt")
    one.attempt = int(status.get("restartCount") or 0)
    one.since_s = epoch_s(started) if started else admitted_s
    one.back_off.count, one.back_off.last_s = one.attempt, one.since_s
    if ended:
        one.last = Run.stated(ended, admitted_s)
    if one.last is not None and "running" not in state:
        one.state = State.EXITED
        one.not_before_s = one.last.finished_s + one.back_off.wait_s(one.last.finished_s)
        return
    one.state = State.RUNNING
    if not status.get("ready"):
        one.probes = _readiness(sandbox.script.ready_after_s(one.attempt), one.since_s)
    sandbox.schedule_exit(one)


def _stay(worker: PodWorker, statuses: Mapping[str, Object]) -> None:
    # Containers stay as in their statuses, or, where these are missing, as the pod's phase says.
    is_running = phase_of(worker.pod) == "Running"
    for container in (*worker.init, *worker.main):
        status = statuses.get(container.name, _NOTHING)
        state = part(status, "state")
        if container.is_init and not container.is_sidecar and (is_running or status.get("ready")):
            _resume_init(container, worker.admitted_s)
        elif "running" in state or (is_running and not state):
            running = {"running": state.get("running") or _NOTHING}
            _resume(container, {**status, "state": running}, worker.admitted_s)
            if not status.get("ready"):
                container.probes = _readiness(ENDLESS_S, container.since_s)
        else:
            waiting = part(state, "waiting")
            container.waiting = Waiting(waiting.get("reason") or "", waiting.get("message") or "")
            container.attempt = int(status.get("restartCount") or 0) if is_running else -1
            ended = state.get("terminated") or part(status, "lastState").get("terminated")
            if ended or is_running:
                container.state = State.EXITED
                container.last = Run.stated(ended or _NOTHING, worker.admitted_s)
            container.not_before_s = NEVER_S


def _by_name(status: Object, field: str) -> dict[str, Object]:
    return {one["name"]: one for one in status.get(field) or ()}
