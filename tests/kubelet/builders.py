"""Nodes and pods for tests of node agents."""

from typing import Any

from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from tests import objects
from tests.objects import Obj


def node(name: str = "n1", *, annotations: dict[str, str] | None = None, **status: Any) -> Obj:
    allocatable = status.pop("allocatable", {})
    uid = f"uid-{name}"
    return objects.node(
        name, uid=uid, annotations=annotations, allocatable=allocatable, status=status
    )


def pod(name: str, cpu: str = "100m", *, on: str = "n1", **fields: Any) -> Obj:
    """A pod; `annotations` go into its metadata, `status` over it, the rest into the spec."""
    requests = {"cpu": cpu, **fields.pop("requests", {})} if cpu else {}
    usual = {
        "uid": f"uid-{name}",
        "status": {"phase": "Pending"},
        "containers": [objects.container(resources={"requests": requests})],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
    }
    return objects.pod(name, on=on, **{**usual, **fields})


def info(obj: Obj) -> PodInfo:
    return placed_pod(obj, PodClasses())
