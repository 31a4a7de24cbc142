"""Small objects for tests of the volume plugins."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.api.objects import Object
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, FilterState
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import HOST, ZONE


def node(name: str, **labels: str) -> Object:
    return {"metadata": {"name": name, "labels": {HOST: name, **labels}}}


def in_zone(name: str, zone: str) -> Object:
    return {"metadata": {"name": name, "labels": {HOST: name, ZONE: zone}}}


def pod(name: str, *volumes: Object, namespace: str = "default") -> Object:
    named = [{"name": f"v{index}", **volume} for index, volume in enumerate(volumes)]
    return {
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {"containers": [{"name": "c"}], "volumes": named},
    }


def uses(claim: str) -> Object:
    return {"persistentVolumeClaim": {"claimName": claim}}


EPHEMERAL: Object = {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}}


def claim(
    name: str,
    storage_class: str | None = None,
    volume: str | None = None,
    size: str = "1Gi",
    modes: Sequence[str] = ("ReadWriteOnce",),
    owner: str | None = None,
    **metadata: Any,
) -> Object:
    """A claim; with a volume it is bound to it."""
    spec: dict[str, Any] = {
        "accessModes": list(modes),
        "resources": {"requests": {"storage": size}},
    }
    annotations: dict[str, str] = {}
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    if volume is not None:
        spec["volumeName"] = volume
        annotations["pv.kubernetes.io/bind-completed"] = "yes"
    if owner is not None:
        metadata["ownerReferences"] = [{"kind": "Pod", "uid": owner, "controller": True}]
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "uid": f"uid-{name}", "annotations": annotations, **metadata},
        "spec": spec,
    }


def persistent_volume(
    name: str,
    storage_class: str = "",
    hosts: Sequence[str] | None = None,
    size: str = "1Gi",
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Object:
    """A free volume that any node can reach, or only these hosts."""
    if hosts is not None:
        expression = {"key": HOST, "operator": "In", "values": list(hosts)}
        terms = [{"matchExpressions": [expression]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    return {
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": dict(labels or {})},
        "spec": {
            "storageClassName": storage_class,
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            **spec,
        },
        "status": {"phase": "Available"},
    }


def storage_class(
    name: str,
    provisioner: str = "csi.example.com",
    mode: str | None = "WaitForFirstConsumer",
    zones: Sequence[str] = (),
) -> Object:
    fields: dict[str, Any] = {}
    if mode is not None:
        fields["volumeBindingMode"] = mode
    if zones:
        expression = {"key": ZONE, "values": list(zones)}
        fields["allowedTopologies"] = [{"matchLabelExpressions": [expression]}]
    return {
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        **fields,
    }


def csi_node(name: str, **limits: int) -> Object:
    """Limits by driver; an underscore stands for a dot in the driver's name."""
    drivers = [
        {"name": driver.replace("_", "."), "allocatable": {"count": count}}
        for driver, count in limits.items()
    ]
    return {"kind": "CSINode", "metadata": {"name": name}, "spec": {"drivers": drivers}}


class Cluster:
    """Nodes, objects, and the pods that are put on nodes."""

    def __init__(self, nodes: Iterable[Object], *objects: Object) -> None:
        self.snapshot = Snapshot()
        self.snapshot.set_nodes(nodes)
        self.listers = Listers(objects)
        self.handle = Handle(self.snapshot, self.listers)

    def place(self, pod_object: Object, node_name: str) -> PodInfo:
        info = placed_pod(pod_object, self.snapshot.classes)
        self.snapshot.add_pod(info, node_name)
        return info

    def pending(self, pod_object: Object) -> PodInfo:
        return pending_pod(pod_object, self.snapshot.classes)

    def reasons(self, state: FilterState | None) -> dict[str, tuple[str, ...]]:
        """Why nodes are ruled out, by their names."""
        if state is None:
            return {}
        codes = {name: state.code(row) for name, row in self.snapshot.row_of.items()}
        return {
            name: state.status(self.snapshot.row_of[name], code).reasons
            for name, code in codes.items()
            if code != FITS
        }
