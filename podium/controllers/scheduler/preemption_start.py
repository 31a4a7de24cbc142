"""From a decision that preempts to a preemption under way, asynchronous or not."""

from collections.abc import Callable
from dataclasses import replace

from podium.controllers.scheduler.failures import KEEP, Failure, Failures
from podium.controllers.scheduler.metrics import SchedulerMetrics
from podium.controllers.scheduler.options import Features
from podium.controllers.scheduler.pod_calls import PodCalls
from podium.controllers.scheduler.preempting import Preemptions, PreemptionTask
from podium.controllers.scheduler.retries import Retries
from podium.core.decision import Decision
from podium.core.pods import PodInfo
from podium.core.preemption.record import PreemptionRecord, record_of
from podium.core.queue import Place, QueuedPod, SchedulingQueue
from podium.scheduler import Scheduler


class PreemptionStart:
    """Starts preemptions, and does what is left to do when they have ended.

    Asynchronously (SchedulerAsyncPreemption), the pod is nominated and goes back to the queue at
    once, and PreEnqueue keeps it there. Synchronously, no other pod is scheduled until the victims
    have been told to go; only then the pod goes back.

    Attributes:
        holding: the pod for which scheduling is held up; None if it isn't.

    Args:
        scheduler: whose snapshot the decision was made over.
        queue: of pods.
        calls: writes nominations.
        failures: puts the preemptor back.
        metrics: counts preemptions.
        features: how to preempt.
        remember: keeps the record of each.
        preemptions: carries them out.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        queue: SchedulingQueue,
        calls: PodCalls,
        failures: Failures,
        metrics: SchedulerMetrics,
        features: Features,
        remember: Callable[[PreemptionRecord], None],
        preemptions: Preemptions,
    ) -> None:
        self._scheduler = scheduler
        self._queue = queue
        self._calls = calls
        self._failures = failures
        self._metrics = metrics
        self._features = features
        self._remember = remember
        self.preemptions = preemptions
        preemptions.when_finished(self._finished)
        self.holding: tuple[QueuedPod, Failure] | None = None
        self._retries = Retries()

    def wake(self, now_s: float) -> None:
        """Have the pods tried again whose preemption failed some time ago."""
        self._queue.activate(self._retries.take_due(now_s), now_s)

    def next_wakeup_s(self) -> float | None:
        """When the next of them is to be tried."""
        return self._retries.next_s()

    def start(self, queued: QueuedPod, decision: Decision, failure: Failure, now_s: float) -> None:
        """Set a preemption off, and put the preemptor back."""
        pod, found = decision.pod, decision.post_filter
        assert found is not None
        record = record_of(pod, found, self._scheduler.snapshot, queued.scheduler_name, now_s)
        self._remember(record)
        task = PreemptionTask(
            preemptor=pod,
            scheduler_name=queued.scheduler_name,
            node_name=record.node_name,
            started_at_s=now_s,
            annotations=record.annotations(),
        )
        victims = list(found.victims)
        if not self._features.scheduler_async_preemption:
            self._clear_lower(pod, record.node_name, now_s)
            self._metrics.preemption_started(len(victims))
            self.holding = (queued, failure)
            if not self.preemptions.start(task, victims, now_s):
                self._let_go(now_s)
            return
        # If all victims are terminating already, nobody loses a nomination for their sake.
        if any(not victim.cls.terminating for victim in victims):
            self._clear_lower(pod, record.node_name, now_s)
            self._metrics.preemption_started(len(victims))
            self.preemptions.start(task, victims, now_s)
        self._failures.handle(queued, failure, now_s)

    def _finished(self, task: PreemptionTask, now_s: float) -> None:
        """A preemption has come to its end."""
        failed = task.error is not None
        self._metrics.preemption_ended(now_s - task.started_at_s, failed=failed)
        if not failed:
            self._retries.forget(task.preemptor.uid)
        if self.holding is not None:
            self._let_go(now_s, failed_with=task.error.message if task.error else "")
        elif failed:
            self._revert(task, now_s)
            self._try_again(task.preemptor.uid, now_s)
        elif self._is_forgotten(task):
            self._queue.activate([task.preemptor.uid], now_s)

    def _is_forgotten(self, task: PreemptionTask) -> bool:
        """Whether the last victim went before its turn, while PreEnqueue let nobody in for it."""
        is_held = self._queue.place_of(task.preemptor.uid) is Place.GATED
        return is_held and self.preemptions.has_left(task.last)

    def _try_again(self, uid: str, now_s: float) -> None:
        """Nothing may happen any more that would bring the pod back by itself."""
        self._retries.failed(uid, now_s)
        self.wake(now_s)

    def _let_go(self, now_s: float, failed_with: str = "") -> None:
        assert self.holding is not None
        (queued, failure), self.holding = self.holding, None
        if not failed_with:
            self._failures.handle(queued, failure, now_s)
            return
        message = f"{failure.message} {failed_with}"
        self._failures.handle(queued, replace(failure, message=message, nomination=KEEP), now_s)
        self._try_again(queued.pod.uid, now_s)

    def _revert(self, task: PreemptionTask, now_s: float) -> None:
        if self._features.revert_failed_nominations:
            nominator = self._scheduler.nominator
            for pod in list(nominator.on(task.node_name)):
                if pod.uid == task.preemptor.uid:
                    nominator.withdraw(pod)
                    self._calls.set_status(pod, now_s, nomination="")

    def _clear_lower(self, preemptor: PodInfo, node_name: str, now_s: float) -> None:
        """Pods of lower priority lose their nomination to the node, to look for another one."""
        for pod in self._scheduler.nominator.lower_on(preemptor, node_name):
            self._scheduler.nominator.withdraw(pod)
            self._calls.set_status(pod, now_s, nomination="")
