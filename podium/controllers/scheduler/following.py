"""Following the cluster: from watch events to the snapshot, the queue and the listers.

As kube-scheduler's event handlers (eventhandlers.go, v1.36). What happened is told to the queue,
so that pods come back that it may help. Everything is done by what was seen of an object before,
not by what an event claims, so that a lost or repeated event does no harm.
"""

from collections.abc import Collection, Mapping
from typing import Any

from podium.api.meta import is_finished, is_terminating, key, name, uid
from podium.config.types import DEFAULT_SCHEDULER_NAME
from podium.control.events import Change
from podium.controllers.scheduler.binding import Bindings
from podium.controllers.scheduler.pod_calls import PodCalls
from podium.core.budgets import Budget
from podium.core.cluster_events import Action, ClusterEvent, EventResource
from podium.core.pods import PodInfo, placed_pod, renewed, renewed_class, start_ns_of
from podium.core.queue import SchedulingQueue
from podium.core.queue.changes import events_of_node_update, events_of_pod_update
from podium.scheduler import Scheduler

Object = Mapping[str, Any]

# Kinds whose events are told to the queue under a resource's name.
_RESOURCES = {
    resource.value: resource
    for resource in EventResource
    if resource.value not in ("AssignedPod", "UnscheduledPod", "Node", "*")
}
# Of these only a few fields matter to plugins, while their status changes all the time.
_READ_FIELDS = {
    "Namespace": ("metadata.labels",),
    "Service": ("metadata.labels", "spec.selector"),
    "ReplicationController": ("metadata.labels", "spec.selector"),
    "ReplicaSet": ("metadata.labels", "spec.selector"),
    "StatefulSet": ("metadata.labels", "spec.selector"),
}
KINDS = frozenset({"Pod", "Node", "PodDisruptionBudget", *_RESOURCES, *_READ_FIELDS})


class Following:
    """What the scheduler knows of the cluster.

    Attributes:
        pending: the pods that it has to schedule, by uid.
        placed: the pods on nodes, assumed ones included, by uid.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        queue: SchedulingQueue,
        calls: PodCalls,
        profiles: Collection[str],
    ) -> None:
        self.pending: dict[str, PodInfo] = {}
        self.placed: dict[str, PodInfo] = {}
        self._scheduler = scheduler
        self._queue = queue
        self._calls = calls
        self._profiles = profiles
        self._budgets: dict[str, Budget] = {}
        self._budgets_changed = False

    def start(self, now_s: float) -> None:
        """All that there is has been told: have the pods wait in the order of their creation."""
        listed = [*self.pending.values()]
        by_age = sorted(listed, key=_age)
        if by_age != listed:
            for pod in by_age:
                self._queue.delete(pod.uid)
                self._queue.add(pod, scheduler_name_of(pod.obj), now_s)

    def follow(self, change: Change, bindings: Bindings, now_s: float) -> None:
        """Take a change of the cluster in."""
        if change.kind == "Pod":
            self._pod(change, bindings, now_s)
        elif change.kind == "Node":
            self._node(change, now_s)
            bindings.recheck(now_s)
        elif change.kind == "PodDisruptionBudget":
            self._budget(change)
        else:
            self._other(change, now_s)
            bindings.recheck(now_s)

    def settle_budgets(self) -> None:
        """Hand the budgets on if they have changed; to be called before a decision."""
        if self._budgets_changed:
            self._budgets_changed = False
            self._scheduler.set_budgets(self._budgets.values())

    def assumed(self, pod: PodInfo) -> None:
        """A pod has been put into the snapshot before anybody has seen it on its node."""
        self.placed[pod.uid] = pod

    def released(self, pod: PodInfo, node_name: str, now_s: float) -> None:
        """An assumed pod isn't coming: its room is free again, which may help others."""
        del self.placed[pod.uid]
        self._scheduler.snapshot.remove_pod(pod)
        was = {**pod.obj, "spec": {**pod.obj["spec"], "nodeName": node_name}}
        self._tell(EventResource.ASSIGNED_POD, Action.DELETE, was, None, now_s, except_uid=pod.uid)

    def _pod(self, change: Change, bindings: Bindings, now_s: float) -> None:
        new = change.new
        if new is None or is_finished(new):
            gone = change.old if new is None else new
            if gone is not None:
                if node_name := (gone.get("spec") or {}).get("nodeName"):
                    bindings.seen_bound(uid(gone), node_name, now_s)
                self._pod_gone(uid(gone), bindings, now_s)
        elif node_name := (new.get("spec") or {}).get("nodeName"):
            self._pod_assigned(new, node_name, bindings, now_s)
        elif scheduler_name_of(new) in self._profiles:
            self._pod_pending(new, bindings, now_s)

    def _pod_pending(self, obj: Object, bindings: Bindings, now_s: float) -> None:
        before = self.pending.get(uid(obj))
        if before is None:
            pod = self._scheduler.pending(obj)
            self.pending[pod.uid] = pod
            self._queue.add(pod, scheduler_name_of(obj), now_s)
            return
        if before.obj is obj:
            return
        pod = self.pending[before.uid] = renewed(
            before, obj, self._scheduler.snapshot.classes, wants_node=True
        )
        self._calls.seen(pod)
        if before.uid in bindings:
            if is_terminating(obj) and not is_terminating(before.obj):
                bindings.pod_gone(before.uid, now_s)
            return
        if before.uid in self.placed:
            # Bound, and the watch is yet to tell: what it tells here is older news.
            return
        self._renominate(before, pod)
        self._queue.update(before, pod, now_s)
        stated = nominated_node_of(before.obj)
        if stated and stated != nominated_node_of(obj):
            self._nomination_gone(before, now_s)

    def _nomination_gone(self, pod: PodInfo, now_s: float) -> None:
        """Others counted the pod as if it were on its node, if their priority wasn't higher."""
        self._queue.event(
            ClusterEvent(EventResource.ASSIGNED_POD, Action.DELETE),
            pod.obj,
            None,
            now_s,
            among=lambda other: other.priority <= pod.priority,
        )

    def _renominate(self, before: PodInfo, pod: PodInfo) -> None:
        """A nomination that only this scheduler knows of survives news that don't tell of it."""
        held = before.nominated_node_name
        stated, said_before = nominated_node_of(pod.obj), nominated_node_of(before.obj)
        self._scheduler.nominator.withdraw(before)
        if not stated and not said_before:
            stated = held
        self._scheduler.nominator.nominate(pod, stated)

    def _pod_assigned(self, obj: Object, node_name: str, bindings: Bindings, now_s: float) -> None:
        pod_uid = uid(obj)
        waiting = self.pending.pop(pod_uid, None)
        if waiting is not None:
            self._scheduler.nominator.withdraw(waiting)
            self._queue.delete(pod_uid)
            self._calls.drop_patches(pod_uid)
        known = self.placed.get(pod_uid)
        before = known.obj if known is not None and waiting is None else None
        if known is None:
            pod = self.placed[pod_uid] = placed_pod(obj, self._scheduler.snapshot.classes)
            self._scheduler.snapshot.add_pod(pod, node_name)
        else:
            self._renew(known, obj, node_name)
        bindings.seen_bound(pod_uid, node_name, now_s)
        if before is None:
            self._tell(EventResource.ASSIGNED_POD, Action.ADD, None, obj, now_s)
        else:
            action = events_of_pod_update(before, obj)
            self._tell(EventResource.ASSIGNED_POD, action, before, obj, now_s)

    def _renew(self, known: PodInfo, obj: Object, node_name: str) -> None:
        snapshot = self._scheduler.snapshot
        cls = renewed_class(known, obj, snapshot.classes, wants_node=False)
        moved = known.row != snapshot.row_of.get(node_name, known.row)
        if moved or cls is not known.cls:
            pod = self.placed[known.uid] = PodInfo(obj, cls)
            snapshot.remove_pod(known)
            snapshot.add_pod(pod, node_name)
            return
        known.obj = obj
        snapshot.retake_ports(known)
        start_ns = start_ns_of(obj)
        if start_ns != known.start_ns:
            snapshot.restart_pod(known, start_ns)

    def _pod_gone(self, pod_uid: str, bindings: Bindings, now_s: float) -> None:
        waiting = self.pending.pop(pod_uid, None)
        if waiting is not None:
            self._queue.delete(pod_uid)
            nominated = waiting.nominated_node_name
            self._scheduler.nominator.withdraw(waiting)
            if pod_uid in bindings:
                bindings.pod_gone(pod_uid, now_s)
            elif nominated:
                self._nomination_gone(waiting, now_s)
            self._calls.drop_patches(pod_uid)
        # A pod that was bound may be gone before it was seen on its node.
        placed = self.placed.pop(pod_uid, None)
        if placed is not None:
            self._scheduler.snapshot.remove_pod(placed)
            self._tell(EventResource.ASSIGNED_POD, Action.DELETE, placed.obj, None, now_s)

    def _node(self, change: Change, now_s: float) -> None:
        snapshot, new = self._scheduler.snapshot, change.new
        if new is None:
            gone = change.old
            if gone is not None and name(gone) in snapshot.row_of:
                self._tell(EventResource.NODE, Action.DELETE, gone, None, now_s)
                snapshot.remove_node(name(gone))
            return
        row = snapshot.row_of.get(name(new))
        before = None if row is None else snapshot.nodes[row]
        snapshot.set_node(new)
        if before is None:
            self._tell(EventResource.NODE, Action.ADD, None, new, now_s)
            return
        self._tell(EventResource.NODE, events_of_node_update(before, new), before, new, now_s)

    def _budget(self, change: Change) -> None:
        obj = change.new if change.new is not None else change.old
        if obj is None:
            return
        budget = Budget.of(obj) if change.new is not None else None
        if self._budgets.get(key(obj)) == budget:
            return
        self._budgets_changed = True
        if budget is None:
            del self._budgets[key(obj)]
        else:
            self._budgets[key(obj)] = budget

    def _other(self, change: Change, now_s: float) -> None:
        listers, old, new = self._scheduler.listers, change.old, change.new
        if new is None:
            if old is not None:
                listers.remove(old)
        elif old is None or not self._reads_alike(change.kind, old, new):
            listers.set(new)
        resource = _RESOURCES.get(change.kind)
        if resource is not None:
            action = Action.ADD if old is None else Action.UPDATE if new is not None else None
            self._tell(resource, action or Action.DELETE, old, new, now_s)

    def _reads_alike(self, kind: str, old: Object, new: Object) -> bool:
        fields = _READ_FIELDS.get(kind)
        return fields is not None and all(_at(old, f) == _at(new, f) for f in fields)

    def _tell(
        self,
        resource: EventResource,
        action: Action,
        old: Object | None,
        new: Object | None,
        now_s: float,
        *,
        except_uid: str = "",
    ) -> None:
        self._queue.event(ClusterEvent(resource, action), old, new, now_s, except_uid=except_uid)


def _age(pod: PodInfo) -> tuple[str, int]:
    metadata = pod.obj["metadata"]
    created = metadata.get("creationTimestamp") or ""
    return created, int(metadata.get("resourceVersion") or 0)


def scheduler_name_of(pod: Object) -> str:
    """The profile that a pod asks for."""
    return str((pod.get("spec") or {}).get("schedulerName") or DEFAULT_SCHEDULER_NAME)


def nominated_node_of(pod: Object) -> str:
    """The node that a pod's status nominates it to; empty if none."""
    return (pod.get("status") or {}).get("nominatedNodeName") or ""


def _at(obj: Object, path: str) -> object:
    outer, inner = path.split(".")
    return (obj.get(outer) or {}).get(inner)
