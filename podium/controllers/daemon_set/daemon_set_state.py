"""The state of a DaemonSet by node: eligibility, pods to create and delete, and counts.

The rules are those of v1.36's NodeShouldRunDaemonPod, podsShouldBeOnNode, rollingUpdate and
updateDaemonSetStatus. Those iterate over all nodes; here only changed nodes are re-evaluated, and
sums over all nodes are kept.
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from podium.api.nodes import NO_EXECUTE, NO_SCHEDULE, untolerated
from podium.api.objects import (
    Object,
    annotations,
    is_terminating,
    labels,
    metadata_of,
    name,
    part,
    spec_of,
    uid_of,
)
from podium.api.pods import is_ready, node_affinity_of, node_name_of, phase_of, tolerations_of
from podium.api.selectors.node_selector import NAME_FIELD, required_node_affinity
from podium.api.values.integers import scaled
from podium.api.well_known import REQUIRED
from podium.api.workloads import update_strategy_of
from podium.controllers.kit.controller_revisions import REVISION_LABEL
from podium.controllers.kit.workload_fields import available_from_s, min_ready_s

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
    """The requirements that a node has to meet to run a pod of a DaemonSet."""

    def __init__(self, spec: Object) -> None:
        self._node_name = spec.get("nodeName") or ""
        self._affinity = required_node_affinity({"spec": spec})
        self._tolerations = spec["tolerations"]

    def may_start(self, node: Object) -> bool:
        return self._fits(node) and not self._untolerated(node, NO_SCHEDULE, NO_EXECUTE)

    def may_stay(self, node: Object) -> bool:
        return self._fits(node) and not self._untolerated(node, NO_EXECUTE)

    def _fits(self, node: Object) -> bool:
        is_named = self._node_name in ("", name(node))
        return is_named and self._affinity.matches(labels(node), name(node))

    def _untolerated(self, node: Object, *effects: str) -> bool:
        taints = spec_of(node).get("taints")
        return untolerated(taints, self._tolerations, effects) is not None


def tolerant(spec: Object) -> dict[str, Any]:
    """Return a pod's spec with the tolerations that all daemon pods have."""
    tolerations = list(tolerations_of(spec))
    extra = (_TOLERATED_IN_NODES_NETWORK,) if spec.get("hostNetwork") else ()
    for taint, effect in (*_TOLERATED, *extra):
        toleration = {"key": _PREFIX + taint, "operator": "Exists", "effect": effect}
        if toleration not in tolerations:
            # One that differs only in how long it lasts is replaced.
            tolerations = [
                other
                for other in tolerations
                if any(other.get(field) != toleration.get(field) for field in _COMPARED)
            ]
            tolerations.append(toleration)
    return {**spec, "tolerations": tolerations}


def bound_to(node_name: str, affinity: Object) -> dict[str, Any]:
    """Return an affinity whose required node affinity is replaced by a term for one node's name."""
    field = {"key": NAME_FIELD, "operator": "In", "values": [node_name]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    node_affinity = {**part(affinity, "nodeAffinity"), REQUIRED: required}
    return {**affinity, "nodeAffinity": node_affinity}


def target_of(pod: Object) -> str:
    """Return the node that a daemon pod is bound to, or was created for; may be empty."""
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
    """Return the sort key of a node's daemon pods, the pod to keep first: bound, oldest, name."""
    created = metadata_of(pod).get("creationTimestamp")
    return not node_name_of(pod), str(created or ""), name(pod)


TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
GENERATION_LABEL = "pod-template-generation"


class DaemonRules(msgspec.Struct, frozen=True):
    """The rules by which a DaemonSet evaluates each node and its pods."""

    eligibility: Eligibility
    revision: str
    """Hash of the template's revision."""
    generation: str
    """Template generation, which pods have as a label; may be empty."""
    min_ready_s: int
    surges: bool
    """Whether new pods are created before old ones are deleted."""

    def is_updated(self, pod: Object) -> bool:
        is_of_generation = labels(pod).get(GENERATION_LABEL) == self.generation
        return bool(self.generation and is_of_generation) or self.is_of_revision(pod)

    def is_of_revision(self, pod: Object) -> bool:
        return bool(self.revision) and labels(pod).get(REVISION_LABEL) == self.revision


class NodeState(msgspec.Struct):
    """The state of a DaemonSet on one node."""

    lacks: bool = False
    """Whether a pod has to be created."""
    doomed: list[Object] = msgspec.field(default_factory=list)
    """Pods that have to be deleted."""
    failed: list[Object] = msgspec.field(default_factory=list)
    """Failed pods, which are deleted with backoff."""
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    """Contribution of the node to the counts of the DaemonSet's status."""
    holds: bool = False
    """Whether the node counts towards `maxUnavailable` or `maxSurge` of a rollout."""
    outdated: Object | None = None
    """Pod that a rollout has yet to replace; None if there is none."""
    is_free: bool = False
    """Whether the outdated pod isn't available, so that it may be replaced at once."""
    is_eligible: bool = False
    """Whether the node would get a pod if it had none."""
    is_missing: bool = False
    """Whether the node no longer exists."""
    serves: bool = False
    """Whether a pod is available there; during a surge, the old pod counts."""
    matures_s: float | None = None
    """Time at which the next ready pod becomes available; None if there is none."""


def node_state(
    rules: DaemonRules, node: Object | None, pods: Sequence[Object], now_s: float
) -> NodeState:
    """Evaluate a node, None if it doesn't exist, with the pods on it and those created for it."""
    if node is None:
        # Pods that have been there are garbage, which the pod garbage collector collects.
        unscheduled = [pod for pod in pods if not node_name_of(pod) and not is_terminating(pod)]
        node_state = NodeState(doomed=unscheduled, is_missing=True)
    else:
        node_state = NodeState(is_eligible=rules.eligibility.may_start(node))
        if not rules.eligibility.may_stay(node):
            node_state.doomed += [pod for pod in pods if not is_terminating(pod)]
        elif node_state.is_eligible and not pods:
            node_state.lacks = True
        else:
            alive = [pod for pod in pods if not is_terminating(pod)]
            node_state.failed = [pod for pod in alive if phase_of(pod) == "Failed"]
            node_state.doomed = [pod for pod in alive if phase_of(pod) == "Succeeded"]
            ended = ("Failed", "Succeeded")
            running = sorted((pod for pod in alive if phase_of(pod) not in ended), key=seniority)
            if not rules.surges:
                node_state.doomed += running[1:]
            elif running:
                # The oldest old pod stays while it is ready, until the oldest new one is available.
                new = [pod for pod in running if rules.is_of_revision(pod)]
                old = [pod for pod in running if not rules.is_of_revision(pod)]
                node_state.doomed += new[1:] + old[1:]
                if new and old and (not is_ready(old[0]) or _is_available(rules, new[0], now_s)):
                    node_state.doomed.append(old[0])
            else:
                # When surging there always has to be a pod that isn't terminating.
                node_state.lacks = node_state.is_eligible
        if not node_state.is_eligible:
            node_state.counts = {"numberMisscheduled": int(bool(pods))}
        else:
            node_state.counts = {"desiredNumberScheduled": 1}
            if pods:
                oldest = min(pods, key=seniority)
                node_state.counts |= {
                    "currentNumberScheduled": 1,
                    "numberReady": int(is_ready(oldest)),
                    "numberAvailable": int(_is_available(rules, oldest, now_s)),
                    "updatedNumberScheduled": int(rules.is_updated(oldest)),
                }
    if node_state.is_eligible or pods:
        _put_rollout(node_state, rules, pods, now_s)
    moments_s = (available_from_s(pod, rules.min_ready_s) or 0.0 for pod in pods)
    node_state.matures_s = min((at_s for at_s in moments_s if at_s > now_s), default=None)
    return node_state


def _put_rollout(
    node_state: NodeState, rules: DaemonRules, pods: Sequence[Object], now_s: float
) -> None:
    alive = [pod for pod in pods if not is_terminating(pod)]
    new = [pod for pod in alive if rules.is_updated(pod)]
    old = [pod for pod in alive if not rules.is_updated(pod)]
    if len(new) > 1 or len(old) > 1:
        node_state.holds = True
        return
    serves = [_is_available(rules, pod, now_s) for pod in (*old, *new)]
    node_state.serves = any(serves[:1])
    if old and not new:
        node_state.outdated = old[0]
        node_state.is_free = not node_state.serves
        node_state.holds = node_state.is_free and not rules.surges
    elif rules.surges:
        node_state.holds = bool(old) and not serves[-1]
    else:
        node_state.holds = bool(old) or not node_state.serves


def _is_available(rules: DaemonRules, pod: Object, now_s: float) -> bool:
    from_s = available_from_s(pod, rules.min_ready_s)
    return from_s is not None and from_s <= now_s


def template_generation_of(daemon_set: Object) -> str:
    """Return the template generation of a DaemonSet by its deprecated annotation; may be empty."""
    return annotations(daemon_set).get(TEMPLATE_GENERATION, "")


class DaemonSetState:
    """The states of one DaemonSet on all nodes, and sums over them.

    Attributes:
        dirty: names of nodes to be evaluated again.
        orphans: namespaces and names of pods that the DaemonSet may have to adopt.
        holding: number of nodes that count towards the bounds of a rollout.
        serving: number of nodes on which a pod is available.
        acting: states of nodes where a pod has to be created or deleted.
        outdated: states of nodes with a pod that a rollout has yet to replace.
    """

    def __init__(self) -> None:
        self.rules: DaemonRules | None = None
        self.dirty: dict[str, None] = {}
        self.orphans: dict[tuple[str, str], None] = {}
        self.node_states: dict[str, NodeState] = {}
        self.counts: Counter[str] = Counter()
        self.holding = self.serving = 0
        self._maturing: list[tuple[float, str]] = []
        self._basis: tuple[str, Object, str, str] | None = None
        self.acting: dict[str, NodeState] = {}
        self.outdated: dict[str, NodeState] = {}

    def update_rules(self, daemon_set: Object, revision: str) -> bool:
        """Derive the rules from the DaemonSet, and return whether they have changed."""
        spec, generation = daemon_set["spec"], template_generation_of(daemon_set)
        basis = (uid_of(daemon_set), spec, revision, generation)
        if basis == self._basis:
            return False
        self._basis = basis
        pod_spec = tolerant(spec_of(part(spec, "template")))
        self.rules = DaemonRules(
            eligibility=Eligibility(pod_spec),
            revision=revision,
            generation=generation,
            min_ready_s=min_ready_s(daemon_set),
            surges=rollout_bound(daemon_set, "maxSurge", 100) > 0,
        )
        return True

    def put(self, node_name: str, node_state: NodeState | None) -> None:
        """Set the state of a node; None if neither the node nor a pod on it exists."""
        before = self.node_states.pop(node_name, None)
        self.acting.pop(node_name, None)
        self.outdated.pop(node_name, None)
        if before is not None:
            self.counts.subtract(before.counts)
            self.holding -= before.holds
            self.serving -= before.serves
        if node_state is None:
            return
        self.node_states[node_name] = node_state
        self.counts.update(node_state.counts)
        self.holding += node_state.holds
        self.serving += node_state.serves
        if node_state.matures_s is not None:
            heapq.heappush(self._maturing, (node_state.matures_s, node_name))
        if node_state.lacks or node_state.doomed or node_state.failed:
            self.acting[node_name] = node_state
        if node_state.outdated is not None:
            self.outdated[node_name] = node_state

    def mark_matured(self, now_s: float) -> None:
        """Mark nodes dirty on which a ready pod has become available by now."""
        while self._maturing and self._maturing[0][0] <= now_s:
            self.dirty[heapq.heappop(self._maturing)[1]] = None

    def to_replace(self, limit: int) -> Iterator[tuple[str, Object]]:
        """Yield node names and the pods that a rolling update deletes now, oldest pods first."""
        room = max(limit - self.holding, 0)
        for node_name, node_state in self._outdated_by_age():
            assert node_state.outdated is not None
            if not node_state.is_free:
                if not room:
                    continue
                room -= 1
            yield node_name, node_state.outdated

    def to_surge(self, limit: int, desired: int) -> Iterator[tuple[str, Object | None]]:
        """Yield the names of nodes and a pod to delete, or None to create a pod beside the old one.

        Nothing is yielded while an old pod is on a node that no longer exists. On a node that isn't
        eligible, an available old pod is deleted if more pods than desired are available.
        """
        if any(node_state.is_missing for node_state in self.outdated.values()):
            return
        room, spare = max(limit - self.holding, 0), max(self.serving - desired, 0)
        for node_name, node_state in self._outdated_by_age():
            if node_state.is_eligible:
                if node_state.is_free or room:
                    room -= not node_state.is_free
                    yield node_name, None
            elif node_state.is_free or spare:
                spare -= not node_state.is_free
                yield node_name, node_state.outdated

    def _outdated_by_age(self) -> Sequence[tuple[str, NodeState]]:
        # Upstream goes by a map, which hands out few pods in the order in which they came.
        def age(outdated: tuple[str, NodeState]) -> tuple[str, str]:
            created = metadata_of(outdated[1].outdated or {}).get("creationTimestamp")
            return str(created or ""), outdated[0]

        return sorted(self.outdated.items(), key=age)


def rollout_bound(daemon_set: Object, field: str, desired: int) -> int:
    """Return `maxUnavailable` or `maxSurge` in nodes, rounded up; 0 for the strategy OnDelete."""
    strategy = update_strategy_of(daemon_set)
    if strategy.get("type") != "RollingUpdate":
        return 0
    return scaled(part(strategy, "rollingUpdate").get(field) or 0, desired)
