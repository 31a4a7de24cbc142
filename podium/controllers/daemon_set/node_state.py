"""How a DaemonSet stands on one node: what is to be created and deleted there, and what counts.

The rules are those of v1.36's podsShouldBeOnNode, rollingUpdate and updateDaemonSetStatus, each of
which goes over all nodes; here each node is judged when something about it has changed.
"""

from collections.abc import Sequence

import msgspec

from podium.api.objects import Object, annotations, is_terminating, labels
from podium.api.pods import is_ready, node_name_of, phase_of
from podium.controllers.daemon_set.eligibility import Eligibility, seniority
from podium.controllers.kit.controller_revisions import REVISION_LABEL
from podium.controllers.kit.workload_fields import available_from_s

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
GENERATION_LABEL = "pod-template-generation"


class DaemonRules(msgspec.Struct, frozen=True):
    """The rules by which a DaemonSet judges each node and its pods.

    Attributes:
        eligibility: which nodes get a pod.
        revision: the hash of its template.
        generation: of its template, as pods are labelled with it; empty if that isn't said.
        min_ready_s: for how long a pod must have been ready to be available.
        surges: whether new pods come before the old ones go.
    """

    eligibility: Eligibility
    revision: str
    generation: str
    min_ready_s: int
    surges: bool

    def is_updated(self, pod: Object) -> bool:
        """Whether a pod is of the template as it is."""
        carried = labels(pod)
        if self.generation and carried.get(GENERATION_LABEL) == self.generation:
            return True
        return self.is_of_revision(pod)

    def is_of_revision(self, pod: Object) -> bool:
        """Whether a pod is labelled with the hash of the template as it is."""
        return bool(self.revision) and labels(pod).get(REVISION_LABEL) == self.revision


class NodeState(msgspec.Struct):
    """The state of a DaemonSet on one node: what to do there, and what counts.

    Attributes:
        lacks: whether a pod is to be created.
        doomed: pods to be deleted.
        failed: of these, the ones that have failed.
        counts: what the node adds to the status.
        holds: whether it takes up one of the nodes that a rollout may have changing at a time.
        outdated: the pod that a rollout has yet to replace.
        is_free: whether that may be done at once, as the pod isn't available.
        is_eligible: whether the node would get a pod if it had none.
        is_missing: whether there is no such node any more.
        serves: whether a pod is available there; while a rollout surges, the old one counts.
        matures_s: from when on another pod is available; None if none is to become so by itself.
    """

    lacks: bool = False
    doomed: list[Object] = msgspec.field(default_factory=list)
    failed: list[Object] = msgspec.field(default_factory=list)
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    holds: bool = False
    outdated: Object | None = None
    is_free: bool = False
    is_eligible: bool = False
    is_missing: bool = False
    serves: bool = False
    matures_s: float | None = None


def node_state(
    rules: DaemonRules, node: Object | None, pods: Sequence[Object], now_s: float
) -> NodeState:
    """How things stand on a node.

    Args:
        rules: what is wanted.
        node: None if there is none of the name that the pods are for.
        pods: the DaemonSet's, on the node or made for it, whatever has become of them.
        now_s: the time.
    """
    if node is None:
        # Pods that have been there are garbage, which somebody else collects.
        unscheduled = [pod for pod in pods if not node_name_of(pod) and not is_terminating(pod)]
        node_state = NodeState(doomed=unscheduled, is_missing=True)
    else:
        node_state = NodeState(is_eligible=rules.eligibility.may_start(node))
        if not rules.eligibility.may_stay(node):
            node_state.doomed += [pod for pod in pods if not is_terminating(pod)]
        elif node_state.is_eligible and not pods:
            node_state.lacks = True
        else:
            _manage(node_state, rules, pods, now_s)
        node_state.counts = _counts(rules, pods, now_s, wanted=node_state.is_eligible)
    if node_state.is_eligible or pods:
        _put_rollout(node_state, rules, pods, now_s)
    node_state.matures_s = _next_available_s(rules, pods, now_s)
    return node_state


def _manage(
    node_state: NodeState, rules: DaemonRules, pods: Sequence[Object], now_s: float
) -> None:
    """Finished pods go, and what is too much."""
    alive = [pod for pod in pods if not is_terminating(pod)]
    phases = [phase_of(pod) for pod in alive]
    finished = [pod for pod, phase in zip(alive, phases, strict=True) if phase == "Succeeded"]
    node_state.failed = [pod for pod, phase in zip(alive, phases, strict=True) if phase == "Failed"]
    running = sorted(
        (pod for pod in alive if pod not in finished and pod not in node_state.failed),
        key=seniority,
    )
    node_state.doomed += finished
    if not rules.surges:
        node_state.doomed += running[1:]
    elif running:
        node_state.doomed += _surplus_of_surge(rules, running, now_s)
    else:
        # When surging there always has to be one that isn't on its way out.
        node_state.lacks = node_state.is_eligible


def _surplus_of_surge(rules: DaemonRules, running: list[Object], now_s: float) -> list[Object]:
    """All but the oldest old pod, while it is ready, and the oldest new one, until it serves."""
    new = [pod for pod in running if rules.is_of_revision(pod)]
    old = [pod for pod in running if not rules.is_of_revision(pod)]
    surplus = new[1:] + old[1:]
    if new and old and (not is_ready(old[0]) or _is_available(rules, new[0], now_s)):
        surplus.append(old[0])
    return surplus


def _counts(
    rules: DaemonRules, pods: Sequence[Object], now_s: float, *, wanted: bool
) -> dict[str, int]:
    if not wanted:
        return {"numberMisscheduled": int(bool(pods))}
    counts = {"desiredNumberScheduled": 1}
    if pods:
        oldest = min(pods, key=seniority)
        counts["currentNumberScheduled"] = 1
        counts["numberReady"] = int(is_ready(oldest))
        counts["numberAvailable"] = int(_is_available(rules, oldest, now_s))
        counts["updatedNumberScheduled"] = int(rules.is_updated(oldest))
    return counts


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


def _next_available_s(rules: DaemonRules, pods: Sequence[Object], now_s: float) -> float | None:
    moments = (available_from_s(pod, rules.min_ready_s) for pod in pods)
    return min((at_s for at_s in moments if at_s is not None and at_s > now_s), default=None)


def template_generation_of(daemon_set: Object) -> str:
    """The generation of a DaemonSet's template, which the API server counts."""
    return annotations(daemon_set).get(TEMPLATE_GENERATION, "")
