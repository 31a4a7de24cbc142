"""The changes of a plan, made through the API as kubectl makes them."""

from collections.abc import Callable, Mapping, Sequence

from podium.api.kinds import KINDS
from podium.api.objects import Object, is_terminating
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster import Cluster
from podium.cluster.kubectl_apply import apply_manifest
from podium.plan.identities import Identity, label, was_in_a_cluster
from podium.plan.outcome import RejectedObject
from podium.plan.targets import Target, TargetError
from podium.simulation.timeline import Observer

_IN_BACKGROUND = DeleteOptions(propagation="Background")
# "First" is before the plan begins: whoever names a pod doesn't ask when it will be gone.
_AT_ONCE = DeleteOptions(grace_period_s=0)
_METADATA_OF_MANIFESTS = ("annotations", "labels")
_PODS = ("Pod", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet")
# What others refer to comes first.
_ORDER = {"Namespace": 0, **dict.fromkeys((*_PODS, "Job"), 2)}


class Changer:
    """Whoever makes the changes.

    Attributes:
        rejected: what the API didn't let in.

    Args:
        cluster: to be changed.
        observer: takes down what is done.
        state: what was there at first; what was written by hand is itself the manifest that was
            applied before.
    """

    def __init__(
        self, cluster: Cluster, observer: Observer, state: Mapping[Identity, Object]
    ) -> None:
        self.rejected: list[RejectedObject] = []
        self._cluster = cluster
        self._observer = observer
        self._state = state
        self._late: list[tuple[Identity, Object]] = []

    def delete(self, targets: Sequence[Target]) -> None:
        """Delete objects: pods at once, as by force, and in the background what others own.

        Raises:
            TargetError: not all of them are there; nothing is deleted then.
        """
        missing = [
            f"--delete: the state has no {target}"
            for target in targets
            if (target.kind, target.namespace, target.name) not in self._state
        ]
        if missing:
            raise TargetError("\n".join(missing))
        for target in targets:
            self._try((target.kind, target.namespace, target.name), self._delete)

    def apply(self, manifests: Mapping[Identity, Object]) -> None:
        """Apply manifests: namespaces first, pods and workloads last, otherwise in their order.

        What is on its way out is waited for, as `kubectl delete` does.
        """
        ordered = sorted(manifests.items(), key=lambda one: _ORDER.get(one[0][0], 1))
        for found, manifest in ordered:
            live = self._cluster.store.get(*found)
            if live is not None and is_terminating(live) and found[0] != "Namespace":
                self._late.append((found, manifest))
            else:
                self._apply(found, manifest)

    def apply_late(self) -> None:
        """Apply what had to wait until its predecessor was gone, where that is so now."""
        waiting, self._late = self._late, []
        for found, manifest in waiting:
            if self._cluster.store.get(*found) is None:
                self._apply(found, manifest)
            else:
                self._late.append((found, manifest))

    def _delete(self, found: Identity) -> None:
        kind, place, called = found
        how = _AT_ONCE if kind == "Pod" else _IN_BACKGROUND
        now_s = self._cluster.driver.now_s
        self._cluster.server.delete(Attributes(KINDS[kind], place, called, now_s), how)

    def _apply(self, found: Identity, manifest: Object) -> None:
        last = self._last_applied(found)
        self._try(found, lambda _: apply_manifest(self._cluster, manifest, last))

    def _try(self, found: Identity, act: Callable[[Identity], object]) -> None:
        try:
            act(found)
        except RefusedError as refused:
            self.rejected.append(RejectedObject(label(found), refused.message))
        self._observer.look()

    def _last_applied(self, found: Identity) -> Object | None:
        """The manifest by which an object was written by hand; None if it wasn't."""
        obj = self._state.get(found)
        if obj is None or was_in_a_cluster(obj):
            return None
        if found[0] == "Pod":
            # Nobody writes `nodeName` and the like into a manifest to be taken out again.
            return {}
        metadata = {field: obj["metadata"].get(field) for field in _METADATA_OF_MANIFESTS}
        own = {field: value for field, value in obj.items() if field not in ("metadata", "status")}
        return {**own, "metadata": {field: value for field, value in metadata.items() if value}}
