"""The changes of a plan, made through the API as kubectl makes them."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS
from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.objects import Object, is_terminating, name, spec_of, was_in_a_cluster
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.refused import RefusedError
from podium.api.values.message_words import likely_meant
from podium.api.values.times import timestamp
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import DeleteOptions, PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply_manifest
from podium.kubelet.simulated.behaviour import DOWN
from podium.simulation.runner.drain import Drainer, set_unschedulable
from podium.simulation.scenario.drain_step import Drain
from podium.simulation.timeline import Observer
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
_METADATA_OF_MANIFESTS = ("annotations", "labels")
_PODS = ("Pod", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet")
# What others refer to comes first.
_ORDER = {"Namespace": 0, **dict.fromkeys((*_PODS, "Job"), 2)}
_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


class Changer:
    """Makes the changes of a plan one after the other, and waits for each drain.

    Attributes:
        touched: the objects whose specs were changed, and those that are new.
        silenced_s: the nodes that have fallen silent, and when, in seconds since the plan began.

    Args:
        state: what was there at first; what was written by hand is itself the manifest that was
            applied before.
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
        self.silenced_s: dict[str, float] = {}
        self._cluster = cluster
        self._observer = observer
        self._state = state
        self._waiting = deque(changes)
        self._late: list[tuple[Identity, Object]] = []

    def advance(self) -> None:
        """Make what can be made by now."""
        # Apply what had to wait until its predecessor was gone, where that is so now.
        waiting, self._late = self._late, []
        for found, manifest in waiting:
            if self._cluster.store.get(*found) is None:
                self._apply(found, manifest)
            else:
                self._late.append((found, manifest))
        while self._waiting and all(one.state == "done" for one in self.drainers):
            self._make(self._waiting.popleft())

    def is_draining(self, patience_s: float) -> bool:
        """Whether a drain goes on that has got on in the last so many seconds."""
        since_s = self._cluster.driver.now_s - patience_s
        return any(one.state == "running" and one.moved_s > since_s for one in self.drainers)

    def unmade(self) -> Iterator[str]:
        """Changes that weren't made, as a drain before them has come to no end; in sentences."""
        for change in self._waiting:
            node = self.drainers[-1].drain.node
            yield f"{words(change)}: isn't done, as {node} is to be drained first, and isn't"

    def _make(self, change: Change) -> None:
        match change:
            case Apply():
                # Apply manifests: namespaces first, pods and workloads last, otherwise in their
                # order. What is on its way out is waited for, as `kubectl delete` does.
                for one, manifest in sorted(
                    change.by_identity.items(), key=lambda entry: _ORDER.get(entry[0][0], 1)
                ):
                    live = self._cluster.store.get(*one)
                    if live is not None and is_terminating(live) and one[0] != "Namespace":
                        self._late.append((one, manifest))
                    else:
                        self._apply(one, manifest)
            case Delete():
                how = _BY_FORCE if change.is_forced else _IN_BACKGROUND
                kind, place, called = change.target
                what = Attributes(ALL_KINDS[kind], place, called, self._cluster.driver.now_s)
                self._try((kind, place, called), lambda: self._cluster.server.delete(what, how))
            case Cordon(node, is_cordoned):
                self._try(
                    ("Node", "", node),
                    lambda: set_unschedulable(self._cluster, node, is_cordoned),
                )
            case Drain():
                drainer = Drainer(self._cluster, self._observer, change)
                self.drainers.append(drainer)
                self._try(("Node", "", change.node), lambda: drainer.start())
            case Fail(node):
                # A simulated node falls silent as its script tells it.
                self.silenced_s[node] = self._observer.passed_s()
                marks = {"metadata": {"annotations": {DOWN: "true"}}}
                target = ChangeTarget("Node", "", node)
                self._patch(target, PatchRequest(PatchType.MERGE, marks))
            case Scale(target, replicas):
                body = {"spec": {"replicas": replicas}}
                self._patch(target, PatchRequest(PatchType.MERGE, body), "scale")
            case Restart(target):
                self._restart(target)

    def _apply(self, found: Identity, manifest: Object) -> None:
        last = self._last_applied(found)
        self._try(found, lambda: apply_manifest(self._cluster, manifest, last))

    def _restart(self, target: ChangeTarget) -> None:
        found = target
        live = self._cluster.store.get(*found)
        if live is not None and spec_of(live).get("paused"):
            self._reject(found, "can't restart a paused deployment (resume it first)")
            return
        marks = {_RESTARTED_AT: timestamp(self._cluster.driver.now_s)}
        body = {"spec": {"template": {"metadata": {"annotations": marks}}}}
        self._patch(target, PatchRequest(PatchType.STRATEGIC, body))

    def _patch(self, target: ChangeTarget, request: PatchRequest, subresource: str = "") -> None:
        kind, now_s = KINDS[target.kind], self._cluster.driver.now_s
        what = Attributes(kind, target.namespace, target.name, now_s, subresource)
        self._try(target, lambda: self._cluster.server.patch(what, request))

    def _try(self, found: Identity, act: Callable[[], object]) -> None:
        before = self._cluster.store.get(*found)
        try:
            act()
        except RefusedError as refused:
            self._reject(found, refused.message)
        after = self._cluster.store.get(*found)
        if after is not None and (before is None or spec_of(after) != spec_of(before)):
            self.touched[found] = None
        self._observer.look()

    def _reject(self, found: Identity, message: str) -> None:
        message = with_likely_name(message, self._cluster.store)
        at_s = round(self._observer.passed_s(), 3)
        self.rejected.append(RejectedObject(label(found), message, namespace=found[1], at_s=at_s))

    def _last_applied(self, found: Identity) -> Object | None:
        obj = self._state.get(found)
        if obj is None or was_in_a_cluster(obj):
            return None
        if found[0] == "Pod":
            # Nobody writes `nodeName` and the like into a manifest to be taken out again.
            return {}
        metadata = {field: obj["metadata"].get(field) for field in _METADATA_OF_MANIFESTS}
        own = {field: value for field, value in obj.items() if field not in ("metadata", "status")}
        return {**own, "metadata": {field: value for field, value in metadata.items() if value}}


# In the words of kube-apiserver and its admission plugins; of each the kind that is referred to.
_MISSING = (
    (re.compile(r"no PriorityClass with name (\S+) was found"), "PriorityClass"),
    (re.compile(r'RuntimeClass "([^"]+)" not found'), "RuntimeClass"),
    (re.compile(r'namespaces "([^"]+)" not found'), "Namespace"),
)
_ALWAYS_THERE = {"PriorityClass": (*SYSTEM_PRIORITY_CLASSES,)}


def with_likely_name(message: str, store: Store) -> str:
    """The API's message, with the name that was likely meant where what it names isn't there."""
    for pattern, kind in _MISSING:
        if found := pattern.search(message):
            known = (*map(name, store.list(kind).items), *_ALWAYS_THERE.get(kind, ()))
            return message + likely_meant(found[1], known)
    return message
