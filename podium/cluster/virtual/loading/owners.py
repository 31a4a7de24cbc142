"""Completes an exported state by the owners and classes that its pods name and it lacks.

Stand-ins are made for it. Without them nobody would replace a pod that is lost, budgets wouldn't
know how many pods are wanted, and pods of unknown revisions would count as outdated.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from podium.api.objects import (
    Object,
    controller_of,
    controller_uid,
    labels,
    name,
    namespace,
    spec_of,
    status_of,
)
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.cluster.virtual.loading.stand_ins import STAND_INS, Group, counted_status
from podium.controllers.kit.controller_revisions import KIND as REVISION
from podium.controllers.kit.controller_revisions import (
    REVISION_LABEL,
    new_revision,
    revision_hash_of,
)
from podium.controllers.kit.pod_templates import hash_of

Identity = tuple[str, str, str]
"""Kind, namespace and name."""

_OWNED = ("Pod", "ReplicaSet")
_HASH_LABELS = {"StatefulSet": "controller.kubernetes.io/hash", "DaemonSet": REVISION_LABEL}
_COUNTED = ("ReplicaSet", "ReplicationController")


class StandIns:
    """Finds the owners in a state, and makes stand-ins for those that it lacks.

    Attributes:
        uids: of controllers without one of their own, those by which others refer to them.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        self._objects = [*objects]
        self._found: dict[Identity, Object] = {}
        self._owned: dict[Identity, list[Object]] = defaultdict(list)
        self.uids: dict[Identity, str] = {}
        for obj in self._objects:
            if obj.get("kind") != "Pod":
                self._found[_identity(obj)] = obj
            self._note(obj)

    def completed(self) -> list[Object]:
        """The objects of the state, and stand-ins for those that it lacks before them."""
        made = [*self._stand_ins()]
        for one in made:
            self._found[_identity(one)] = one
            self._note(one)
        made += self._stand_ins()
        revisions = {_identity(one)[1:]: one for one in self._revisions(made)}
        classes = [*_classes(self._objects, self._found)]
        given = [self._as_known(obj, revisions) for obj in self._objects]
        return [*classes, *made, *revisions.values(), *given]

    def _note(self, obj: Object) -> None:
        owner = controller_of(obj) if obj.get("kind") in _OWNED else None
        if owner is not None and owner.get("kind") in STAND_INS:
            identity = str(owner["kind"]), namespace(obj), str(owner.get("name"))
            self._owned[identity].append(obj)
            self.uids.setdefault(identity, str(owner.get("uid")))

    def _stand_ins(self) -> Iterator[Object]:
        groups = [
            Group(*identity, self.uids.get(identity, ""), owned)
            for identity, owned in self._owned.items()
            if identity not in self._found
        ]
        # Of one name but for the hash, so that the last is the newest of its Deployment.
        groups.sort(key=lambda group: group.age)
        newest = {group.stem: group for group in groups}
        for group in groups:
            made = STAND_INS[group.kind](group, self._found, is_newest=newest[group.stem] is group)
            if made is not None:
                yield made

    def _revisions(self, made: Iterable[Object]) -> Iterator[Object]:
        with_history = {
            controller_uid(obj) for (kind, _, _), obj in self._found.items() if kind == REVISION
        }
        for obj in [*self._found.values(), *made]:
            identity = _identity(obj)
            uid = obj["metadata"].get("uid") or self.uids.get(identity, "")
            pods = self._owned.get(identity)
            if obj.get("kind") in _HASH_LABELS and pods and uid not in with_history:
                owner = apply_defaults({**obj, "metadata": {**obj["metadata"], "uid": uid}})
                hashed = _known_hash(owner, pods) or hash_of(owner["spec"]["template"])
                yield new_revision(owner, 1, _HASH_LABELS[str(obj["kind"])], hashed)
                with_history.add(uid)

    def _as_known(self, obj: Object, revisions: Mapping[tuple[str, str], Object]) -> Object:
        """A pod that doesn't say its revision is of the newest; a ReplicaSet has counted."""
        if (
            obj.get("kind") == "Job"
            and not obj["spec"].get("selector")
            and obj["metadata"].get("uid")
        ):
            selector = {"matchLabels": {**labels(obj["spec"]["template"])}}
            return {**obj, "spec": {**obj["spec"], "selector": selector, "manualSelector": True}}
        if obj.get("kind") in _COUNTED and not status_of(obj).get("observedGeneration"):
            pods = self._owned.get(_identity(obj), ())
            return {**obj, "status": {**status_of(obj), **counted_status(obj, pods)}}
        owner = controller_of(obj) if obj.get("kind") == "Pod" else None
        if owner is None or owner.get("kind") not in _HASH_LABELS or revision_hash_of(obj):
            return obj
        hashed = self._newest_hash(owner, namespace(obj), revisions)
        if not hashed:
            return obj
        carried = {**labels(obj), REVISION_LABEL: hashed}
        return {**obj, "metadata": {**obj["metadata"], "labels": carried}}

    def _newest_hash(
        self, owner: Object, place: str, revisions: Mapping[tuple[str, str], Object]
    ) -> str:
        kind = str(owner["kind"])
        for revision in revisions.values():
            reference = controller_of(revision) or {}
            if namespace(revision) == place and reference.get("uid") == owner.get("uid"):
                is_numbered = kind == "StatefulSet"
                return name(revision) if is_numbered else revision_hash_of(revision)
        return ""


def _identity(obj: Object) -> Identity:
    return str(obj.get("kind")), namespace(obj), name(obj)


def _known_hash(owner: Object, pods: Sequence[Object]) -> str:
    """The hash of a workload's template, as its status tells it, or else its newest pod."""
    status = status_of(owner)
    is_current = status.get("observedGeneration") == owner["metadata"].get("generation")
    told = str(status.get("updateRevision") or "") if is_current else ""
    newest = max(pods, key=lambda pod: str(pod["metadata"].get("creationTimestamp") or ""))
    return (told or revision_hash_of(newest)).removeprefix(f"{name(owner)}-")


def _classes(objects: Iterable[Object], found: Mapping[Identity, Object]) -> Iterator[Object]:
    known = {(kind, called) for kind, _, called in found}
    known |= {("PriorityClass", called) for called in SYSTEM_PRIORITY_CLASSES}
    for obj in objects:
        spec = spec_of(obj) if obj.get("kind") == "Pod" else {}
        priority, runtime = spec.get("priorityClassName"), spec.get("runtimeClassName")
        is_resolved = priority and spec.get("priority") is not None
        if is_resolved and ("PriorityClass", priority) not in known:
            known.add(("PriorityClass", str(priority)))
            yield {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": priority},
                "value": spec["priority"],
                "preemptionPolicy": spec.get("preemptionPolicy") or "PreemptLowerPriority",
            }
        if runtime and ("RuntimeClass", runtime) not in known:
            known.add(("RuntimeClass", runtime))
            overhead = {"overhead": {"podFixed": spec["overhead"]}} if spec.get("overhead") else {}
            yield {
                "apiVersion": "node.k8s.io/v1",
                "kind": "RuntimeClass",
                "metadata": {"name": runtime},
                "handler": runtime,
                **overhead,
            }
