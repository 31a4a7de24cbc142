"""Hypothetical nodes: one more node like an existing one, while a context is active."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from podium.api.objects import Object, controller_of, labels, part, spec_of, status_of
from podium.api.objects import name as name_of
from podium.api.well_known import HOSTNAME_LABEL
from podium.scheduler.devices.node_shapes import SLICE
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot

# Fields that belong to a single node.
_OWN_SPEC = ("podCIDR", "podCIDRs", "providerID", "unschedulable")


def shapes(snapshot: Snapshot, slices: Iterable[Object] = ()) -> list[str]:
    """Return a node's name by distinct capacity, labels, taints and devices of `slices`, sorted."""
    by_shape: dict[str, str] = {}
    devices: dict[str, list[str]] = defaultdict(list)
    for slice_ in slices:
        devices[spec_of(slice_).get("nodeName", "")].append(repr(spec_of(slice_).get("devices")))
    for node_name, row in sorted(snapshot.row_of.items()):
        node = node_like(snapshot.nodes[row], "")
        amounts = sorted((k, str(n)) for k, n in part(node, "status", "allocatable").items())
        own = (labels(node), spec_of(node), amounts, devices.get(node_name))
        by_shape.setdefault(repr(own), node_name)
    return list(by_shape.values())


@contextmanager
def extra_node(snapshot: Snapshot, listers: Listers, like: str) -> Iterator[str]:
    """Add a copy of a node, its DaemonSet pods and devices for a while; yield its name."""
    row = snapshot.row_of[like]
    new = f"{like}-more"
    while new in snapshot.row_of:
        new += "-more"
    owners = [(pod, controller_of(pod.obj) or {}) for pod in snapshot.pods_on[row]]
    daemons = [pod.obj for pod, owner in owners if owner.get("kind") == "DaemonSet"]
    snapshot.set_node(node_like(snapshot.nodes[row], new))
    copies = []
    for pod in daemons:
        metadata = {**pod["metadata"], "uid": f"{pod['metadata'].get('uid')}-{new}"}
        copy = {**pod, "metadata": metadata, "spec": {**pod["spec"], "nodeName": new}}
        copies.append(placed_pod(copy, snapshot.classes))
    published = [*slices_like(listers.list(SLICE), like, new)]
    try:
        for daemon in copies:
            snapshot.add_pod(daemon, new)
        for one in published:
            listers.set(one)
        yield new
    finally:
        for daemon in copies:
            snapshot.remove_pod(daemon)
        for one in published:
            listers.remove(one)
        snapshot.remove_node(new)


def slices_like(slices: Iterable[Object], node_name: str, new: str) -> Iterator[Object]:
    """Copy the ResourceSlices of a node's own devices for a copy of the node."""
    for slice_ in slices:
        spec = spec_of(slice_)
        if spec.get("nodeName") == node_name:
            pool = part(spec, "pool")
            pool_name = new if pool.get("name") == node_name else f"{pool.get('name')}-{new}"
            named = {"name": f"{name_of(slice_)}-{new}"}
            copied = {**spec, "nodeName": new, "pool": {**pool, "name": pool_name}}
            yield {**slice_, "metadata": named, "spec": copied}


def node_like(node: Object, name: str) -> Object:
    """Copy a node under another name, without what only one node has, its images, and cordoning."""
    marks = {**labels(node), HOSTNAME_LABEL: name}
    spec = {field: value for field, value in spec_of(node).items() if field not in _OWN_SPEC}
    status: Any = {**status_of(node), "images": []}
    return {**node, "metadata": {"name": name, "labels": marks}, "spec": spec, "status": status}
