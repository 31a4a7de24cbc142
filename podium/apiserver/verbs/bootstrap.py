"""What is there before anybody has created anything."""

from collections.abc import Iterator

from podium.api.kinds import KINDS, Kind
from podium.api.objects import Object
from podium.api.priority import SYSTEM_PRIORITY_CLASSES

NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")

_DESCRIPTIONS = {
    "system-node-critical": (
        "Used for system critical pods that must not be moved from their current node."
    ),
    "system-cluster-critical": (
        "Used for system critical pods that must run in the cluster, but can be moved to another "
        "node if necessary."
    ),
}


def first_objects() -> Iterator[tuple[Kind, Object]]:
    """The namespaces and priority classes that every cluster has."""
    for name in NAMESPACES:
        yield KINDS["Namespace"], {"metadata": {"name": name}}
    for name, value in SYSTEM_PRIORITY_CLASSES.items():
        priority_class = {"value": value, "description": _DESCRIPTIONS[name]}
        yield KINDS["PriorityClass"], {"metadata": {"name": name}, **priority_class}
