"""Clusters written down in a line, for examples of single plugins."""

from collections.abc import Iterable
from typing import Any

from podium.scheduler.framework.handle import Handle
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import Obj


def node(name: str, labels: Obj | None = None, **allocatable: str) -> Obj:
    return {
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {},
        "status": {"allocatable": allocatable},
    }


def pod(name: str = "p", **spec: Any) -> Obj:
    return {"metadata": {"name": name, "namespace": "default"}, "spec": spec}


def requesting(name: str = "p", **requests: str) -> Obj:
    return pod(name, containers=[{"name": "c", "resources": {"requests": requests}}])


def cluster(nodes: Iterable[Obj], pods: Iterable[tuple[Obj, str]] = ()) -> Handle:
    """A handle on nodes, and on pods by the name of their node."""
    snapshot = Snapshot()
    snapshot.set_nodes(nodes)
    for obj, node_name in pods:
        snapshot.add_pod(placed_pod(obj, snapshot.classes), node_name)
    return Handle(snapshot, Listers())


def pending(handle: Handle, obj: Obj) -> PodInfo:
    return pending_pod(obj, handle.snapshot.classes)
