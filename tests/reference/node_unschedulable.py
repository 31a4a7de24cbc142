"""NodeUnschedulable, one node at a time."""

from podium.api.nodes import tolerates
from podium.api.objects import Object
from tests.reference.verdict import UNRESOLVABLE, Verdict


def filter_node(pod: Object, node: Object) -> Verdict:
    if not node["spec"].get("unschedulable", False):
        return None
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    for toleration in pod["spec"].get("tolerations", []):
        if tolerates(toleration, taint):
            return None
    return UNRESOLVABLE, ("node(s) were unschedulable",)
