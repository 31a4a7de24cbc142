"""The scheduling cycle around a decision: who is next, and what follows from what was decided."""

from collections.abc import Sequence

from podium.api.meta import is_terminating
from podium.controllers.scheduler.binding import Bindings
from podium.controllers.scheduler.event_texts import failed_scheduling
from podium.controllers.scheduler.failures import KEEP, Failure, Failures
from podium.controllers.scheduler.following import Following
from podium.controllers.scheduler.metrics import ERROR, UNSCHEDULABLE, SchedulerMetrics
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.preemption_start import PreemptionStart
from podium.core.cycle import NO_NODES
from podium.core.decision import Decision
from podium.core.diagnosis import rejecting_plugins
from podium.core.explanation import failure_message
from podium.core.queue import QueuedPod, SchedulingQueue
from podium.scheduler import Scheduler


class Cycling:
    """Decides pods, one at a time.

    Args:
        scheduler: decides.
        queue: says who is next.
        following: keeps the scheduler up to date.
        bindings: takes the pods that fit.
        preemption_start: takes the pods that make room for themselves.
        failures: takes all others.
        outbox: for events.
        metrics: counts attempts.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        queue: SchedulingQueue,
        following: Following,
        bindings: Bindings,
        preemption_start: PreemptionStart,
        failures: Failures,
        outbox: Outbox,
        metrics: SchedulerMetrics,
    ) -> None:
        self._scheduler = scheduler
        self._queue = queue
        self._following = following
        self._bindings = bindings
        self._preemption_start = preemption_start
        self._failures = failures
        self._outbox = outbox
        self._metrics = metrics

    def run_one(self, now_s: float) -> None:
        """Decide the next pod, if there is one, and set off what follows."""
        queued = self._queue.pop(now_s)
        if queued is None:
            return
        try:
            self._run(queued, now_s)
        except Exception as error:
            error.add_note(f"deciding {queued.pod.key}")
            raise

    def _run(self, queued: QueuedPod, now_s: float) -> None:
        pod = queued.pod
        if is_terminating(pod.obj):
            text = f"skip schedule deleting pod: {pod.key}"
            self._outbox.put(failed_scheduling(pod, text, queued.scheduler_name))
            self._queue.done(pod.uid)
            return
        self._following.settle_budgets()
        started_s = self._metrics.stopwatch()
        decision = self._scheduler.decide(pod, queued.scheduler_name)
        decided_s = self._metrics.stopwatch() - started_s
        self._metrics.decided(decided_s)
        if decision.node_name:
            self._bindings.start(queued, decision.node_name, now_s)
            return
        self._not_scheduled(queued, decision, decided_s, now_s)

    def _not_scheduled(
        self, queued: QueuedPod, decision: Decision, decided_s: float, now_s: float
    ) -> None:
        failure = self._failure(decision)
        result = ERROR if failure.is_error else UNSCHEDULABLE
        self._metrics.attempted(result, queued.scheduler_name, decided_s)
        if decision.preemption is not None:
            self._metrics.preemption_tried()
        if decision.post_filter is not None and decision.post_filter.victims:
            self._preemption_start.start(queued, decision, failure, now_s)
        else:
            self._failures.handle(queued, failure, now_s)

    def _failure(self, decision: Decision) -> Failure:
        message = failure_message(decision, self._scheduler.snapshot)
        if decision.error:
            return Failure(message, is_error=decision.error != NO_NODES)
        if decision.gate is not None:
            return Failure(message, plugins=(decision.gate.plugin,), nomination=KEEP)
        return Failure(
            message,
            plugins=self._rejecting(decision),
            nomination=self._nomination(decision),
        )

    def _rejecting(self, decision: Decision) -> Sequence[str]:
        return sorted(rejecting_plugins(decision))

    def _nomination(self, decision: Decision) -> str | None:
        """What becomes of the pod's nomination.

        Where nobody can help after the filters, none is cleared that preemption didn't clear.
        """
        found = decision.post_filter
        return "" if found is None else found.nominated_node_name
