"""The namespace controller: empties terminating namespaces, and then finalizes them.

Rules and texts are those of v1.36's `namespace` controller: after a delay it deletes the pods, and
all other objects once no pods are left. Conditions list the remaining objects.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from podium.api.conditions import stamped_condition
from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.custom_kinds import DEFINITION
from podium.api.objects import (
    Object,
    condition_of,
    entries,
    finalizers_of,
    is_terminating,
    name,
    place_of,
    spec_of,
)
from podium.api.pods import is_finished
from podium.api.values.times import epoch_s
from podium.machines.effects import Effect, Replace, deletion_of, status_patch_of
from podium.machines.events import Change
from podium.machines.reconciler.indexer import KnownKinds, by_namespace
from podium.machines.reconciler.reconciler import Reconciler
from podium.machines.reconciler.work_queue import Backoff, RetryRules

Contents = dict[Kind, Sequence[Object]]

FINALIZER = "kubernetes"
# For writes that were under way when the deletion came.
_LATE_WRITES_S = 5.0
_NAMESPACED = tuple(kind for kind in KINDS.values() if kind.namespaced)
_POD = KINDS["Pod"]
_REMOVED = ("ContentRemoved", "All content successfully removed")
_ALL_WELL = {
    "NamespaceDeletionDiscoveryFailure": (
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": _REMOVED,
    "NamespaceFinalizersRemaining": _REMOVED,
}


class NamespaceController(Reconciler):
    """Deletes the contents of terminating namespaces, and then finalizes the namespaces."""

    name = "namespace-controller"
    kinds = frozenset({"Namespace", DEFINITION.key, *(kind.key for kind in _NAMESPACED)})
    indexes = tuple(by_namespace(kind.key) for kind in _NAMESPACED)
    retry_rules = RetryRules(Backoff(first_s=0.005, max_s=60.0))

    def __init__(self) -> None:
        super().__init__()
        self._known = KnownKinds()

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        kind = self._known.learn(change)
        if kind is not None and kind.namespaced:
            self.objects.add_index(*by_namespace(kind.key))
            self.kinds |= {kind.key}
        if change.kind == DEFINITION.key:
            return
        # A cluster-scoped object may be the namespace itself.
        namespace_name, obj_name = place_of(change.obj)
        namespace = self.objects.get("Namespace", namespace_name or obj_name)
        if namespace is not None and is_terminating(namespace):
            yield name(namespace)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        namespace_name = str(key)
        namespace = self.objects.get("Namespace", namespace_name)
        if namespace is None or not is_terminating(namespace):
            return ()
        if FINALIZER not in entries(spec_of(namespace), "finalizers"):
            return ()
        start_s = epoch_s(namespace["metadata"]["deletionTimestamp"]) + _LATE_WRITES_S
        if now_s < start_s:
            self.look_again(key, start_s)
            return ()
        # The pods go first, and everything else once there are none.
        pods = [*self.objects.by("Pod", "namespace", namespace_name)]
        contents: Contents = {_POD: pods} if pods else {}
        for kind in () if pods else self._known:
            objects = [*self.objects.by(kind.key, "namespace", namespace_name)]
            if kind.namespaced and objects:
                contents[kind] = objects
        deletions = [
            deletion_of(kind.key, obj, propagation="Background")
            for kind, objects in contents.items()
            for obj in objects
            if not is_terminating(obj)
        ]
        if deletions:
            return deletions
        faults = self._faults(namespace, contents, now_s)
        conditions = []
        for condition, well in _ALL_WELL.items():
            reason, message = faults.get(condition, well)
            status = "True" if condition in faults else "False"
            wanted = {"type": condition, "status": status, "reason": reason, "message": message}
            known = condition_of(namespace, condition)
            conditions.append(stamped_condition(known, wanted, now_s))
        if changed := [one for one in conditions if one is not None]:
            return [status_patch_of("Namespace", namespace, {"conditions": changed})]
        if contents:
            return []
        spec = namespace["spec"]
        others = [finalizer for finalizer in spec["finalizers"] if finalizer != FINALIZER]
        obj = {**namespace, "spec": {**spec, "finalizers": others}}
        return [Replace(kind="Namespace", obj=obj, subresource="finalize")]

    def _faults(
        self, namespace: Object, contents: Contents, now_s: float
    ) -> dict[str, tuple[str, str]]:
        faults, unexpected = {}, []
        deleted_s = epoch_s(namespace["metadata"]["deletionTimestamp"])
        for kind, objects in contents.items():
            if any(obj["metadata"].get("finalizers") for obj in objects):
                continue
            graces_s = (
                int(pod["spec"].get("terminationGracePeriodSeconds") or 0)
                for pod in (objects if kind is _POD else ())
                if not is_finished(pod)
            )
            due_s = deleted_s + max(graces_s, default=0)
            if due_s > now_s:
                self.look_again(name(namespace), due_s)
                continue
            of = f"{kind.group}/{kind.version}, Resource={kind.plural}"
            left = f"unexpected items still remain in namespace: {name(namespace)} for gvr: {of}"
            unexpected.append(left)
        if unexpected:
            listed = ", ".join(sorted(unexpected))
            message = f"Failed to delete all resource types, {len(unexpected)} remaining: {listed}"
            faults["NamespaceDeletionContentFailure"] = ("ContentDeletionFailed", message)
        counts = sorted(
            f"{kind.plural}.{kind.group} has {len(objects)} resource instances"
            for kind, objects in contents.items()
        )
        if counts:
            message = f"Some resources are remaining: {', '.join(counts)}"
            faults["NamespaceContentRemaining"] = ("SomeResourcesRemain", message)
        holding = Counter(
            finalizer
            for objects in contents.values()
            for obj in objects
            for finalizer in finalizers_of(obj)
        )
        counts = sorted(f"{one} in {number} resource instances" for one, number in holding.items())
        if counts:
            message = f"Some finalizers are remaining: {', '.join(counts)}"
            faults["NamespaceFinalizersRemaining"] = ("SomeFinalizerRemain", message)
        return faults
