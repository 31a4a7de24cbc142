"""The state machine of a real node's kubelet; a slow API server doesn't delay containers."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from podium.api.nodes import RENEW_INTERVAL_S
from podium.api.objects import Object, name, place_of, uid
from podium.api.pods import is_finished, limits_of
from podium.api.values.quantity import NANOS_PER_UNIT, nanos, value
from podium.kubelet.containers.container import OOM_KILLED, ExitStatus, HandlerResult
from podium.kubelet.containers.pod_worker import DELETED, PodWorker, StopReason
from podium.kubelet.eviction.eviction_manager import allocatable_memory
from podium.kubelet.eviction.node_statistics import Statistics
from podium.kubelet.eviction.signals import MEMORY, Signal
from podium.kubelet.kubelet_config import KubeletConfiguration
from podium.kubelet.kubelets import Kubelets, LeaseKey, NodeKey
from podium.kubelet.node_status import NodeLease, metadata_patch, status_patch
from podium.kubelet.real import commands
from podium.kubelet.real.process_kubelet import ProcessKubelet
from podium.kubelet.real.registration import HostInfo
from podium.machines.effects import Effect
from podium.machines.events import Change, Event, Outcome, Synced
from podium.machines.machine import NEVER_S

LEAVING = StopReason(
    "Terminated",
    "Pod was terminated in response to imminent node shutdown.",
    "Pod was terminated in response to imminent node shutdown.",
)
_SHUTTING_DOWN = "node is shutting down"
# The grace period of pods that were removed from the cluster.
_FORCED_S = 1.0
_MEASURING_S = 1.0
# How long a node whose pods have ended tries to write their statuses; its API server may be gone.
_LAST_WRITES_S = 10.0


class MachineKubelet(Kubelets[ProcessKubelet]):
    """The reconciler of a real node's kubelet."""

    def __init__(self, node: Object, host: HostInfo, config: KubeletConfiguration) -> None:
        super().__init__([node], writes_heartbeats=True)
        self._wanted = node
        self._config = config
        self._host = host
        self._is_leaving = False
        self._kubelet: ProcessKubelet | None = None
        self._gone: dict[str, Object] = {}
        self._seen: dict[str, int] = {}
        self._measures_s = 0.0
        self._checks_s = 0.0
        self._leaves_until_s = NEVER_S
        self._has_left = False

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        effects: list[Effect] = []
        if isinstance(event, Outcome) and isinstance(event.effect, commands.Command):
            effects += self._answered(event, now_s)
        else:
            effects += super().step(event, now_s)
        if isinstance(event, Change) and event.kind == "Pod" and event.old and not event.new:
            # Of a pod that was removed from the cluster nothing is to be left.
            self._gone[uid(event.old)] = event.old
            if (worker := self._worker(uid(event.old))) is not None:
                worker.stop(DELETED, _FORCED_S, now_s)
        elif isinstance(event, Synced):
            effects += (commands.AwaitShutdown(), self._garbage())
        if self._kubelet is not None:
            effects += self._go_on(self._kubelet, now_s)
        if self._is_leaving and not self._has_left and self._may_leave(now_s):
            self._has_left = True
            effects.append(commands.ShutDown())
        return effects

    def next_wakeup_s(self) -> float | None:
        at_s = super().next_wakeup_s()
        if self._has_left:
            return None
        own_s = self._leaves_until_s
        if self._kubelet is not None:
            workers = self._kubelet.pods.active()
            own_s = min((own_s, self._measures_s, *(worker.next_s() for worker in workers)))
        return own_s if at_s is None else min(at_s, own_s)

    def carried_out(self, key: object, outcome: Outcome) -> Iterable[Effect]:
        # Once its last status is written, a terminating pod may be deleted.
        if isinstance(key, tuple):
            self.look_now(key)
        return super().carried_out(key, outcome)

    def _is_ours(self, node: Object) -> bool:
        return name(node) == name(self._wanted)

    def _kubelet_of(self, node: Object, now_s: float) -> ProcessKubelet:
        # The kubelet and its pods outlive the Node object.
        if self._kubelet is None:
            self._kubelet = ProcessKubelet(
                node, self._host, self._config, is_leaving=self._is_leaving, now_s=now_s
            )
        self._kubelet.lease = NodeLease()
        return self._kubelet

    def _left(self, node_name: str) -> None:
        """Keep the kubelet, as its pods survive the deletion of the Node object."""

    def _status(self, kubelet: ProcessKubelet, now_s: float) -> Iterator[Effect]:
        # What other components change is restored at the next check.
        if now_s >= self._checks_s:
            self._checks_s = now_s + RENEW_INTERVAL_S
            self.look_again(NodeKey(name(kubelet.node)), self._checks_s)
        patch = metadata_patch(kubelet.node, self._wanted) or self._status_patch(kubelet, now_s)
        if patch is not None:
            yield patch

    def _status_patch(self, kubelet: ProcessKubelet, now_s: float) -> Effect | None:
        return status_patch(
            kubelet.node,
            kubelet.conditions,
            now_s,
            wanted=self._wanted["status"],
            not_ready=_SHUTTING_DOWN,
        )

    def _go_on(self, kubelet: ProcessKubelet, now_s: float) -> Iterator[Effect]:
        for worker in kubelet.pods.all():
            if worker.next_s() <= now_s:
                yield from kubelet.advance(worker, now_s)
            if self._seen.get(worker.uid) != worker.changes:
                self._seen[worker.uid] = worker.changes
                self.look_now(place_of(worker.pod))
        for pod_uid, pod in list(self._gone.items()):
            removed = kubelet.pods.get(pod_uid)
            if removed is None or removed.is_over:
                if removed is not None:
                    kubelet.pods.remove(removed)
                del self._gone[pod_uid]
                self._seen.pop(pod_uid, None)
                yield commands.RemovePodSandbox(pod=pod, keeps_logs=False)
        if self._measures_s <= now_s:
            self._measures_s = NEVER_S
            pods = tuple(worker.pod for worker in kubelet.pods.active())
            walks = now_s >= kubelet.loop.next_look_s or kubelet.loop.begun is not None
            yield commands.CollectStats(pods=pods, walks=walks)

    def _may_leave(self, now_s: float) -> bool:
        workers = () if self._kubelet is None else self._kubelet.pods.all()
        if not all(worker.is_over for worker in workers):
            return False
        self._leaves_until_s = min(self._leaves_until_s, now_s + _LAST_WRITES_S)
        return now_s >= self._leaves_until_s or self._is_quiet(now_s)

    def _is_quiet(self, now_s: float) -> bool:
        kubelet = self._kubelet
        if not all(isinstance(key, LeaseKey) for key in self._waiting):
            return False
        if kubelet is None:
            return True
        is_gone = self.objects.get("Node", name(self._wanted)) is None
        is_written = is_gone or self._status_patch(kubelet, now_s) is None
        return is_written and all(worker.written == worker.changes for worker in kubelet.pods.all())

    def _answered(self, outcome: Outcome, now_s: float) -> Iterator[Effect]:
        effect = outcome.effect
        result = outcome.result if isinstance(outcome, commands.CommandOutcome) else None
        if isinstance(effect, commands.AwaitShutdown):
            # Stop all pods; those that don't end in time are killed.
            self._is_leaving = True
            self.look_now(NodeKey(name(self._wanted)))
            if self._kubelet is not None:
                self._kubelet.leave()
                for worker in self._kubelet.pods.active():
                    grace_period_s = min(worker.own_grace_period_s(), self._config.shutdown_s)
                    worker.stop(LEAVING, grace_period_s, now_s)
        elif isinstance(effect, commands.CollectStats):
            self._measures_s = now_s + _MEASURING_S
            if self._kubelet is not None and isinstance(result, Statistics):
                yield from self._measured(self._kubelet, result, now_s)
        elif isinstance(effect, commands.RunPodSandbox):
            started = self._worker(uid(effect.pod))
            if started is not None:
                message = outcome.error.message if outcome.error else ""
                yield from started.set_up(message, now_s)
        elif isinstance(effect, commands.OfContainer):
            owner = self._worker(effect.run.pod_uid)
            containers = () if owner is None else owner.containers
            container = next((one for one in containers if one.run == effect.run), None)
            if owner is None or container is None:
                return
            owner.touch(now_s)
            if isinstance(effect, commands.StartContainer) and outcome.error is not None:
                reason, message = outcome.error.reason, outcome.error.message
                yield from container.failed_to_start(reason, message, now_s)
            elif isinstance(effect, commands.StartContainer):
                yield commands.WaitForExit(run=effect.run)
                yield from container.started(now_s)
            elif isinstance(effect, commands.WaitForExit) and isinstance(result, ExitStatus):
                yield from container.exited(result, now_s)
            elif isinstance(effect, commands.RunHandler) and isinstance(result, HandlerResult):
                own_s = owner.own_grace_period_s()
                yield from container.handled(effect.handler, result, own_s, now_s)

    def _worker(self, pod_uid: str) -> PodWorker | None:
        return None if self._kubelet is None else self._kubelet.pods.get(pod_uid)

    def _measured(
        self, kubelet: ProcessKubelet, measured: Statistics, now_s: float
    ) -> Iterator[Effect]:
        loop, workers = kubelet.loop, list(kubelet.pods.active())
        for worker in workers:
            usage = measured.usage.get(worker.uid)
            used = {one.name: one.memory_bytes or 0 for one in usage.containers} if usage else {}
            for container in worker.containers:
                limit = limits_of(container.spec).get(MEMORY)
                used_nanos = used.get(container.name, 0) * NANOS_PER_UNIT
                if limit is not None and used_nanos > nanos(limit):
                    yield from container.kill(OOM_KILLED, now_s)
                    worker.touch(now_s)
        if (memory := measured.observations.get(Signal.MEMORY_AVAILABLE)) is not None:
            allocatable_bytes = value(self._wanted["status"]["allocatable"]["memory"])
            used_bytes = sum(one.memory_bytes or 0 for one in measured.usage.values())
            left = allocatable_memory(self._config.eviction, allocatable_bytes, memory, used_bytes)
            signals = {**measured.observations, Signal.ALLOCATABLE_MEMORY_AVAILABLE: left}
            measured = replace(measured, observations=signals)
        loop.check_memory(measured, now_s)
        eviction_round = loop.look(measured, [worker.pod for worker in workers], now_s)
        if eviction_round is not None and eviction_round.reclaims:
            yield self._garbage()
        elif eviction_round is not None:
            yield from kubelet.evict(eviction_round, now_s)
        written = loop.written
        yield from kubelet.record_conditions(now_s)
        if loop.written != written:
            self.look_now(NodeKey(name(self._wanted)))

    def _garbage(self) -> commands.CollectGarbage:
        pods = self.objects.by("Pod", "node", name(self._wanted))
        if self._kubelet is not None:
            known = self._kubelet.pods
            over = {worker.uid for worker in known.all() if worker.is_over}
            pods = [pod for pod in pods if not (uid(pod) in over or is_finished(pod))]
            pods += [worker.pod for worker in known.active()]
        return commands.CollectGarbage(pods=tuple(pods))
