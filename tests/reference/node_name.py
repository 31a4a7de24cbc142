"""NodeName, one node at a time."""

from tests.reference.verdict import UNRESOLVABLE, Object, Verdict


def filter_node(pod: Object, node: Object) -> Verdict:
    wanted = pod["spec"].get("nodeName", "")
    if wanted in ("", node["metadata"]["name"]):
        return None
    return UNRESOLVABLE, ("node(s) didn't match the requested node name",)
