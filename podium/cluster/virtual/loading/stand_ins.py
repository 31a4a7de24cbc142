"""Stand-ins for owners and PriorityClasses to which pods refer, but which a cluster state lacks.

Without stand-ins, a lost pod would never be replaced, disruption budgets couldn't count expected
pods, and pods of unknown revisions would count as outdated. A stand-in has as many replicas as
pods, and a template like the newest of these pods.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from podium.api.kinds.snapshot_kinds import Identity
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
from podium.api.pods import affinity_of, is_active, is_ready, volumes_of
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

_API_VERSIONS = {
    **dict.fromkeys(("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"), "apps/v1"),
    "ReplicationController": "v1",
    "Job": "batch/v1",
}
_OWNED = ("Pod", "ReplicaSet")
_HASH_LABELS = {"StatefulSet": "controller.kubernetes.io/hash", "DaemonSet": REVISION_LABEL}
_COUNTED = ("ReplicaSet", "ReplicationController")
# Labels in which the pods of one StatefulSet or DaemonSet differ.
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

    @cached_property
    def stem(self) -> Identity:
        """Key that the ReplicaSets of one Deployment share."""
        hashed = labels(self.newest).get(HASH_LABEL, "")
        return self.kind, self.namespace, self.owner.removesuffix(f"-{hashed}")

    @cached_property
    def common_labels(self) -> Mapping[str, str]:
        """Labels that all owned objects share, without labels that identify a single pod."""
        # Most objects share one mapping of labels.
        different = {id(one): one for one in map(labels, self.owned)}.values()
        common = sorted(set.intersection(*(set(one.items()) for one in different)))
        numbers_pods = self.kind in _HASH_LABELS
        return {key: value for key, value in common if not (numbers_pods and key in _OF_ONE_POD)}

    def template(self, *dropped: str) -> dict[str, Any]:
        """Return a pod template like the newest pod, without the `dropped` fields of its spec."""
        newest = self.newest
        # Admission has filled these in; new pods may be given another priority.
        left_out = {"nodeName", "overhead", "priority", "preemptionPolicy", *dropped}
        return {
            "metadata": {"labels": {**self.common_labels}, "annotations": {**annotations(newest)}},
            "spec": {key: value for key, value in newest["spec"].items() if key not in left_out},
        }


def stand_in(group: Group, state: Mapping[Identity, Object], *, is_newest: bool) -> Object | None:
    """Make the owner of a group; return None if the owned objects don't determine it."""
    common, newest, metadata = {**group.common_labels}, group.newest, dict[str, Any]()
    active = sum(map(is_active, group.owned))
    spec: dict[str, Any] = {"replicas": active, "selector": {"matchLabels": common}}
    match group.kind:
        case "ReplicaSet":
            spec["template"] = group.template()
            deployment = state.get(("Deployment", *group.stem[1:]))
            # The ReplicaSet belongs to the Deployment that it is named after, if that selects it,
            # and the newest one has the Deployment's template.
            if (
                deployment is not None
                and deployment["metadata"].get("uid")
                and HASH_LABEL in common
                and selector_of(deployment).matches(common)
            ):
                metadata["ownerReferences"] = [owner_reference(deployment)]
                if is_newest:
                    template = deployment["spec"]["template"]
                    carried = {**labels(template), HASH_LABEL: common[HASH_LABEL]}
                    spec["template"] = _labelled(template, carried)
        case "ReplicationController":
            spec |= {"selector": common, "template": group.template()}
        case "Deployment":
            selector = newest["spec"].get("selector") or {}
            matched = part(selector, "matchLabels").items()
            common = {key: value for key, value in matched if key != HASH_LABEL}
            template = newest["spec"]["template"]
            carried = {key: value for key, value in labels(template).items() if key != HASH_LABEL}
            spec = {
                "replicas": sum(int(one["spec"].get("replicas") or 0) for one in group.owned),
                "selector": {**selector, "matchLabels": common},
                "template": _labelled(template, carried),
            }
        case "StatefulSet":
            numbering = {"metadata": {"name": group.owner}}
            highest = max(ordinal_of(numbering, pod) or 0 for pod in group.owned)
            claims = []
            for volume in volumes_of(newest["spec"]):
                claim_name = part(volume, "persistentVolumeClaim").get("claimName")
                claim = state.get(("PersistentVolumeClaim", group.namespace, str(claim_name)))
                if claim is not None and claim_name == f"{volume['name']}-{name(newest)}":
                    claims.append({"metadata": {"name": volume["name"]}, "spec": claim["spec"]})
            spec |= {
                "replicas": highest + 1,
                "serviceName": newest["spec"].get("subdomain") or "",
                "template": group.template("hostname", "subdomain"),
                "volumeClaimTemplates": claims,
                "updateStrategy": {"type": "OnDelete"},
            }
        case "DaemonSet":
            template = group.template()
            affinity = {**affinity_of(template["spec"])}
            # By its required node affinity each pod asks for its node.
            pinned = {**(affinity.pop("nodeAffinity", None) or {})}
            pinned.pop(REQUIRED, None)
            affinity |= {"nodeAffinity": pinned} if pinned else {}
            template["spec"]["affinity"] = affinity
            del spec["replicas"]
            spec |= {"template": template, "updateStrategy": {"type": "OnDelete"}}
        case "Job":
            counts = {"parallelism": active, "completions": active, "manualSelector": True}
            del spec["replicas"]
            spec |= {**counts, "template": group.template()}
            if not active:
                return None
    if not common:
        return None
    metadata = {
        "name": group.owner,
        "namespace": group.namespace,
        "uid": group.uid,
        "labels": {k: v for k, v in group.common_labels.items() if k not in _OF_ONE_POD},
        "creationTimestamp": min(map(_created, group.owned)) or None,
        "generation": 1,
        **metadata,
    }
    header = {"apiVersion": _API_VERSIONS[group.kind], "kind": group.kind, "metadata": metadata}
    owner = {**header, "spec": spec}
    if group.kind in _COUNTED:
        owner["status"] = counted_status(owner, group.owned)
    return owner


def counted_status(owner: Object, pods: Sequence[Object]) -> dict[str, Any]:
    """Count pods for the status of a ReplicaSet or ReplicationController."""
    active = [pod for pod in pods if is_active(pod)]
    ready = sum(map(is_ready, active))
    return {
        **dict.fromkeys(("replicas", "fullyLabeledReplicas"), len(active)),
        **dict.fromkeys(("readyReplicas", "availableReplicas"), ready),
        "observedGeneration": owner["metadata"].get("generation") or 1,
    }


def _labelled(obj: Object, carried: Mapping[str, str]) -> dict[str, Any]:
    return {**obj, "metadata": {**metadata_of(obj), "labels": carried}}


def _created(obj: Object) -> str:
    return str(obj["metadata"].get("creationTimestamp") or "")


class StandIns:
    """Finds the owners in a cluster state, and makes stand-ins for missing owners."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._objects = [*objects]
        self._state: dict[Identity, Object] = {}
        self._owned: dict[Identity, list[Object]] = defaultdict(list)
        self.uids: dict[Identity, str] = {}
        for obj in self._objects:
            if obj.get("kind") != "Pod":
                self._state[_identity(obj)] = obj
            self._note(obj)

    def completed(self) -> list[Object]:
        """Return the objects of the state, after stand-ins for missing owners."""
        made = [*self._stand_ins()]
        for obj in made:
            self._state[_identity(obj)] = obj
            self._note(obj)
        # The stand-ins of ReplicaSets may be owned by Deployments that are missing, too.
        made += self._stand_ins()
        revisions = [*{_identity(one)[1:]: one for one in self._revisions(made)}.values()]
        classes = [*_classes(self._objects, self._state)]
        given = [self._with_identity(obj, revisions) for obj in self._objects]
        return [*classes, *made, *revisions, *given]

    def _note(self, obj: Object) -> None:
        owner = controller_of(obj) if obj.get("kind") in _OWNED else None
        if owner is not None and owner.get("kind") in _API_VERSIONS:
            identity = str(owner["kind"]), namespace(obj), str(owner.get("name"))
            self._owned[identity].append(obj)
            self.uids.setdefault(identity, str(owner.get("uid")))

    def _stand_ins(self) -> Iterator[Object]:
        groups = [
            Group(*identity, self.uids.get(identity, ""), owned)
            for identity, owned in self._owned.items()
            if identity not in self._state
        ]
        groups.sort(key=lambda group: (_created(group.newest), group.owner))
        # The last group of a stem is the newest ReplicaSet of its Deployment.
        newest = {group.stem: group for group in groups}
        for group in groups:
            owner = stand_in(group, self._state, is_newest=newest[group.stem] is group)
            if owner is not None:
                yield owner

    def _revisions(self, made: Iterable[Object]) -> Iterator[Object]:
        with_history = {
            controller_uid(obj) for (kind, _, _), obj in self._state.items() if kind == REVISION
        }
        for obj in [*self._state.values(), *made]:
            identity = _identity(obj)
            uid = obj["metadata"].get("uid") or self.uids.get(identity, "")
            pods = self._owned.get(identity)
            if obj.get("kind") not in _HASH_LABELS or not pods or uid in with_history:
                continue
            owner = apply_defaults({**obj, "metadata": {**obj["metadata"], "uid": uid}})
            # The hash of the template is in the status if that is current, and else in the newest
            # pod; Podium computes others than Kubernetes.
            status, hashed = status_of(owner), ""
            if status.get("observedGeneration") == owner["metadata"].get("generation"):
                hashed = str(status.get("updateRevision") or "")
            hashed = hashed or revision_hash_of(max(pods, key=_created))
            hashed = hashed.removeprefix(f"{name(owner)}-") or hash_of(owner["spec"]["template"])
            yield new_revision(owner, 1, _HASH_LABELS[str(obj["kind"])], hashed)
            with_history.add(uid)

    def _with_identity(self, obj: Object, revisions: Sequence[Object]) -> Object:
        """Return an object of the state, completed so that controllers recognise their pods."""
        spec, kind = spec_of(obj), obj.get("kind")
        if kind == "Job" and not spec.get("selector") and obj["metadata"].get("uid"):
            selector = {"matchLabels": {**labels(spec["template"])}}
            return {**obj, "spec": {**spec, "selector": selector, "manualSelector": True}}
        if kind in _COUNTED and not status_of(obj).get("observedGeneration"):
            pods = self._owned.get(_identity(obj), ())
            return {**obj, "status": {**status_of(obj), **counted_status(obj, pods)}}
        owner = controller_of(obj) if kind == "Pod" else None
        if owner is None or owner.get("kind") not in _HASH_LABELS or revision_hash_of(obj):
            return obj
        # A pod without a revision is of the newest one.
        for revision in revisions:
            reference = controller_of(revision) or {}
            if namespace(revision) == namespace(obj) and reference.get("uid") == owner.get("uid"):
                names_it = owner["kind"] == "StatefulSet"
                hashed = name(revision) if names_it else revision_hash_of(revision)
                return _labelled(obj, {**labels(obj), REVISION_LABEL: hashed})
        return obj


def _identity(obj: Object) -> Identity:
    return str(obj.get("kind")), namespace(obj), name(obj)


def _classes(objects: Iterable[Object], state: Mapping[Identity, Object]) -> Iterator[Object]:
    known = {(kind, class_name) for kind, _, class_name in state}
    known |= {("PriorityClass", class_name) for class_name in SYSTEM_PRIORITY_CLASSES}
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
