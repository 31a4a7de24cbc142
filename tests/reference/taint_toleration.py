"""TaintToleration, one node at a time."""

from collections.abc import Sequence

from podium.api.nodes import tolerates
from podium.api.objects import Object
from tests.reference.default_normalization import normalize
from tests.reference.verdict import UNRESOLVABLE, Verdict


def filter_node(pod: Object, node: Object) -> Verdict:
    tolerations = pod["spec"].get("tolerations", [])
    for taint in node["spec"].get("taints", []):
        forbids = taint["effect"] in ("NoSchedule", "NoExecute")
        if forbids and not any(tolerates(t, taint) for t in tolerations):
            return UNRESOLVABLE, ("node(s) had untolerated taint(s)",)
    return None


def scores(pod: Object, nodes: Sequence[Object]) -> list[int]:
    return normalize([_count(pod, node) for node in nodes], reverse=True)


def _count(pod: Object, node: Object) -> int:
    count = 0
    for taint in node["spec"].get("taints", []):
        if taint["effect"] == "PreferNoSchedule":
            tolerated = False
            for toleration in pod["spec"].get("tolerations", []):
                if toleration.get("effect", "") in ("", "PreferNoSchedule"):
                    tolerated = tolerated or tolerates(toleration, taint)
            count += not tolerated
    return count
