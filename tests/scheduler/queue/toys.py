"""Pods, plugins and queues for tests of the queue, as small as can be."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from typing import Any

from podium.api.objects import Object
from podium.scheduler.framework.cluster_events import Action, ClusterEvent, EventHint, EventResource
from podium.scheduler.framework.status import SUCCESS, Status, unresolvable
from podium.scheduler.queue.hints import QueueProfile
from podium.scheduler.queue.queued_pod import QueuedPod
from podium.scheduler.queue.scheduling_queue import SchedulingQueue
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod
from tests.objects import pod

CLASSES = PodClasses()
PROFILE = "default-scheduler"

NODE_ADD = ClusterEvent(EventResource.NODE, Action.ADD)
NODE_LABEL = ClusterEvent(EventResource.NODE, Action.UPDATE_NODE_LABEL)
POD_DELETE = ClusterEvent(EventResource.ASSIGNED_POD, Action.DELETE)
OWN_LABEL = ClusterEvent(EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_LABEL)
OWN_GATES = ClusterEvent(
    EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
)

_numbers = count()


def waiting(app: str = "app", priority: int = 0, **spec: Any) -> PodInfo:
    """A pod of its own name; pods of one app, priority and specification are of one class."""
    return pending_pod(pod(f"{app}-{next(_numbers)}", priority=priority, **spec), CLASSES)


def changed(old: PodInfo, labels: Object | None = None, **spec: Any) -> PodInfo:
    """The same pod with other labels, or another specification."""
    metadata = {**old.obj["metadata"], **({"labels": labels} if labels is not None else {})}
    obj = {**old.obj, "metadata": metadata, "spec": {**old.obj["spec"], **spec}}
    return pending_pod(obj, CLASSES)


class Sort:
    """PrioritySort."""

    name = "Sort"

    def sort_key(self, pod: PodInfo, queued_at: float) -> tuple[float, ...]:
        return (-pod.priority, queued_at)


class Gate:
    """Keeps out the pods that it is told of, and remembers who it was asked about."""

    def __init__(self, name: str = "Gate", closed_to: Collection[str] = ()) -> None:
        self.name = name
        self.closed_to = set(closed_to)
        self.asked: list[str] = []

    def pre_enqueue(self, pod: PodInfo) -> Status:
        self.asked.append(pod.uid)
        return unresolvable(f"{self.name} is closed") if pod.uid in self.closed_to else SUCCESS


def hinted(*events: ClusterEvent, by: Callable[..., bool] | None = None) -> tuple[EventHint, ...]:
    """A plugin's registration: the same hint for each of these events."""
    return tuple(EventHint(event, by) for event in events)


def queue(
    hints: Mapping[str, Sequence[EventHint]] | None = None,
    gates: Sequence[Gate] = (),
    **options: Any,
) -> SchedulingQueue:
    """A queue with one profile; by default plugin A waits for nodes and B for pods to go."""
    registered = {"A": hinted(NODE_ADD), "B": hinted(POD_DELETE)} if hints is None else hints
    profile = QueueProfile(Sort(), tuple(gates), {p: tuple(h) for p, h in registered.items()})
    return SchedulingQueue({PROFILE: profile}, **options)


def popped(q: SchedulingQueue, now_s: float) -> QueuedPod:
    """The next pod, which there must be."""
    queued = q.pop(now_s)
    assert queued is not None
    return queued


def rejected(
    q: SchedulingQueue, pods: Sequence[PodInfo], by: Collection[str] = ("A",), at_s: float = 0.0
) -> list[QueuedPod]:
    """Have pods added, tried and rejected, all at one instant."""
    for each in pods:
        q.add(each, PROFILE, at_s)
    tried = [popped(q, at_s) for _ in pods]
    for queued in tried:
        q.fail(queued, by, now_s=at_s)
    return tried
