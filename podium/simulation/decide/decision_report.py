"""Decisions in the format of the records."""

from typing import NotRequired

from typing_extensions import TypedDict

from podium.scheduler.explain.explanation import Explanation
from podium.scheduler.framework.interface import PreemptionResult
from podium.scheduler.framework.status import StatusReport
from podium.simulation.decide.decisions import Decided


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
