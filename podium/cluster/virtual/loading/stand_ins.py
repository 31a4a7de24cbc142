"""Makes the workloads of pods, for states that have the pods alone.

A stand-in wants as many pods as there are, made like the newest of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from podium.api.objects import Object, annotations, labels, metadata_of, name, part
from podium.api.pod_specs import affinity_of, volumes_of
from podium.api.pods import is_active, is_ready
from podium.api.well_known import HASH_LABEL, REQUIRED
from podium.api.workloads import selector_of
from podium.controllers.kit.controller_refs import owner_reference
from podium.controllers.kit.controller_revisions import REVISION_LABEL
from podium.controllers.stateful_set.pod_identity import INDEX_LABEL, NAME_LABEL, ordinal_of

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
