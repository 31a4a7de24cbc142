"""Completes an exported state by the owners and classes that its pods name and it lacks.

Without these stand-ins nothing would replace a pod that is lost, budgets wouldn't know how many
pods are wanted, and pods of unknown revisions would count as outdated. A stand-in wants as many
pods as there are, made like the newest of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from podium.api.objects import (
    Object,
    annotations,
    controller_of,
    controller_uid,
    labels,
    metadata_of,
    name,
    namespace,
    part,
    spec_of,
    status_of,
)
from podium.api.pod_specs import affinity_of, volumes_of
from podium.api.pods import is_active, is_ready
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.well_known import HASH_LABEL, REQUIRED
from podium.api.workloads import selector_of
from podium.apiserver.kinds.registration.registrations import apply_defaults
from podium.controllers.kit.controller_refs import owner_reference
from podium.controllers.kit.controller_revisions import KIND as REVISION
from podium.controllers.kit.controller_revisions import (
    REVISION_LABEL,
    new_revision,
    revision_hash_of,
)
from podium.controllers.kit.pod_templates import hash_of
from podium.controllers.stateful_set import INDEX_LABEL, NAME_LABEL, ordinal_of

Found = Mapping[tuple[str, str, str], Object]
"""Objects of a state by kind, namespace and name."""

_OF_ONE_POD = (INDEX_LABEL, NAME_LABEL, REVISION_LABEL, "pod-template-generation")


@dataclass(frozen=True)
class Group:
    """The pods or ReplicaSets of one owner."""

    kind: str
    namespace: str
    owner: str
    uid: str
    owned: Sequence[Object]

    @cached_property
    def newest(self) -> Object:
        return max(self.owned, key=lambda one: (_created(one), name(one)))

    @property
    def age(self) -> tuple[str, str]:
        """Sort key of groups: creation time of the newest, then name."""
        return _created(self.newest), self.owner

    @cached_property
    def stem(self) -> tuple[str, str, str]:
        """Key that the ReplicaSets of one Deployment share."""
        hashed = labels(self.newest).get(HASH_LABEL, "")
        return self.kind, self.namespace, self.owner.removesuffix(f"-{hashed}")

    @cached_property
    def active(self) -> int:
        return sum(map(is_active, self.owned))

    def labels(self, *but: str) -> dict[str, str]:
        """The labels that all have alike, without some."""
        return {key: value for key, value in self._alike if key not in but}

    @cached_property
    def _alike(self) -> Sequence[tuple[str, str]]:
        # Most of them share their labels.
        different = {id(found): found for found in map(labels, self.owned)}.values()
        return sorted(set.intersection(*(set(found.items()) for found in different)))

    def made(self, api_version: str, kind: str, spec: Object, **fields: Any) -> dict[str, Any]:
        metadata = {
            "name": self.owner,
            "namespace": self.namespace,
            "uid": self.uid,
            "labels": self.labels(*_OF_ONE_POD),
            "creationTimestamp": min(map(_created, self.owned)) or None,
            "generation": 1,
        }
        metadata |= fields.pop("metadata", {})
        header = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
        return {**header, "spec": spec, **fields}


def counted_status(owner: Object, pods: Sequence[Object]) -> dict[str, Any]:
    """Count pods for the status of a ReplicaSet or ReplicationController."""
    active = [pod for pod in pods if is_active(pod)]
    ready = sum(map(is_ready, active))
    return {
        "replicas": len(active),
        "fullyLabeledReplicas": len(active),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "observedGeneration": owner["metadata"].get("generation") or 1,
    }


def _replica_set(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    """The newest is of the template of the Deployment that it is named after, if that is there."""
    alike = group.labels()
    if not alike:
        return None
    template, more = _template(group, ()), {}
    above = found.get(("Deployment", *group.stem[1:]))
    if above is not None and _is_of(alike, above):
        more = {"ownerReferences": [owner_reference(above)]}
        if is_newest:
            template = above["spec"]["template"]
            carried = {**labels(template), HASH_LABEL: alike[HASH_LABEL]}
            metadata = {**metadata_of(template), "labels": carried}
            template = {**template, "metadata": metadata}
    spec = {"replicas": group.active, "selector": {"matchLabels": alike}, "template": template}
    made = group.made("apps/v1", "ReplicaSet", spec, metadata=more)
    return {**made, "status": counted_status(made, group.owned)}


def _is_of(carried: Mapping[str, str], deployment: Object) -> bool:
    selector = selector_of(deployment)
    was_in_a_cluster = bool(deployment["metadata"].get("uid"))
    return was_in_a_cluster and HASH_LABEL in carried and selector.matches(carried)


def _replication_controller(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    alike = group.labels()
    spec = {"replicas": group.active, "selector": alike, "template": _template(group, ())}
    made = group.made("v1", "ReplicationController", spec)
    return {**made, "status": counted_status(made, group.owned)} if alike else None


def _deployment(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    newest = group.newest
    selector = newest["spec"].get("selector") or {}
    alike = {k: v for k, v in part(selector, "matchLabels").items() if k != HASH_LABEL}
    template = newest["spec"]["template"]
    carried = {key: value for key, value in labels(template).items() if key != HASH_LABEL}
    metadata = {**metadata_of(template), "labels": carried}
    spec = {
        "replicas": sum(int(one["spec"].get("replicas") or 0) for one in group.owned),
        "selector": {**selector, "matchLabels": alike},
        "template": {**template, "metadata": metadata},
    }
    return group.made("apps/v1", "Deployment", spec) if alike else None


def _stateful_set(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    alike = group.labels(*_OF_ONE_POD)
    owner = {"metadata": {"name": group.owner}}
    highest = max((ordinal_of(owner, pod) or 0 for pod in group.owned), default=0)
    newest = group.newest
    claims = [
        {"metadata": {"name": volume["name"]}, "spec": claim["spec"]}
        for volume in volumes_of(newest["spec"])
        if (claim := _claim(volume, newest, group, found)) is not None
    ]
    spec = {
        "replicas": highest + 1,
        "serviceName": newest["spec"].get("subdomain") or "",
        "selector": {"matchLabels": alike},
        "template": _template(group, _OF_ONE_POD, "hostname", "subdomain"),
        "volumeClaimTemplates": claims,
        "updateStrategy": {"type": "OnDelete"},
    }
    return group.made("apps/v1", "StatefulSet", spec) if alike else None


def _claim(volume: Object, pod: Object, group: Group, found: Found) -> Object | None:
    called = part(volume, "persistentVolumeClaim").get("claimName")
    if called != f"{volume['name']}-{name(pod)}":
        return None
    return found.get(("PersistentVolumeClaim", group.namespace, str(called)))


def _daemon_set(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    alike = group.labels(*_OF_ONE_POD)
    template = _template(group, _OF_ONE_POD)
    affinity = {**affinity_of(template["spec"])}
    # This is how each pod asks for its node.
    pinned = {**(affinity.pop("nodeAffinity", None) or {})}
    pinned.pop(REQUIRED, None)
    affinity |= {"nodeAffinity": pinned} if pinned else {}
    spec = {
        "selector": {"matchLabels": alike},
        "template": {**template, "spec": {**template["spec"], "affinity": affinity}},
        "updateStrategy": {"type": "OnDelete"},
    }
    return group.made("apps/v1", "DaemonSet", spec) if alike else None


def _job(group: Group, found: Found, *, is_newest: bool) -> Object | None:
    alike = group.labels()
    spec = {
        "parallelism": group.active,
        "completions": group.active,
        "manualSelector": True,
        "selector": {"matchLabels": alike},
        "template": _template(group, ()),
    }
    return group.made("batch/v1", "Job", spec) if alike and group.active else None


def _template(group: Group, but: Sequence[str], *fields: str) -> dict[str, Any]:
    newest = group.newest
    # What admission filled in; new pods may be given another priority.
    dropped = {"nodeName", "overhead", "priority", "preemptionPolicy", *fields}
    return {
        "metadata": {"labels": group.labels(*but), "annotations": {**annotations(newest)}},
        "spec": {key: value for key, value in newest["spec"].items() if key not in dropped},
    }


def _created(obj: Object) -> str:
    return str(obj["metadata"].get("creationTimestamp") or "")


class StandIn(Protocol):
    """Makes the owner of a group."""

    def __call__(self, group: Group, found: Found, *, is_newest: bool) -> Object | None:
        """Make the owner; None where the owned objects don't determine it."""


STAND_INS: Mapping[str, StandIn] = {
    "ReplicaSet": _replica_set,
    "ReplicationController": _replication_controller,
    "Deployment": _deployment,
    "StatefulSet": _stateful_set,
    "DaemonSet": _daemon_set,
    "Job": _job,
}
"""How to make what isn't there."""


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
