"""The changes of a plan, made through the API as kubectl does."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS
from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.objects import Object, is_terminating, name, spec_of, was_in_a_cluster
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.values.message_words import likely_meant
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.server import DeleteOptions, PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply_manifest
from podium.kubelet.simulated.behaviour import DOWN
from podium.simulation.runner.drain import Drainer, set_unschedulable
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline.observer import Observer
from podium.whatif.plan.changes import (
    Apply,
    Change,
    ChangeTarget,
    Cordon,
    Delete,
    Fail,
    Restart,
    Scale,
    check,
    words,
)
from podium.whatif.plan.plan_report import RejectedObject

_IN_BACKGROUND = DeleteOptions(propagation="Background")
_BY_FORCE = DeleteOptions(grace_period_s=0)
_PODS = ("Pod", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet")
# Objects that others refer to come first.
_ORDER = {"Namespace": 0, **dict.fromkeys((*_PODS, "Job"), 2)}
_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


class ChangeExecutor:
    """Makes the changes of a plan one after the other, and waits for each drain.

    `state` has the objects before the changes. An object that was never in a cluster counts as the
    manifest that was applied last.
    """

    def __init__(
        self,
        cluster: Cluster,
        observer: Observer,
        state: Mapping[Identity, Object],
        changes: Sequence[Change],
    ) -> None:
        check(changes, state)
        self.rejected: list[RejectedObject] = []
        self.drainers: list[Drainer] = []
        self.touched: dict[Identity, None] = {}
        """The objects that were created, or whose specs were changed."""
        self.silenced_s: dict[str, float] = {}
        """When each failed node stopped responding, in seconds since the plan began."""
        self._cluster = cluster
        self._observer = observer
        self._state = state
        self._waiting = deque(changes)
        self._late: list[tuple[Identity, Object]] = []

    def advance(self) -> None:
        """Make the next changes, up to a drain that isn't done."""
        # Apply what had to wait until its predecessor was gone, where that is so now.
        waiting, self._late = self._late, []
        for target, manifest in waiting:
            if self._cluster.store.get(*target) is None:
                self._apply(target, manifest)
            else:
                self._late.append((target, manifest))
        while self._waiting and all(drainer.state == "done" for drainer in self.drainers):
            self._make(self._waiting.popleft())

    def is_draining(self, patience_s: float) -> bool:
        """True if a running drain has made progress in the last `patience_s` seconds."""
        since_s = self._cluster.driver.now_s - patience_s
        return any(one.state == "running" and one.moved_s > since_s for one in self.drainers)

    def unmade(self) -> Iterator[str]:
        """Yield a warning for each change that wasn't made because an earlier drain isn't done."""
        for change in self._waiting:
            node = self.drainers[-1].drain.node
            yield f"{words(change)}: isn't done, as {node} is to be drained first, and isn't"

    def _make(self, change: Change) -> None:
        now_s, server = self._cluster.driver.now_s, self._cluster.server
        match change:
            case Apply():
                # Namespaces first, pods and workloads last, otherwise in their order. An object
                # that is terminating is waited for, as `kubectl delete` does.
                for target, manifest in sorted(
                    change.by_identity.items(), key=lambda entry: _ORDER.get(entry[0][0], 1)
                ):
                    live = self._cluster.store.get(*target)
                    if live is not None and is_terminating(live) and target[0] != "Namespace":
                        self._late.append((target, manifest))
                    else:
                        self._apply(target, manifest)
            case Delete(target, is_forced):
                how = _BY_FORCE if is_forced else _IN_BACKGROUND
                what = Attributes(ALL_KINDS[target.kind], target.namespace, target.name, now_s)
                self._try(target, lambda: server.delete(what, how))
            case Cordon(node, is_cordoned):
                self._try(
                    ("Node", "", node), lambda: set_unschedulable(self._cluster, node, is_cordoned)
                )
            case Drain():
                drainer = Drainer(self._cluster, self._observer, change)
                self.drainers.append(drainer)
                self._try(("Node", "", change.node), lambda: drainer.start())
            case Fail(node):
                # A simulated node falls silent by this annotation.
                self.silenced_s[node] = self._observer.passed_s()
                marks = {"metadata": {"annotations": {DOWN: "true"}}}
                target = ChangeTarget("Node", "", node)
                self._patch(target, PatchRequest(PatchType.MERGE, marks))
            case Scale(target, replicas):
                body = {"spec": {"replicas": replicas}}
                self._patch(target, PatchRequest(PatchType.MERGE, body), "scale")
            case Restart(target):
                live = self._cluster.store.get(*target)
                if live is not None and spec_of(live).get("paused"):
                    self._reject(target, "can't restart a paused deployment (resume it first)")
                    return
                restarted = {"metadata": {"annotations": {_RESTARTED_AT: timestamp(now_s)}}}
                patch = {"spec": {"template": restarted}}
                self._patch(target, PatchRequest(PatchType.STRATEGIC, patch))

    def _apply(self, target: Identity, manifest: Object) -> None:
        last = None
        obj = self._state.get(target)
        if obj is not None and not was_in_a_cluster(obj):
            # The object of the state is the manifest that was applied last. Of a pod it isn't:
            # `nodeName` and the like aren't written into a manifest to be taken out again.
            metadata = {
                field: obj["metadata"][field]
                for field in ("annotations", "labels")
                if obj["metadata"].get(field)
            }
            own = {key: value for key, value in obj.items() if key not in ("metadata", "status")}
            last = {} if target[0] == "Pod" else {**own, "metadata": metadata}
        self._try(target, lambda: apply_manifest(self._cluster, manifest, last))

    def _patch(self, target: ChangeTarget, request: PatchRequest, subresource: str = "") -> None:
        kind, now_s = KINDS[target.kind], self._cluster.driver.now_s
        what = Attributes(kind, target.namespace, target.name, now_s, subresource)
        self._try(target, lambda: self._cluster.server.patch(what, request))

    def _try(self, target: Identity, act: Callable[[], object]) -> None:
        before = self._cluster.store.get(*target)
        try:
            act()
        except RefusedError as refused:
            self._reject(target, refused.message)
        after = self._cluster.store.get(*target)
        if after is not None and (before is None or spec_of(after) != spec_of(before)):
            self.touched[target] = None
        self._observer.look()

    def _reject(self, target: Identity, message: str) -> None:
        message = with_likely_name(message, self._cluster.store)
        at_s = round(self._observer.passed_s(), 3)
        self.rejected.append(RejectedObject(label(target), message, namespace=target[1], at=at_s))


# The words of kube-apiserver and its admission plugins, and the kind that each refers to.
_MISSING = (
    (re.compile(r"no PriorityClass with name (\S+) was found"), "PriorityClass"),
    (re.compile(r'RuntimeClass "([^"]+)" not found'), "RuntimeClass"),
    (re.compile(r'namespaces "([^"]+)" not found'), "Namespace"),
)
_ALWAYS_THERE = {"PriorityClass": (*SYSTEM_PRIORITY_CLASSES,)}


def with_likely_name(message: str, store: Store) -> str:
    """Add the most similar existing name to the API's message about a missing object."""
    for pattern, kind in _MISSING:
        if match := pattern.search(message):
            known = (*map(name, store.list(kind).items), *_ALWAYS_THERE.get(kind, ()))
            return message + likely_meant(match[1], known)
    return message
