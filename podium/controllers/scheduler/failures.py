"""What happens to a pod that wasn't scheduled: queue, nomination, condition, event.

As handleSchedulingFailure of kube-scheduler v1.36, in its order. A pod that is gone or bound by
now is left alone.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from podium.controllers.scheduler.event_texts import failed_scheduling
from podium.controllers.scheduler.outbox import Outbox
from podium.controllers.scheduler.pod_calls import PodCalls
from podium.controllers.scheduler.preempting import observed_generation
from podium.core.nominator import Nominator
from podium.core.pods import PodInfo
from podium.core.queue import QueuedPod, SchedulingQueue

# Leaves a nomination as it is; the empty string clears it.
KEEP = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a pod wasn't scheduled.

    Attributes:
        message: the sentence, for event and condition.
        plugins: who rejected it; only events that they registered for bring it back.
        pending_plugins: who of them will call it back themselves.
        is_error: whether something went wrong, as opposed to the pod not fitting.
        nomination: the node to nominate it to, `KEEP`, or empty to clear what there is.
    """

    message: str
    plugins: Collection[str] = field(default_factory=frozenset)
    pending_plugins: Collection[str] = field(default_factory=frozenset)
    is_error: bool = False
    nomination: str | None = ""


class Failures:
    """Puts pods back into the queue, and tells everybody why.

    Args:
        queue: of pods.
        nominator: of the same scheduler.
        calls: writes the status.
        outbox: for events.
        pending: the pods that wait to be scheduled as last seen, by uid.
    """

    def __init__(
        self,
        queue: SchedulingQueue,
        nominator: Nominator,
        calls: PodCalls,
        outbox: Outbox,
        pending: Mapping[str, PodInfo],
    ) -> None:
        self._queue = queue
        self._nominator = nominator
        self._calls = calls
        self._outbox = outbox
        self._pending = pending

    def handle(self, queued: QueuedPod, failure: Failure, now_s: float) -> None:
        """Requeue a pod whose cycle failed."""
        pod = self._pending.get(queued.pod.uid)
        if pod is None:
            self._queue.done(queued.pod.uid)
            return
        queued.pod = pod
        self._queue.fail(
            queued,
            failure.plugins,
            pending_plugins=failure.pending_plugins,
            now_s=now_s,
        )
        self._nominate(pod, failure.nomination)
        self._outbox.put(failed_scheduling(pod, failure.message, queued.scheduler_name))
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulerError" if failure.is_error else "Unschedulable",
            "message": failure.message,
            **observed_generation(pod),
        }
        self._calls.set_status(pod, now_s, condition=condition, nomination=failure.nomination)

    def _nominate(self, pod: PodInfo, node_name: str | None) -> None:
        if node_name is KEEP:
            return
        if node_name:
            self._nominator.nominate(pod, node_name)
        else:
            self._nominator.withdraw(pod)
