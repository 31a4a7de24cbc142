"""The state that the parts of a scheduler share, and their common failure handler."""

from collections.abc import Collection, Mapping

import msgspec

from podium.api.conditions import observed_generation
from podium.api.objects import Object
from podium.machines.effects import Record
from podium.scheduler.framework.cluster_events import (
    ASSIGNED_POD_DELETED,
    Action,
    ClusterEvent,
    EventResource,
)
from podium.scheduler.machine.api_dispatcher import APIDispatcher
from podium.scheduler.metrics import Metric, NoMetrics
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo

# The longest note of an event that the API allows.
NOTE_LENGTH_MAX = 1024
_CUT = " ..."

KEEP = None
"""Keeps a nomination as it is; an empty string clears it."""


class Features(msgspec.Struct, frozen=True):
    """Feature gates of v1.36 by Kubernetes' names in snake case, with its defaults."""

    scheduler_async_preemption: bool = True
    """Victims are removed while other pods are scheduled."""
    scheduler_pop_from_backoff_q: bool = True
    """If no pod is active, a pod is popped before its backoff ends."""
    nominated_node_name_for_expectation: bool = True
    """A pod with a long binding cycle is nominated meanwhile."""
    revert_failed_nominations: bool = False
    """Not a gate of v1.36: whether a failed preemption clears its nomination at once, as first
    proposed for asynchronous preemption."""


DEFAULT_FEATURES = Features()


SCHEDULED, UNSCHEDULABLE, ERROR = "scheduled", "unschedulable", "error"


class SchedulerContext(msgspec.Struct):
    """The state that the parts of one scheduler share; kube-scheduler's struct Scheduler."""

    scheduler: Scheduler
    queue: SchedulingQueue
    dispatcher: APIDispatcher
    metrics: NoMetrics
    features: Features
    pending: dict[str, PodInfo] = msgspec.field(default_factory=dict)
    """By uid, the pods to schedule, in their last seen version."""
    placed: dict[str, PodInfo] = msgspec.field(default_factory=dict)
    """By uid, the pods on nodes, in their last seen version, including assumed pods."""
    overslept_s: dict[str, float] = msgspec.field(default_factory=dict)
    """By uid of a pod that was scheduled after a flush rather than an event, how long it had
    waited; removed when the pod is seen on its node."""

    @property
    def now_s(self) -> float:
        return self.scheduler.clock.now_s

    def event(
        self, resource: EventResource, action: Action, old: Object | None, new: Object | None
    ) -> None:
        self.queue.event(ClusterEvent(resource, action), old, new, self.now_s)

    def nomination_gone(self, pod: PodInfo) -> None:
        """Requeue pods of the same or lower priority after a pod has lost its nomination."""
        self.queue.event(
            ASSIGNED_POD_DELETED,
            pod.obj,
            None,
            self.now_s,
            among=lambda other: other.priority <= pod.priority,
        )

    def assume(self, pod: PodInfo, node_name: str) -> PodInfo:
        assumed = self.placed[pod.uid] = self.scheduler.bind(pod, node_name)
        return assumed

    def forget(self, assumed: PodInfo, node_name: str) -> None:
        """Remove an assumed pod after its binding failed, and requeue pods that may fit now."""
        del self.placed[assumed.uid]
        self.scheduler.snapshot.remove_pod(assumed)
        was = {**assumed.obj, "spec": {**assumed.obj["spec"], "nodeName": node_name}}
        self.queue.event(ASSIGNED_POD_DELETED, was, None, self.now_s, except_uid=assumed.uid)

    def attempted(self, result: str, profile: str, duration_s: float) -> None:
        self.metrics.count(Metric.ATTEMPTS, result, profile)
        self.metrics.observe(Metric.ATTEMPT_DURATION, duration_s, result, profile)

    def record_failed(self, pod: PodInfo, message: str, scheduler_name: str) -> None:
        note = message
        if len(message) > NOTE_LENGTH_MAX:
            note = message[: NOTE_LENGTH_MAX - len(_CUT)] + _CUT
        self.record(pod, scheduler_name, "FailedScheduling", "Scheduling", note, kind="Warning")

    def record(
        self,
        pod: PodInfo,
        scheduler_name: str,
        reason: str,
        action: str,
        note: str,
        *,
        kind: str = "Normal",
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        event = Record(
            regarding=pod.obj,
            reporting_controller=scheduler_name,
            type=kind,
            reason=reason,
            action=action,
            note=note,
            annotations=annotations or {},
        )
        self.dispatcher.put(event)

    def clear_nomination(self, pod: PodInfo) -> None:
        self.scheduler.nominator.withdraw(pod)
        self.dispatcher.set_status(pod, self.now_s, nomination="")


class Failure(msgspec.Struct, frozen=True):
    """Why a pod wasn't scheduled."""

    message: str
    plugins: Collection[str] = frozenset()
    """The plugins that rejected it; it is requeued by events that these registered for."""
    is_error: bool = False
    nomination: str | None = ""
    """The node to nominate it to; empty clears its nomination, `KEEP` keeps it."""
    pending_plugins: Collection[str] = frozenset()
    """Those of them that wait for something outside the scheduler."""


def handle_scheduling_failure(
    context: SchedulerContext, queued: QueuedPod, failure: Failure
) -> None:
    """Requeue a pod that wasn't scheduled, record an event, and set its status.

    Does this in the order of handleSchedulingFailure in v1.36. Nothing is done for a pod that is
    bound by now; for a deleted pod only the event is recorded.
    """
    pod = context.pending.get(queued.pod.uid)
    if pod is None:
        context.queue.done(queued.pod.uid)
        if queued.pod.uid not in context.placed:
            context.record_failed(queued.pod, failure.message, queued.scheduler_name)
        return
    queued.pod = pod
    plugins, pending = failure.plugins, failure.pending_plugins
    context.queue.fail(queued, plugins, pending_plugins=pending, now_s=context.now_s)
    if failure.nomination is not KEEP:
        context.scheduler.nominator.nominate(pod, failure.nomination)
    context.record_failed(pod, failure.message, queued.scheduler_name)
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulerError" if failure.is_error else "Unschedulable",
        "message": failure.message,
        **observed_generation(pod.obj),
    }
    context.dispatcher.set_status(
        pod, context.now_s, condition=condition, nomination=failure.nomination
    )
