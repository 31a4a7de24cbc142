"""One pod's decision, all of it.

A pod that waits, or that the changes bring, is explained at its turn, after those before it in the
queue: as `planning.plan` decides it. A pod that has a place is taken off it first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from podium.api.errors import PodiumError
from podium.api.meta import is_finished, is_terminating, key, name
from podium.api.priority import pod_priority, preemption_policy
from podium.core.decision import Decision
from podium.core.explanation import Explanation, explain, failure_message
from podium.core.status import Status
from podium.plan.blockers import Blocker, blockers
from podium.plan.freed_ports import FreedPort, freed_ports
from podium.plan.outcome import PreemptionOutcome
from podium.plan.preparing import Prepared, Request, prepare
from podium.plan.queue import scheduler_name
from podium.plan.session import Session
from podium.plan.state import node_name
from podium.plugins.inter_pod_affinity import InterPodAffinity

Object = Mapping[str, Any]

_ALL = 1 << 62


class ExplainError(PodiumError):
    """The pod can't be explained."""


@dataclass(frozen=True, slots=True)
class PreemptionView:
    """What preemption came to.

    Attributes:
        is_eligible: whether the pod may preempt at all.
        message: why there is no candidate, or why it isn't eligible.
        outcome: the node that was chosen and all other candidates; None if there is none.
        rejected: the nodes whose dry run failed, with what stood in the way.
    """

    is_eligible: bool
    message: str
    outcome: PreemptionOutcome | None
    rejected: Mapping[str, Status]


@dataclass(frozen=True, slots=True)
class DecisionView:
    """A decision as it was at its time.

    Attributes:
        node: the node that was chosen; empty if none.
        error: why the cycle ended in an error.
        message: as in kube-scheduler's FailedScheduling event; empty if a node was chosen.
        gate: the refusal of PreEnqueue.
        pre_filter: the refusal of PreFilter.
        is_nominated_only: the nominated node fitted, and no other was looked at.
        explanation: nodes, scores, and what is best.
        preemption: None if it wasn't tried.
        blockers: pods on other nodes that anti-affinity is about.
        freed_ports: ports that the pod wants and that count as free although a pod holds them.
    """

    node: str
    error: str
    message: str
    gate: Status | None
    pre_filter: Status | None
    is_nominated_only: bool
    explanation: Explanation
    preemption: PreemptionView | None
    blockers: tuple[Blocker, ...]
    freed_ports: tuple[FreedPort, ...]


@dataclass(frozen=True, slots=True)
class PodExplanation:
    """A pod and its decisions.

    Attributes:
        pod: the pod.
        priority: of the pod.
        preemption_policy: whether it may preempt.
        scheduler_name: the profile that decided.
        was_on: the node that it is on in truth; empty if none.
        decisions: in order; more than one where it preempted, or was tried again.
        warnings: what may make the answer wrong.
        notes: what else is worth knowing.
    """

    pod: str
    priority: int
    preemption_policy: str
    scheduler_name: str
    was_on: str
    decisions: tuple[DecisionView, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def explain_pod(request: Request, pod_key: str) -> PodExplanation:
    """Explain the decision about a pod.

    Args:
        request: state and changes.
        pod_key: `namespace/name`.

    Raises:
        ExplainError: there is no such pod, or it is none to be scheduled.
        TargetError: something to delete isn't there.
    """
    prepared = prepare(request)
    pod = _find(prepared, pod_key)
    was_on = node_name(pod)
    watcher = _Watcher(pod_key)
    if was_on:
        prepared.arrivals = [new for new in prepared.arrivals if key(new) != pod_key]
        prepared.after.put(_unbound(pod))
    session = Session(prepared, request, watcher)
    watcher.session = session
    _check_scheduler(pod, session)
    if was_on:
        session.decide_alone(pod_key)
    else:
        session.decide_all()
    return PodExplanation(
        pod=pod_key,
        priority=pod_priority(pod),
        preemption_policy=preemption_policy(pod),
        scheduler_name=scheduler_name(pod),
        was_on=was_on,
        decisions=tuple(watcher.views),
        warnings=tuple(prepared.warnings),
        notes=tuple(prepared.notes),
    )


class _Watcher:
    """Takes down the decisions about one pod."""

    def __init__(self, pod_key: str) -> None:
        self.views: list[DecisionView] = []
        self.session: Session | None = None
        self._pod_key = pod_key

    def __call__(self, decision: Decision) -> None:
        if self.session is not None and decision.pod.key == self._pod_key:
            self.views.append(_view(decision, self.session))


def _view(decision: Decision, session: Session) -> DecisionView:
    snapshot = session.scheduler.snapshot
    explanation = explain(decision, snapshot)
    closed = [
        node
        for node, status in explanation.filter.items()
        if status.plugin == InterPodAffinity.name and "anti-affinity" in status.message
    ]
    return DecisionView(
        node=decision.node_name,
        error=decision.error,
        message="" if decision.node_name else failure_message(decision, snapshot),
        gate=decision.gate,
        pre_filter=decision.pre_filter,
        is_nominated_only=decision.nominated_only,
        explanation=explanation,
        preemption=_preemption_view(decision, explanation, session),
        blockers=tuple(blockers(snapshot, session.scheduler.listers, decision.pod, closed)),
        freed_ports=tuple(freed_ports(snapshot, decision.pod)),
    )


def _preemption_view(
    decision: Decision, explanation: Explanation, session: Session
) -> PreemptionView | None:
    preemption = decision.preemption
    if preemption is None:
        return None
    outcome = None
    if preemption.node_name:
        outcome = session.reader.outcome(decision.pod, preemption, _ALL)
    return PreemptionView(preemption.eligible, preemption.message, outcome, explanation.rejected)


def _find(prepared: Prepared, pod_key: str) -> Object:
    place, _, called = pod_key.partition("/")
    pod = prepared.after.get("Pod", place, called)
    if pod is None:
        raise ExplainError(_why_missing(prepared, pod_key))
    if is_finished(pod):
        raise ExplainError(f"{pod_key} has finished: there is nothing to schedule any more")
    if is_terminating(pod) and not node_name(pod):
        raise ExplainError(f"{pod_key} is being deleted and won't be scheduled")
    return pod


def _why_missing(prepared: Prepared, pod_key: str) -> str:
    for rejected in prepared.rejected:
        if rejected.object == f"Pod {pod_key}":
            return rejected.message
    for removed in prepared.removed:
        if removed.pod == pod_key:
            return f"{pod_key} {removed.reason}"
    pods = {name(pod): key(pod) for pod in prepared.after.pods}
    similar = get_close_matches(pod_key.partition("/")[2], pods, n=5, cutoff=0.7)
    hint = f"; similar are {', '.join(pods[one] for one in similar)}" if similar else ""
    return f"there is no pod {pod_key}{hint}"


def _unbound(pod: Object) -> Object:
    """The pod as it was before it had a place."""
    spec = {field: value for field, value in pod["spec"].items() if field != "nodeName"}
    return {**pod, "spec": spec, "status": {"phase": "Pending"}}


def _check_scheduler(pod: Object, session: Session) -> None:
    profiles = session.scheduler.pipelines
    if scheduler_name(pod) not in profiles:
        names = ", ".join(profiles)
        raise ExplainError(
            f"{key(pod)} asks for the scheduler {scheduler_name(pod)}; the profiles are {names}"
        )
