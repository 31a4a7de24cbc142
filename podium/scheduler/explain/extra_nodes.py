"""Hypothetical nodes: one more node like an existing one, while a context is active."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from podium.api.objects import Object, controller_of, labels, spec_of, status_of
from podium.api.well_known import HOSTNAME_LABEL
from podium.scheduler.snapshot.pod_info import placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot

# Fields that belong to a single node.
_OWN_SPEC = ("podCIDR", "podCIDRs", "providerID", "unschedulable")


def shapes(snapshot: Snapshot) -> list[str]:
    """Return the names of one node for each distinct capacity, labels and taints, sorted."""
    found: dict[str, str] = {}
    for node_name, row in sorted(snapshot.row_of.items()):
        node = node_like(snapshot.nodes[row], "")
        amounts = sorted((k, str(n)) for k, n in status_of(node)["allocatable"].items())
        found.setdefault(repr((labels(node), spec_of(node), amounts)), node_name)
    return list(found.values())


@contextmanager
def extra_node(snapshot: Snapshot, like: str) -> Iterator[str]:
    """Add a copy of a node and its DaemonSet pods while the context is active; yield its name."""
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
    try:
        for daemon in copies:
            snapshot.add_pod(daemon, new)
        yield new
    finally:
        for daemon in copies:
            snapshot.remove_pod(daemon)
        snapshot.remove_node(new)


def node_like(node: Object, name: str) -> Object:
    """Copy a node under another name, without what only one node has, its images, and cordoning."""
    marks = {**labels(node), HOSTNAME_LABEL: name}
    spec = {field: value for field, value in spec_of(node).items() if field not in _OWN_SPEC}
    status: Any = {**status_of(node), "images": []}
    return {**node, "metadata": {"name": name, "labels": marks}, "spec": spec, "status": status}
