"""NodeName, one node at a time."""

from podium.api.objects import Object
from tests.reference.verdict import UNRESOLVABLE, Verdict


def filter_node(pod: Object, node: Object) -> Verdict:
    wanted = pod["spec"].get("nodeName", "")
    if wanted in ("", node["metadata"]["name"]):
        return None
    return UNRESOLVABLE, ("node(s) didn't match the requested node name",)
