"""A decision in full: every node, every plugin, every candidate.

A decision refers to what is kept by class of pods, which goes on changing: explain it right after
it was made.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.evaluation.nominated_pods import with_rivals
from podium.scheduler.framework.interface import FITS, PreemptionResult
from podium.scheduler.framework.status import Status, unresolvable
from podium.scheduler.preemption.dry_run import NO_VICTIMS, NO_VICTIMS_REASON
from podium.scheduler.preemption.result import Preemption
from podium.scheduler.snapshot.arrays import Codes, Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class Candidate(msgspec.Struct, frozen=True):
    """A node on which preemption would make room.

    Attributes:
        victims: who would have to go, the most important first.
        pdb_violations: how many of them break a budget.
    """

    node_name: str
    victims: tuple[PodInfo, ...]
    pdb_violations: int


class Explanation(msgspec.Struct, frozen=True):
    """A decision in full: every node, every plugin, every candidate.

    Attributes:
        filter: the nodes that don't fit, with what the first objecting plugin said.
        feasible: the nodes that fit, by name.
        scores: of feasible nodes, each plugin's weighted, normalised score.
        totals: of feasible nodes, their sum.
        best: all nodes of the highest total, by name.
        candidates: the nodes on which preemption would make room, by name.
        rejected: the nodes whose dry run failed, with what stood in the way.
        selected: the candidates that the choice could not tell apart, by name.
    """

    filter: Mapping[str, Status] = msgspec.field(default_factory=dict)
    feasible: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, int]] = msgspec.field(default_factory=dict)
    totals: Mapping[str, int] = msgspec.field(default_factory=dict)
    best: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    rejected: Mapping[str, Status] = msgspec.field(default_factory=dict)
    selected: tuple[str, ...] = ()


def explain(decision: Decision, snapshot: Snapshot) -> Explanation:
    """Explain a decision that was just made over this snapshot."""
    evaluation = decision.evaluation
    if evaluation is None:
        return Explanation()
    feasible, refused = _rows(decision, evaluation, snapshot)
    scores = _scores(evaluation, feasible, snapshot)
    totals = {node: sum(by_plugin.values()) for node, by_plugin in scores.items()}
    highest = max(totals.values(), default=0)
    preemption = decision.preemption
    return Explanation(
        filter=refused,
        feasible=tuple(sorted(snapshot.names[row] for row in feasible)),
        scores=scores,
        totals=totals,
        best=tuple(sorted(node for node, total in totals.items() if total == highest)),
        candidates=_candidates(preemption, snapshot),
        rejected=_rejected(preemption, evaluation, snapshot),
        selected=_selected(preemption, snapshot),
    )


def _rows(
    decision: Decision, evaluation: Evaluation, snapshot: Snapshot
) -> tuple[Rows, dict[str, Status]]:
    if decision.nominated_only:
        return np.array([decision.row]), {}
    if decision.pre_filter is not None:
        return np.zeros(0, np.intp), {}
    filtering = evaluation.filtering
    outcome, blame = _outcome(decision, filtering)
    looked_at = True if decision.visited is None else decision.visited
    refused = {
        snapshot.names[row]: filtering.status(int(blame[row]), int(outcome[row]), row)
        for row in np.flatnonzero((outcome != FITS) & looked_at).tolist()
    }
    return np.flatnonzero((outcome == FITS) & looked_at), refused


def _outcome(decision: Decision, filtering: Filtering) -> tuple[Codes, Codes]:
    if decision.outcome is not None and decision.blame is not None:
        return decision.outcome, decision.blame
    if decision.rivals:
        outcome, blame = with_rivals(filtering, decision.rivals)
    else:
        outcome, blame = filtering.outcome.copy(), filtering.blame.copy()
    filtering.judge_nominated(decision.pod.nominated_node_name, outcome, blame)
    return outcome, blame


def _scores(
    evaluation: Evaluation, feasible: Rows, snapshot: Snapshot
) -> dict[str, dict[str, int]]:
    if not len(feasible) or evaluation.scoring.error is not None:
        return {}
    columns = {
        plugin: scores.tolist() for plugin, scores in evaluation.scoring.by_plugin(feasible).items()
    }
    return {
        snapshot.names[row]: {plugin: scores[place] for plugin, scores in columns.items()}
        for place, row in enumerate(feasible.tolist())
    }


def _candidates(preemption: PreemptionResult | None, snapshot: Snapshot) -> tuple[Candidate, ...]:
    if not isinstance(preemption, Preemption) or preemption.run is None:
        return ()
    run = preemption.run
    found = [
        Candidate(snapshot.names[row], run.victims[row], int(run.violations[row]))
        for row in preemption.candidate_rows.tolist()
    ]
    return tuple(sorted(found, key=lambda candidate: candidate.node_name))


def _rejected(
    preemption: PreemptionResult | None, evaluation: Evaluation, snapshot: Snapshot
) -> dict[str, Status]:
    if not isinstance(preemption, Preemption) or preemption.run is None:
        return {}
    run, filtering = preemption.run, evaluation.filtering
    return {
        snapshot.names[row]: unresolvable(NO_VICTIMS_REASON)
        if run.blame[row] == NO_VICTIMS
        else filtering.status(int(run.blame[row]), int(run.outcome[row]), row)
        for row in np.flatnonzero(preemption.is_rejected).tolist()
    }


def _selected(preemption: PreemptionResult | None, snapshot: Snapshot) -> tuple[str, ...]:
    if not isinstance(preemption, Preemption) or preemption.choice is None:
        return ()
    return tuple(sorted(snapshot.names[row] for row in preemption.choice.selected.tolist()))
