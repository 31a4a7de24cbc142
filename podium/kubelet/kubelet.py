"""The kubelet of a node, which admits pods, runs their workers and writes their status."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from podium.api.nodes import PRESSURES
from podium.api.objects import Object, is_terminating, status_of, uid
from podium.api.pods import is_finished
from podium.api.priority import is_critical
from podium.api.values.times import epoch_s
from podium.kubelet.containers.container import PodSandbox
from podium.kubelet.containers.pod_worker import DELETED, NOT_WRITTEN, PodWorker, StopReason
from podium.kubelet.critical_pod_preemption import CONDITION_MESSAGE, MESSAGE, REASON, victims
from podium.kubelet.eviction.eviction_manager import EvictionLoop, EvictionRound, transitions
from podium.kubelet.eviction.pod_eviction import REASON as EVICTED
from podium.kubelet.kubelet_events import node_record
from podium.kubelet.node_status import NodeLease
from podium.kubelet.pod_admission import (
    NodeLoad,
    PodRejection,
    insufficient_resources,
    rejection_of,
)
from podium.kubelet.pod_status import has_started, phase_and_readiness, pod_status, rejected_status
from podium.machines.effects import Effect, deletion_of, status_patch_of
from podium.machines.machine import NEVER_S
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod

_PREEMPTED = StopReason(REASON, MESSAGE, CONDITION_MESSAGE)
_NO_ROOM = (
    "Unexpected error while attempting to recover from admission failure: preemption: error "
    "finding a set of pods to preempt: no set of running pods found to reclaim resources: [{}]"
)


class PodManager:
    """The admitted pods of a node, in order of arrival, and the sum of their requests."""

    def __init__(self, classes: PodClasses) -> None:
        self.load = NodeLoad()
        self._classes = classes
        # None keeps the place of a pod that is added later.
        self._by_uid: dict[str, PodWorker | None] = {}
        self._foreseen: dict[str, PodInfo] = {}

    def get(self, pod_uid: str) -> PodWorker | None:
        return self._by_uid.get(pod_uid)

    def all(self) -> list[PodWorker]:
        return [worker for worker in self._by_uid.values() if worker is not None]

    def active(self) -> Iterator[PodWorker]:
        return (one for one in self._by_uid.values() if one is not None and not one.is_over)

    def expect(self, uids: Iterable[str]) -> None:
        """Reserve the first places in the order of arrival for pods that are added later."""
        self._by_uid.update(dict.fromkeys(uids))

    def foresee(self, pod: Object) -> None:
        """Count the requests of a running pod already, although it is added later."""
        if uid(pod) not in self._foreseen:
            info = self._foreseen[uid(pod)] = self.info_of(pod)
            self.load.add(info)

    def info_of(self, pod: Object) -> PodInfo:
        if self._classes.is_crowded:
            self._classes.forget()
        return placed_pod(pod, self._classes)

    def add(self, worker: PodWorker) -> None:
        self._by_uid[worker.uid] = worker
        foreseen = self._foreseen.pop(worker.uid, None)
        if foreseen is not None:
            self.load.remove(foreseen)
        self.load.add(worker.info)

    def renew(self, worker: PodWorker, pod: Object) -> None:
        """Update a pod, and the load if the pod's requests have changed."""
        spec, known = pod["spec"], worker.pod["spec"]
        worker.see(pod)
        if spec is not known and spec != known and worker.counts:
            self.load.remove(worker.info)
            worker.info = self.info_of(pod)
            self.load.add(worker.info)

    def ended(self, worker: PodWorker) -> Iterator[PodWorker]:
        """Remove the requests of a pod that has ended; yield the pods that waited for its end."""
        if not worker.counts:
            return
        self.load.remove(worker.info)
        worker.counts = False
        for waiting in self.all():
            if worker.uid in waiting.waits_for:
                waiting.release(worker.uid, worker.over_s)
                yield waiting

    def remove(self, worker: PodWorker) -> None:
        del self._by_uid[worker.uid]


class Kubelet(ABC):
    """The kubelet of a node; subclasses implement the container runtime.

    Scripted containers in virtual time (`simulated`) exit at known times. Processes of a host
    (`real`) are started by effects, whose outcomes arrive later. Images aren't pulled.
    """

    def __init__(
        self,
        node: Object,
        host_ip: str,
        classes: PodClasses,
        revisit: Callable[[Object, float], None],
        now_s: float,
    ) -> None:
        self.node = node
        self.host_ip = host_ip
        self.pods = PodManager(classes)
        self.revisit = revisit
        """Schedules another sync of a pod, at a time in seconds since the epoch."""
        self.started_s = now_s
        self.is_down = False
        """Whether the kubelet is down, so that the node doesn't report anything."""
        self.own_conditions: Mapping[str, str] = {}
        """Statuses of conditions that differ from a healthy node's, by type, without the pressure
        conditions of the eviction manager."""
        self.lease = NodeLease()
        self.eviction: EvictionLoop | None = None
        """Eviction loop; None as long as no usage is measured."""

    @abstractmethod
    def sandbox(self, pod: Object, *, resumes: bool) -> PodSandbox | PodRejection:
        """Return a new sandbox for a pod, or a rejection; `resumes` if the pod ran before."""

    @abstractmethod
    def restore(self, worker: PodWorker, now_s: float) -> None:
        """Restore the worker of a pod from the pod's status, after a restart of the kubelet."""

    def renew(self, worker: PodWorker, now_s: float) -> Iterable[Effect]:
        """Update a pod, and yield Events to record."""
        return ()

    def see(self, node: Object, now_s: float) -> Iterable[Effect]:
        """Update the node, and yield Events to record."""
        self.node = node
        return ()

    def goes_on(self, pod: Object) -> bool:
        """Return whether a pod can go without a worker until the pod or its node changes.

        If all pods of a node can, their workers are made at a change of the pod or the node.
        """
        return False

    def only_counts(self, pods: Iterable[Object], newcomer: Object) -> bool:
        """Return whether pods can stay without workers when a pod arrives, and count their load."""
        return False

    @property
    def conditions(self) -> Mapping[str, str]:
        """Return the statuses of conditions that differ from a healthy node's, by type."""
        pressures = () if self.eviction is None else self.eviction.written
        return {**dict.fromkeys(pressures, "True"), **self.own_conditions}

    def resume(self, pod: Object, now_s: float) -> PodRejection | PodWorker:
        """Continue a pod that was admitted before the kubelet started."""
        sandbox = self.sandbox(pod, resumes=True)
        if isinstance(sandbox, PodRejection):
            return sandbox
        worker = PodWorker.begun(self.pods.info_of(pod), sandbox, now_s)
        self.restore(worker, now_s)
        stops = is_terminating(pod) and sandbox.heeds_deletion(pod)
        if stops and sandbox.is_scripted and not self.is_down:
            # Its containers were stopped when the pod was deleted, not just now.
            grace_period_s = _grace_period_s(pod)
            end_s = epoch_s(pod["metadata"]["deletionTimestamp"])
            worker.stop(DELETED, grace_period_s, end_s - grace_period_s)
        worker.written = worker.changes if sandbox.is_scripted else NOT_WRITTEN
        worker.written_status = phase_and_readiness(pod["status"])
        self.pods.add(worker)
        return worker

    def status_differs(self, pod: Object) -> bool:
        """Return whether a pod's status in the API may differ from that of the kubelet."""
        worker = self.pods.get(uid(pod))
        return not is_finished(pod) if worker is None else _needs_status_write(worker, pod)

    def is_settled(self, pod: Object) -> bool:
        """Return whether nothing is due for a pod, so that it keeps its current status."""
        worker = self.pods.get(uid(pod))
        if worker is None or is_terminating(pod) or _needs_status_write(worker, pod):
            return False
        return worker.written == worker.changes and worker.next_s() == NEVER_S

    def counts(self, pod: Object) -> bool:
        worker = self.pods.get(uid(pod))
        return worker is not None and worker.counts

    def sync(self, pod: Object, now_s: float) -> Iterator[Effect]:
        """Admit, advance or delete a pod as its object demands, unless the kubelet is down."""
        if self.is_down:
            return
        worker = self.pods.get(uid(pod))
        if is_finished(pod):
            if worker is not None:
                if not (worker.is_over or worker.sandbox.is_scripted):
                    worker.stop(DELETED, worker.own_grace_period_s(), now_s)
                    yield from self.advance(worker, now_s)
                    return
                self._forget(worker, now_s)
            metadata = pod["metadata"]
            # Without a grace period, only finalizers hold it, and its removal was requested before.
            has_grace_period = bool(metadata.get("deletionGracePeriodSeconds"))
            if is_terminating(pod) and (has_grace_period or not metadata.get("finalizers")):
                yield deletion_of("Pod", pod, grace_period_s=0)
            return
        if worker is None:
            if is_terminating(pod) and not has_started(pod):
                yield deletion_of("Pod", pod, grace_period_s=0)
                return
            taken = self.resume(pod, now_s) if has_started(pod) else self._admitted(pod, now_s)
            if isinstance(taken, PodRejection):
                yield status_patch_of("Pod", pod, rejected_status(taken, now_s))
                yield node_record(pod, "Warning", taken.reason, taken.message)
                return
            worker = taken
            yield from (node_record(one, "Warning", REASON, MESSAGE) for one in worker.stopped)
        yield from self._go_on(worker, pod, now_s)

    def advance(self, worker: PodWorker, now_s: float) -> Iterator[Effect]:
        yield from worker.advance(now_s)
        if worker.is_over and worker.counts:
            self._ended(worker, now_s)

    def gone(self, pod_uid: str, now_s: float) -> None:
        """Forget a deleted pod if its containers are scripted; processes are stopped first."""
        worker = self.pods.get(pod_uid)
        if worker is not None and worker.sandbox.is_scripted:
            self._forget(worker, now_s)

    def evict(self, eviction_round: EvictionRound, now_s: float) -> Iterator[Effect]:
        assert self.eviction is not None
        if eviction_round.reclaiming:
            note = f"Attempting to reclaim {eviction_round.reclaiming}"
            yield node_record(self.node, "Warning", "EvictionThresholdMet", note)
        for eviction in eviction_round.evictions:
            yield node_record(eviction.pod, "Warning", EVICTED, eviction.message)
            worker = self.pods.get(uid(eviction.pod))
            if worker is None or worker.is_over:
                self.eviction.ended(uid(eviction.pod), now_s)
                continue
            disruption = eviction.message if eviction.disrupts else ""
            why = StopReason(EVICTED, eviction.message, disruption)
            worker.stop(why, max(float(eviction.grace_period_s), 1.0), now_s)
            self.revisit(worker.pod, now_s)

    def record_conditions(self, now_s: float) -> Iterator[Effect]:
        """Yield Events for changed pressure conditions, if the node's status is due."""
        assert self.eviction is not None
        before = self.eviction.written
        if self.eviction.is_status_due(now_s):
            yield from transitions(self.node, before, self.eviction.written)

    def _ended(self, worker: PodWorker, now_s: float) -> None:
        for waiting in self.pods.ended(worker):
            self.revisit(waiting.pod, now_s)
        if self.eviction is not None:
            self.eviction.ended(worker.uid, worker.over_s)

    def _forget(self, worker: PodWorker, now_s: float) -> None:
        if not worker.is_over:
            worker.sandbox.remove(worker.pod)
            worker.over_s = now_s
            self._ended(worker, now_s)
        self.pods.remove(worker)

    def _admitted(self, pod: Object, now_s: float) -> PodRejection | PodWorker:
        sandbox = self.sandbox(pod, resumes=False)
        if isinstance(sandbox, PodRejection):
            return sandbox
        info = self.pods.info_of(pod)
        pressures: Sequence[str] | None = None
        if self.eviction is not None:
            others = {kind for kind, status in self.own_conditions.items() if status == "True"}
            pressures = sorted(others.intersection(PRESSURES) | {*self.eviction.manager.conditions})
        refused = rejection_of(self.node, self.pods.load, info, pressures)
        if refused is not None:
            return refused
        stopped: Sequence[PodWorker] = ()
        lacking = [*insufficient_resources(self.node, self.pods.load, info)]
        if lacking and is_critical(pod):
            active = {id(one.info): one for one in self.pods.active()}
            chosen = victims(info, [one.info for one in active.values()], lacking)
            if chosen is None:
                needs = (f"(res: {one.resource}, q: {one.missing}), " for one in lacking)
                return PodRejection("UnexpectedAdmissionError", _NO_ROOM.format("".join(needs)))
            stopped = [active[id(victim)] for victim in chosen]
        worker = PodWorker.begun(info, sandbox, now_s)
        for victim in stopped:
            victim.stop(_PREEMPTED, victim.own_grace_period_s(), now_s)
            self.revisit(victim.pod, now_s)
        worker.waits_for = frozenset(victim.uid for victim in stopped)
        worker.stopped = tuple(victim.pod for victim in stopped)
        self.pods.add(worker)
        return worker

    def _go_on(self, worker: PodWorker, pod: Object, now_s: float) -> Iterator[Effect]:
        self.pods.renew(worker, pod)
        worker.take_in_ephemeral(now_s)
        yield from self.renew(worker, now_s)
        if is_terminating(pod) and worker.sandbox.heeds_deletion(pod):
            worker.stop(DELETED, _grace_period_s(pod), now_s)
        yield from self.advance(worker, now_s)
        if (next_s := worker.next_s()) < NEVER_S:
            self.revisit(pod, next_s)
        changes = worker.changes
        if worker.is_over and is_terminating(pod):
            # The last status of a scripted pod is only written if finalizers keep the pod.
            has_finalizers = bool(pod["metadata"].get("finalizers"))
            if not has_finalizers if worker.sandbox.is_scripted else worker.written == changes:
                yield deletion_of("Pod", pod, grace_period_s=0)
                return
        if worker.written == changes and not _needs_status_write(worker, pod):
            return
        status = pod_status(worker, self.host_ip, now_s)
        written = phase_and_readiness(status)
        if worker.written != changes or written != phase_and_readiness(status_of(pod)):
            worker.written, worker.written_status = changes, written
            yield status_patch_of("Pod", pod, status)


def _grace_period_s(pod: Object) -> float:
    return float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)


def _needs_status_write(worker: PodWorker, pod: Object) -> bool:
    # Readiness gates are opened by other components.
    has_gates = bool(pod["spec"].get("readinessGates"))
    return has_gates or phase_and_readiness(status_of(pod)) != worker.written_status
