"""Nodes and pods for tests of the core: plain objects with as little in them as a test needs."""

from typing import Any

Obj = dict[str, Any]

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def node(name: str, *, cpu: str = "4", pods: str = "110", **labels: str) -> Obj:
    """A node; `zone` among the labels stands for the well-known one."""
    carried = {HOST: name, **labels}
    if "zone" in carried:
        carried[ZONE] = carried.pop("zone")
    return {
        "metadata": {"name": name, "labels": carried},
        "spec": {},
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": pods}},
    }


def pod(name: str, cpu: str = "1", *, on: str = "", start: str = "", **spec: Any) -> Obj:
    """A pod labelled by the part of its name before the first dash."""
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {"app": name.partition("-")[0]},
        },
        "spec": {"containers": containers, **({"nodeName": on} if on else {}), **spec},
        "status": {"startTime": start} if start else {},
    }


def near(app: str, key: str = HOST) -> Obj:
    """A required affinity term."""
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def required(kind: str, *terms: Obj) -> Obj:
    """The affinity of a pod: `podAffinity` or `podAntiAffinity` with required terms."""
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [*terms]}}
