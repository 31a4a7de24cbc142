"""Nodes and pods for tests of node agents."""

from typing import Any

from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod

Obj = dict[str, Any]


def node(name: str = "n1", *, annotations: dict[str, str] | None = None, **status: Any) -> Obj:
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110", **status.pop("allocatable", {})}
    metadata: Obj = {"name": name, "uid": f"uid-{name}"}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": {},
        "status": {"allocatable": allocatable, **status},
    }


def pod(name: str, cpu: str = "100m", *, on: str = "n1", **fields: Any) -> Obj:
    """A pod; `annotations` go into its metadata, `status` over it, the rest into the spec."""
    metadata: Obj = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    if annotations := fields.pop("annotations", None):
        metadata["annotations"] = annotations
    status = fields.pop("status", {"phase": "Pending"})
    requests = {"cpu": cpu, **fields.pop("requests", {})} if cpu else {}
    containers = [{"name": "c", "image": "i", "resources": {"requests": requests}}]
    spec = {
        "containers": containers,
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        **({"nodeName": on} if on else {}),
        **fields,
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def info(obj: Obj) -> PodInfo:
    return placed_pod(obj, PodClasses())
