"""DaemonSets: one pod on each node that may have it.

The rules are those of v1.36's daemon set controller: which nodes get a pod (nodeShouldRunDaemonPod)
and what it puts into the pod so that the scheduler binds it to that node and no other.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from podium.api.meta import is_finished, is_terminating, labels, name
from podium.api.node_selector import NAME_FIELD, RequiredNodeAffinity, required_node_affinity
from podium.api.taints import NO_EXECUTE, NO_SCHEDULE, untolerated
from podium.controllers.expanding.expansion import Expansion, pod_from_template
from podium.controllers.expanding.replica_sets import deletion_note, free_names
from podium.controllers.expanding.view import ClusterView
from podium.controllers.naming import template_hash

Object = Mapping[str, Any]

REVISION_LABEL = "controller-revision-hash"

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFIX = "node.kubernetes.io/"
_TOLERATED = (
    ("not-ready", NO_EXECUTE),
    ("unreachable", NO_EXECUTE),
    ("disk-pressure", NO_SCHEDULE),
    ("memory-pressure", NO_SCHEDULE),
    ("pid-pressure", NO_SCHEDULE),
    ("unschedulable", NO_SCHEDULE),
)
_TOLERATED_IN_NODES_NETWORK = ("network-unavailable", NO_SCHEDULE)


class _Eligibility:
    """Which nodes a DaemonSet's pods may be on."""

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
        taints = (node.get("spec") or {}).get("taints")
        return untolerated(taints, self._tolerations, effects) is not None


def expand_daemon_set(owner: Object, view: ClusterView, now: int | None) -> Expansion:
    """What a DaemonSet does, node by node in the order of the view.

    Existing pods stay, whatever template they were made of, unless they are finished.
    """
    template = owner["spec"]["template"]
    spec = template.get("spec") or {}
    spec = {**spec, "tolerations": _tolerations(spec)}
    eligibility = _Eligibility(spec)
    revision = {REVISION_LABEL: template_hash(template)}
    present = _by_node(owner, view)
    names = free_names(owner, view)
    expansion = Expansion()
    for node in view.nodes:
        pods = present.pop(name(node), [])
        stays = eligibility.may_stay(node)
        doomed = _doomed(pods) if stays else pods
        expansion.surplus += [pod for pod in doomed if not is_terminating(pod)]
        if eligibility.may_start(node) and all(is_finished(pod) for pod in pods):
            on_node = {**spec, "affinity": _bound_to(name(node), spec.get("affinity") or {})}
            expansion.pods.append(
                pod_from_template(owner, next(names), extra_labels=revision, extra_spec=on_node)
            )
    for pods in present.values():
        expansion.surplus += [pod for pod in pods if not is_terminating(pod)]
    if expansion.surplus:
        expansion.notes.append(deletion_note(owner, expansion.surplus))
    return expansion


def _doomed(pods: list[Object]) -> list[Object]:
    """Of the pods of a node that may have one: finished ones, and all but the most senior."""
    running = [pod for pod in pods if not (is_finished(pod) or is_terminating(pod))]
    return [pod for pod in pods if is_finished(pod)] + sorted(running, key=_seniority)[1:]


def _seniority(pod: Object) -> tuple[bool, str, str]:
    """Pods on nodes before others, then by age, then by name."""
    created = (pod.get("metadata") or {}).get("creationTimestamp")
    return not (pod.get("spec") or {}).get("nodeName"), str(created or ""), name(pod)


def _by_node(owner: Object, view: ClusterView) -> dict[str, list[Object]]:
    found = defaultdict(list)
    for pod in view.owned_by(owner, "Pod"):
        found[_target(pod)].append(pod)
    return found


def _target(pod: Object) -> str:
    """The node that a daemon's pod is on, or has been made for."""
    spec = pod.get("spec") or {}
    if spec.get("nodeName"):
        return str(spec["nodeName"])
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == NAME_FIELD and field.get("values"):
                return str(field["values"][0])
    return ""


def _bound_to(node_name: str, affinity: Object) -> Object:
    """The affinity with its required node affinity replaced: this node, by name."""
    field = {"key": NAME_FIELD, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    node_affinity = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: required}
    return {**affinity, "nodeAffinity": node_affinity}


def _tolerations(spec: Object) -> list[Object]:
    """The template's tolerations, and those of what daemons are there to see through."""
    tolerations = list(spec.get("tolerations") or ())
    for toleration in _own_tolerations(spec):
        if toleration not in tolerations:
            tolerations = [t for t in tolerations if not _about_the_same(t, toleration)]
            tolerations.append(toleration)
    return tolerations


def _own_tolerations(spec: Object) -> Iterator[Object]:
    extra = (_TOLERATED_IN_NODES_NETWORK,) if spec.get("hostNetwork") else ()
    for taint, effect in (*_TOLERATED, *extra):
        yield {"key": _PREFIX + taint, "operator": "Exists", "effect": effect}


def _about_the_same(one: Object, other: Object) -> bool:
    """Whether two tolerations differ in nothing but for how long they last."""
    return all(one.get(f) == other.get(f) for f in ("key", "operator", "effect", "value"))
