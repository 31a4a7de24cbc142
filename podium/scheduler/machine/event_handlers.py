"""Event handlers: they apply watch events to the snapshot, the queue and the listers.

As kube-scheduler's (eventhandlers.go, v1.36). Handlers compare an object with its last seen version
rather than with the one in the event, so that lost or repeated events do no harm.
"""

from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    is_terminating,
    key,
    name,
    part,
    uid,
)
from podium.api.pods import is_finished, node_name_of, nominated_node_of, scheduler_name_of
from podium.api.policy.disruption_budgets import Budget
from podium.api.values.times import epoch_s
from podium.machines.events import Change, FirstList
from podium.scheduler.framework.cluster_events import Action, EventResource
from podium.scheduler.machine.binding_cycle import BindingCycles
from podium.scheduler.machine.context import SchedulerContext
from podium.scheduler.machine.preemption_executor import PreemptionExecutor
from podium.scheduler.queue.queue_events import events_of_node_update, events_of_pod_update
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod, start_ns_of

# Kinds whose events are passed to the queue as events of a resource.
_RESOURCES = {
    resource.value: resource
    for resource in EventResource
    if resource.value not in ("AssignedPod", "UnscheduledPod", "Node", "*")
}
# Kinds of which plugins only read a few fields, while their status changes all the time.
_READ_FIELDS = {
    "Namespace": (("metadata", "labels"),),
    "Service": (("metadata", "labels"), ("spec", "selector")),
    "ReplicationController": (("metadata", "labels"), ("spec", "selector")),
    "ReplicaSet": (("metadata", "labels"), ("spec", "selector")),
    "StatefulSet": (("metadata", "labels"), ("spec", "selector")),
}
KINDS = frozenset({"Pod", "Node", "PodDisruptionBudget", *_RESOURCES, *_READ_FIELDS})


class OtherNominations:
    """Nominated pods of other schedulers, which kube-scheduler doesn't count."""

    def __init__(self, context: SchedulerContext) -> None:
        self._context = context
        self._pods: dict[str, PodInfo] = {}

    def seen(self, obj: Object) -> None:
        node_name, before = nominated_node_of(obj), self._pods.get(uid(obj))
        if not node_name and before is None:
            return
        if before is not None:
            if before.obj is obj:
                return
            self.gone(uid(obj), frees=node_name != nominated_node_of(before.obj))
        if node_name:
            scheduler = self._context.scheduler
            pod = self._pods[uid(obj)] = pending_pod(obj, scheduler.snapshot.classes)
            scheduler.nominator.nominate(pod, node_name)

    def gone(self, pod_uid: str, *, frees: bool) -> None:
        """Forget the nomination of a pod; if `frees`, requeue pods that may fit its node now."""
        pod = self._pods.pop(pod_uid, None)
        if pod is None:
            return
        self._context.scheduler.nominator.withdraw(pod)
        if frees:
            self._context.nomination_gone(pod)


class EventHandlers:
    """Applies changes of objects to the state of the scheduler.

    `others` counts nominations of other schedulers' pods; None if they don't count. `takes_over`
    says whether an earlier scheduler has set conditions of initially listed pods.
    """

    def __init__(
        self,
        context: SchedulerContext,
        bindings: BindingCycles,
        preemptions: PreemptionExecutor,
        others: OtherNominations | None = None,
        *,
        takes_over: bool = False,
    ) -> None:
        self._context = context
        self._bindings = bindings
        self._preemptions = preemptions
        self._others = others
        self._takes_over = takes_over
        self._snapshot = context.scheduler.snapshot
        self._nominator = context.scheduler.nominator
        self._budgets: dict[str, Budget] = {}
        self._budgets_changed = False
        self.is_synced = False
        """Whether the initial lists of all kinds have been handled."""

    def start(self) -> None:
        def age(pod: PodInfo) -> tuple[str, int]:
            metadata = pod.obj["metadata"]
            created = metadata.get("creationTimestamp") or ""
            return created, int(metadata.get("resourceVersion") or 0)

        listed = [*self._context.pending.values()]
        by_age = sorted(listed, key=age)
        if by_age != listed:
            for pod in by_age:
                self._context.queue.delete(pod.uid)
                self._queue_up(pod)
        self.is_synced = True

    def handle(self, change: Change) -> None:
        new = change.new
        if change.kind == "PodDisruptionBudget":
            self._budget(change)
        elif change.kind == "Node":
            self._node(change)
        elif change.kind != "Pod":
            self._other(change)
        else:
            self._preemptions.pod_changed(change)
            if new is None or is_finished(new):
                self._pod_gone(change.obj)
            elif node_name := node_name_of(new):
                self._pod_assigned(new, node_name)
            elif scheduler_name_of(new) in self._context.scheduler.pipelines:
                self._pod_pending(new)
            elif self._others is not None:
                self._others.seen(new)

    def take_in(self, listed: FirstList) -> None:
        """Handle the initial list of a kind like single additions, but pods on nodes faster."""
        context, classes = self._context, self._snapshot.classes
        has_placed_pods = listed.kind == "Pod" and self._others is None
        for obj in listed.objects.values():
            pod_uid, node_name = uid(obj), node_name_of(obj) if has_placed_pods else ""
            is_known = pod_uid in context.placed or pod_uid in context.pending
            if not node_name or is_finished(obj) or is_known:
                self.handle(Change(listed.kind, None, obj))
                continue
            pod = context.placed[pod_uid] = placed_pod(obj, classes)
            self._snapshot.add_pod(pod, node_name)
            if context.queue:
                context.event(EventResource.ASSIGNED_POD, Action.ADD, None, obj)

    def settle_budgets(self) -> None:
        """Pass changed budgets to the scheduler; called before each decision."""
        if self._budgets_changed:
            self._budgets_changed = False
            self._context.scheduler.budgets.replace(self._budgets.values())

    def _pod_pending(self, obj: Object) -> None:
        context = self._context
        before = context.pending.get(uid(obj))
        if before is None:
            pod = context.scheduler.pending(obj)
            context.pending[pod.uid] = pod
            self._queue_up(pod)
            return
        if before.obj is obj:
            return
        cls = self._snapshot.classes.renewed(before.cls, before.obj, obj, wants_node=True)
        pod = context.pending[before.uid] = PodInfo(obj, cls)
        context.dispatcher.seen(pod)
        if before.uid in self._bindings:
            if is_terminating(obj) and not is_terminating(before.obj):
                self._bindings.pod_gone(before.uid)
            return
        if before.uid in context.placed:
            # The pod is bound, and this older version is from before its binding.
            return
        # A nomination that isn't in the status yet is kept if the status never had one.
        held = before.nominated_node_name
        stated, was_stated = nominated_node_of(obj), nominated_node_of(before.obj)
        self._nominator.withdraw(before)
        self._nominator.nominate(pod, stated or ("" if was_stated else held))
        context.queue.update(before, pod, context.now_s)
        if was_stated and was_stated != stated:
            context.nomination_gone(before)

    def _queue_up(self, pod: PodInfo) -> None:
        since_s = None
        if self._takes_over and not self.is_synced:
            scheduled = condition_of(pod.obj, "PodScheduled") or {}
            if scheduled.get("reason") == "Unschedulable":
                created = pod.obj["metadata"].get("creationTimestamp")
                since = scheduled.get("lastTransitionTime") or created
                since_s = epoch_s(since) if since else None
        now_s, name = self._context.now_s, scheduler_name_of(pod.obj)
        self._context.queue.add(pod, name, now_s, rejected_since_s=since_s)

    def _pod_assigned(self, obj: Object, node_name: str) -> None:
        context, pod_uid = self._context, uid(obj)
        context.overslept_s.pop(pod_uid, None)
        if self._others is not None:
            self._others.gone(pod_uid, frees=False)
        waiting = context.pending.pop(pod_uid, None)
        if waiting is not None:
            self._nominator.withdraw(waiting)
            context.queue.delete(pod_uid)
            context.dispatcher.drop_patches(pod_uid)
        known = context.placed.get(pod_uid)
        before = known.obj if known is not None and waiting is None else None
        if known is None:
            pod = context.placed[pod_uid] = placed_pod(obj, self._snapshot.classes)
            self._snapshot.add_pod(pod, node_name)
        else:
            snapshot = self._snapshot
            cls = snapshot.classes.renewed(known.cls, known.obj, obj, wants_node=False)
            moved = known.row != snapshot.row_of.get(node_name, known.row)
            if moved or cls is not known.cls:
                pod = context.placed[known.uid] = PodInfo(obj, cls)
                snapshot.remove_pod(known)
                snapshot.add_pod(pod, node_name)
            else:
                noted, known.obj = annotations(known.obj), obj
                snapshot.retake_ports(known)
                start_ns = start_ns_of(obj)
                if start_ns != known.start_ns or noted != annotations(obj):
                    snapshot.restart_pod(known, start_ns)
        self._bindings.seen_bound(pod_uid, node_name)
        action = Action.ADD if before is None else events_of_pod_update(before, obj)
        context.event(EventResource.ASSIGNED_POD, action, before, obj)

    def _pod_gone(self, obj: Object) -> None:
        context, pod_uid = self._context, uid(obj)
        if node_name := node_name_of(obj):
            self._bindings.seen_bound(pod_uid, node_name)
        context.scheduler.history.gone(pod_uid)
        context.overslept_s.pop(pod_uid, None)
        if self._others is not None:
            self._others.gone(pod_uid, frees=True)
        waiting = context.pending.pop(pod_uid, None)
        if waiting is not None:
            context.queue.delete(pod_uid)
            nominated = waiting.nominated_node_name
            self._nominator.withdraw(waiting)
            if pod_uid in self._bindings:
                self._bindings.pod_gone(pod_uid)
            elif nominated:
                context.nomination_gone(waiting)
            context.dispatcher.drop_patches(pod_uid)
        # A bound pod may be deleted before it was seen on its node. A pod that is being bound
        # keeps its resources until its binding has failed.
        is_assumed = self._bindings.is_assumed(pod_uid)
        placed = None if is_assumed else context.placed.pop(pod_uid, None)
        if placed is not None:
            self._snapshot.remove_pod(placed)
            context.event(EventResource.ASSIGNED_POD, Action.DELETE, placed.obj, None)

    def _node(self, change: Change) -> None:
        context, snapshot = self._context, self._snapshot
        new, gone = change.new, change.old
        if new is None:
            if gone is not None and name(gone) in snapshot.row_of:
                context.event(EventResource.NODE, Action.DELETE, gone, None)
                snapshot.remove_node(name(gone))
            return
        row = snapshot.row_of.get(name(new))
        before = None if row is None else snapshot.nodes[row]
        snapshot.set_node(new)
        action = Action.ADD if before is None else events_of_node_update(before, new)
        context.event(EventResource.NODE, action, before, new)

    def _budget(self, change: Change) -> None:
        obj = change.obj
        budget = Budget.of(obj) if change.new is not None else None
        if self._budgets.get(key(obj)) == budget:
            return
        self._budgets_changed = True
        self._preemptions.held.budget_changed(key(obj), self._context.now_s)
        if budget is None:
            del self._budgets[key(obj)]
        else:
            self._budgets[key(obj)] = budget

    def _other(self, change: Change) -> None:
        context, old, new = self._context, change.old, change.new
        listers = context.scheduler.listers
        if new is None:
            if old is not None:
                listers.remove(old)
        elif old is None or not (
            (fields := _READ_FIELDS.get(change.kind))
            and all(part(old, *path) == part(new, *path) for path in fields)
        ):
            listers.set(new)
        resource = _RESOURCES.get(change.kind)
        if resource is not None:
            action = Action.ADD if old is None else Action.UPDATE
            context.event(resource, Action.DELETE if new is None else action, old, new)
