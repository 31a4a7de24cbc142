"""Decisions in the format of the records."""

from typing import Any

from podium.core.explanation import Explanation
from podium.core.preemption.result import Preemption
from podium.core.status import Status
from podium.decide.deciding import Decided

Json = dict[str, Any]


def decision_json(decided: Decided) -> Json:
    """One decision."""
    decision, explanation = decided.decision, decided.explanation
    answer: Json = {
        "pod": decision.pod.key,
        "prefilter": _status(decision.pre_filter),
        "filter": {node: _status(status) for node, status in explanation.filter.items()},
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
        answer["preenqueue"] = _status(decision.gate)
    if decision.nominated_only:
        answer["nominatedOnly"] = True
    return answer


def _status(status: Status | None) -> Json | None:
    if status is None:
        return None
    return {
        "plugin": status.plugin,
        "code": status.code.value,
        "reasons": list(status.reasons),
    }


def _preemption(preemption: Preemption | None, explanation: Explanation) -> Json | None:
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
        "rejected": {node: _status(status) for node, status in explanation.rejected.items()},
        "clearsNomination": preemption.clears_nomination,
        "clearedPods": [pod.key for pod in preemption.cleared],
    }
