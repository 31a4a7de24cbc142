"""Which nodes get a DaemonSet's pod, and what the pod tolerates beyond its template.

The rules are v1.36's: NodeShouldRunDaemonPod, AddOrUpdateDaemonPodTolerations.
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
        """Whether a node without such a pod gets one."""
        return self._fits(node) and not self._untolerated(node, NO_SCHEDULE, NO_EXECUTE)

    def may_stay(self, node: Object) -> bool:
        """Whether such a pod may go on running there."""
        return self._fits(node) and not self._untolerated(node, NO_EXECUTE)

    def _fits(self, node: Object) -> bool:
        called = name(node)
        named = self._node_name in ("", called)
        return named and self._affinity.matches(labels(node), called)

    def _untolerated(self, node: Object, *effects: str) -> bool:
        taints = spec_of(node).get("taints")
        return untolerated(taints, self._tolerations, effects) is not None


def tolerant(spec: Object) -> dict[str, Any]:
    """The spec with the tolerations of what daemons are there to see through."""
    tolerations = list(tolerations_of(spec))
    extra = (_TOLERATED_IN_NODES_NETWORK,) if spec.get("hostNetwork") else ()
    for taint, effect in (*_TOLERATED, *extra):
        toleration = {"key": _PREFIX + taint, "operator": "Exists", "effect": effect}
        if toleration not in tolerations:
            # One that differs in nothing but for how long it lasts is replaced.
            tolerations = [
                one
                for one in tolerations
                if any(one.get(field) != toleration.get(field) for field in _COMPARED)
            ]
            tolerations.append(toleration)
    return {**spec, "tolerations": tolerations}


def bound_to(node_name: str, affinity: Object) -> dict[str, Any]:
    """The affinity with its required node affinity replaced: this node, by name."""
    field = {"key": NAME_FIELD, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    node_affinity = {**part(affinity, "nodeAffinity"), REQUIRED: required}
    return {**affinity, "nodeAffinity": node_affinity}


def target_of(pod: Object) -> str:
    """The node that a daemon's pod is on, or has been made for; empty if that isn't said."""
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
    """The order in which pods stay: those on nodes before others, then by age, then by name."""
    created = metadata_of(pod).get("creationTimestamp")
    return not node_name_of(pod), str(created or ""), name(pod)
