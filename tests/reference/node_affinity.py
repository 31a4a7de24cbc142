"""NodeAffinity, one node at a time; single terms are judged by the API's own scalar code."""

from collections.abc import Sequence
from typing import Any

from podium.api.objects import Object
from podium.api.selectors.node_selector import (
    node_selector,
    preferred_terms,
    required_node_affinity,
)
from tests.reference.default_normalization import normalize
from tests.reference.verdict import UNRESOLVABLE, Verdict

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def eligible_names(pod: Object, nodes: Sequence[Object]) -> set[str] | None:
    """The names that PreFilter leaves; None if it leaves all."""
    required = _affinity(pod).get(REQUIRED)
    if required is None or not required["nodeSelectorTerms"]:
        return None
    names: set[str] = set()
    for term in required["nodeSelectorTerms"]:
        wishes = [
            set(field["values"])
            for field in term.get("matchFields", [])
            if field["key"] == "metadata.name" and field["operator"] == "In"
        ]
        if not wishes:
            return None
        names |= set.intersection(*wishes)
    return names


def filter_node(pod: Object, node: Object, added: Object) -> Verdict:
    labels, name = node["metadata"].get("labels", {}), node["metadata"]["name"]
    if REQUIRED in added and not node_selector(added[REQUIRED]).matches(labels, name):
        return UNRESOLVABLE, ("node(s) didn't match scheduler-enforced node affinity",)
    if not required_node_affinity(pod).matches(labels, name):
        return UNRESOLVABLE, ("node(s) didn't match Pod's node affinity/selector",)
    return None


def scores(pod: Object, nodes: Sequence[Object], added: Object) -> list[int]:
    terms = preferred_terms([*added.get(PREFERRED, []), *_affinity(pod).get(PREFERRED, [])])
    raw = []
    for node in nodes:
        labels, name = node["metadata"].get("labels", {}), node["metadata"]["name"]
        raw.append(sum(weight for weight, term in terms if term.matches(labels, name)))
    return normalize(raw, reverse=False)


def _affinity(pod: Object) -> dict[str, Any]:
    affinity: dict[str, Any] = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    return affinity
