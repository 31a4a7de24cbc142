"""Decide the pods of a scenario, and report in the format of the records.

Without `sequence` each pod is decided against the scenario's own state. With it every decision
changes the state: the pod is bound to the smallest name among the best nodes, and what it needs of
volumes is reserved; a preemption's victims vanish, the pod is nominated and decided once more.
"""

from collections.abc import Iterator
from typing import NotRequired

import msgspec
from msgspec.structs import replace
from typing_extensions import TypedDict

from podium.api.errors import InvalidValueError
from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.interface import PreemptionResult
from podium.scheduler.framework.status import Code, StatusReport
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.simulation.decide.scenario import Scenario

# Nothing happens in a scenario that would end a wait.
_NO_CLOCK_S = 0.0


class Decided(msgspec.Struct, frozen=True):
    """One decision of a scenario.

    Attributes:
        bound: the node that the pod was bound to; only in a sequence.
    """

    decision: Decision
    explanation: Explanation
    bound: str = ""


def decide(scenario: Scenario) -> Iterator[Decided]:
    """The decisions, in order; in a sequence a preemptor has two."""
    scheduler = Scheduler(scenario.configuration, every_node=True)
    scheduler.load(scenario.nodes, scenario.pods, scenario.others)
    scheduler.budgets.replace(Budget.of(pdb) for pdb in scenario.budgets)
    for obj in scenario.pending:
        pod = scheduler.pending(obj)
        if scenario.sequence:
            profile = scenario.scheduler_name
            first = _decided(scheduler, pod, profile)
            yield _bound(scheduler, first, profile)
            scheduler.preempt(first.decision)
            preemption = first.decision.preemption
            if preemption is not None and preemption.node_name:
                yield _bound(scheduler, _decided(scheduler, pod, profile), profile)
        else:
            yield _decided(scheduler, pod, scenario.scheduler_name)
            scheduler.nominator.withdraw(pod)


def _bound(scheduler: Scheduler, decided: Decided, profile: str) -> Decided:
    node_name = decided.decision.node_name
    if node_name:
        status = scheduler.commit(decided.decision.pod, node_name, profile, _NO_CLOCK_S)
        if not status.is_success and status.code is not Code.WAIT:
            node_name = ""
    return Decided(decided.decision, decided.explanation, node_name)


def _decided(scheduler: Scheduler, pod: PodInfo, profile: str) -> Decided:
    try:
        decision = scheduler.decide(pod, profile)
    except InvalidValueError as error:
        raise error.under(f"Pod {pod.key}") from None
    decision = _with_preemption(scheduler, decision, profile)
    return Decided(decision, explain(decision, scheduler.snapshot))


def _with_preemption(scheduler: Scheduler, decision: Decision, profile: str) -> Decision:
    """The decision with what DefaultPreemption says, which isn't asked where another one failed."""
    evaluation, outcome, blame = decision.evaluation, decision.outcome, decision.blame
    if decision.error or decision.preemption is not None:
        return decision
    if evaluation is None or outcome is None or blame is None:
        return decision
    pipeline = scheduler.pipelines[profile]
    filtered = NodeToStatus(scheduler.snapshot, pipeline.pre_filter, evaluation, outcome, blame)
    for plugin in pipeline.post_filter:
        answer = plugin.post_filter(decision.pod, filtered)
        if isinstance(answer, Preemption):
            return replace(decision, post_filter=answer, preemption=answer)
    return decision


class CandidateReport(TypedDict):
    """A node on which preemption would make room; its victims, the most important first."""

    node: str
    victims: list[str]
    pdbViolations: int


class PreemptionReport(TypedDict):
    """What preemption came to; `selected` are the candidates that nothing tells apart."""

    eligible: bool
    message: str
    candidates: list[CandidateReport]
    selected: list[str]
    nominated: str
    rejected: dict[str, StatusReport]
    clearsNomination: bool
    clearedPods: list[str]


class DecisionReport(TypedDict):
    """One decision; `filter`, `scores` and `rejected` are by node."""

    pod: str
    prefilter: StatusReport | None
    filter: dict[str, StatusReport]
    feasible: list[str]
    scores: dict[str, dict[str, int]]
    best: list[str]
    preemption: PreemptionReport | None
    bound: str
    error: NotRequired[str]
    preenqueue: NotRequired[StatusReport]
    nominatedOnly: NotRequired[bool]


class ScenarioAnswer(TypedDict):
    """The answer to one scenario; `error` says why there are no decisions."""

    id: str
    error: str
    decisions: list[DecisionReport]


def decision_report(decided: Decided) -> DecisionReport:
    """One decision."""
    decision, explanation = decided.decision, decided.explanation
    answer: DecisionReport = {
        "pod": decision.pod.key,
        "prefilter": None if decision.pre_filter is None else decision.pre_filter.report(),
        "filter": {node: status.report() for node, status in explanation.filter.items()},
        "feasible": list(explanation.feasible),
        "scores": {
            node: {**scores, "total": explanation.totals[node]}
            for node, scores in explanation.scores.items()
        },
        "best": list(explanation.best),
        "preemption": _preemption(decision.preemption, explanation),
        "bound": decided.bound,
    }
    if decision.error:
        answer["error"] = decision.error
    if decision.gate is not None:
        answer["preenqueue"] = decision.gate.report()
    if decision.nominated_only:
        answer["nominatedOnly"] = True
    return answer


def _preemption(
    preemption: PreemptionResult | None, explanation: Explanation
) -> PreemptionReport | None:
    if preemption is None:
        return None
    return {
        "eligible": preemption.eligible,
        "message": preemption.message,
        "candidates": [
            {
                "node": candidate.node_name,
                "victims": [victim.key for victim in candidate.victims],
                "pdbViolations": candidate.pdb_violations,
            }
            for candidate in explanation.candidates
        ],
        "selected": list(explanation.selected),
        "nominated": preemption.node_name,
        "rejected": {node: status.report() for node, status in explanation.rejected.items()},
        "clearsNomination": preemption.clears_nomination,
        "clearedPods": [pod.key for pod in preemption.cleared],
    }
