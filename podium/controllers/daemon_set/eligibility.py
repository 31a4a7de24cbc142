"""The nodes that get a DaemonSet's pod, and what the pod tolerates beyond its template.

The rules are those of v1.36's NodeShouldRunDaemonPod and AddOrUpdateDaemonPodTolerations.
"""

from typing import Any

from podium.api.objects import Object, labels, metadata_of, name, part, spec_of
from podium.api.pod_specs import node_affinity_of, tolerations_of
from podium.api.pods import node_name_of
from podium.api.selectors.node_selector import (
    NAME_FIELD,
    RequiredNodeAffinity,
    required_node_affinity,
)
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, untolerated
from podium.api.well_known import REQUIRED

_PREFIX = "node.kubernetes.io/"
_TOLERATED = (
    ("not-ready", NO_EXECUTE),
    ("unreachable", NO_EXECUTE),
    ("disk-pressure", NO_SCHEDULE),
    ("memory-pressure", NO_SCHEDULE),
    ("pid-pressure", NO_SCHEDULE),
    ("unschedulable", NO_SCHEDULE),
)
_COMPARED = ("key", "operator", "effect", "value")
_TOLERATED_IN_NODES_NETWORK = ("network-unavailable", NO_SCHEDULE)


class Eligibility:
    """Judges which nodes may have the pods of a DaemonSet."""

    def __init__(self, spec: Object) -> None:
        self._node_name = spec.get("nodeName") or ""
        self._affinity: RequiredNodeAffinity = required_node_affinity({"spec": spec})
        self._tolerations = spec["tolerations"]

    def may_start(self, node: Object) -> bool:
        """Whether a node without a pod gets one."""
        return self._fits(node) and not self._untolerated(node, NO_SCHEDULE, NO_EXECUTE)

    def may_stay(self, node: Object) -> bool:
        """Whether a pod on a node may go on running."""
        return self._fits(node) and not self._untolerated(node, NO_EXECUTE)

    def _fits(self, node: Object) -> bool:
        is_named = self._node_name in ("", name(node))
        return is_named and self._affinity.matches(labels(node), name(node))

    def _untolerated(self, node: Object, *effects: str) -> bool:
        taints = spec_of(node).get("taints")
        return untolerated(taints, self._tolerations, effects) is not None


def tolerant(spec: Object) -> dict[str, Any]:
    """A pod's spec with the tolerations that all daemon pods have."""
    tolerations = list(tolerations_of(spec))
    extra = (_TOLERATED_IN_NODES_NETWORK,) if spec.get("hostNetwork") else ()
    for taint, effect in (*_TOLERATED, *extra):
        toleration = {"key": _PREFIX + taint, "operator": "Exists", "effect": effect}
        if toleration not in tolerations:
            # One that differs only in how long it lasts is replaced.
            tolerations = [
                one
                for one in tolerations
                if any(one.get(field) != toleration.get(field) for field in _COMPARED)
            ]
            tolerations.append(toleration)
    return {**spec, "tolerations": tolerations}


def bound_to(node_name: str, affinity: Object) -> dict[str, Any]:
    """An affinity whose required node affinity is replaced by one to a node by name."""
    field = {"key": NAME_FIELD, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    node_affinity = {**part(affinity, "nodeAffinity"), REQUIRED: required}
    return {**affinity, "nodeAffinity": node_affinity}


def target_of(pod: Object) -> str:
    """The node that a daemon pod is on, or was created for; may be empty."""
    spec = spec_of(pod)
    if spec.get("nodeName"):
        return str(spec["nodeName"])
    required = part(node_affinity_of(spec), REQUIRED)
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == NAME_FIELD and field.get("values"):
                return str(field["values"][0])
    return ""


def seniority(pod: Object) -> tuple[bool, str, str]:
    """The sort key by which daemon pods stay: bound before unbound, then by age, then by name."""
    created = metadata_of(pod).get("creationTimestamp")
    return not node_name_of(pod), str(created or ""), name(pod)
