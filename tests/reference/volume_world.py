"""A cluster as plain lists, for scalar twins of plugins that look at volumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from podium.api.objects import Object


@dataclass
class World:
    """Nodes, the pods on them by node name, and other objects."""

    nodes: Sequence[Object]
    pods: Mapping[str, Sequence[Object]] = field(default_factory=dict)
    objects: Sequence[Object] = ()

    def of_kind(self, kind: str) -> list[Object]:
        return [o for o in self.objects if o["kind"] == kind]

    def find(self, kind: str, name: str) -> Object | None:
        return next((o for o in self.of_kind(kind) if o["metadata"]["name"] == name), None)

    def claim(self, pod: Object, name: str) -> Object | None:
        namespace = pod["metadata"]["namespace"]
        for o in self.of_kind("PersistentVolumeClaim"):
            if (o["metadata"]["namespace"], o["metadata"]["name"]) == (namespace, name):
                return o
        return None


def volumes_of(pod: Object) -> Sequence[Object]:
    return pod["spec"].get("volumes", [])


def claim_name(pod: Object, volume: Object) -> str | None:
    """The claim of a volume, made for the pod or not; None if it is no claim."""
    if "persistentVolumeClaim" in volume:
        return str(volume["persistentVolumeClaim"]["claimName"])
    if "ephemeral" in volume:
        return f"{pod['metadata']['name']}-{volume['name']}"
    return None


def is_owned_by(claim: Object, pod: Object) -> bool:
    owners = claim["metadata"].get("ownerReferences", [])
    return any(o.get("controller") and o["uid"] == pod["metadata"]["uid"] for o in owners)


def class_of(obj: Object) -> str:
    annotation = "volume.beta.kubernetes.io/storage-class"
    annotations = obj["metadata"].get("annotations", {})
    if annotation in annotations:
        return str(annotations[annotation])
    return str(obj["spec"].get("storageClassName", ""))


def labels_of(obj: Object) -> Mapping[str, str]:
    labels: Mapping[str, str] = obj["metadata"].get("labels", {})
    return labels
