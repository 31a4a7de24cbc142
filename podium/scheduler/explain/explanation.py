"""A decision in full: every node, every plugin, every candidate.

A decision refers to evaluations that follow the cluster, so it has to be explained at once.
"""

from collections.abc import Mapping

import msgspec
import numpy as np
from msgspec.structs import replace

from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.scheduling_cycle import outcome_of
from podium.scheduler.framework.interface import FITS
from podium.scheduler.framework.status import Status, unresolvable
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.preemption.dry_run import NO_VICTIMS, NO_VICTIMS_REASON
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class Candidate(msgspec.Struct, frozen=True):
    """A node where preemption would help, with its victims, the most important first."""

    node_name: str
    victims: tuple[PodInfo, ...]
    pdb_violations: int


class Explanation(msgspec.Struct, frozen=True):
    """A decision in full: every node, every plugin, every candidate."""

    filter: Mapping[str, Status] = msgspec.field(default_factory=dict)
    """By node that doesn't fit, the status of the first filter that refused it."""
    feasible: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, int]] = msgspec.field(default_factory=dict)
    """By feasible node and plugin, the weighted, normalised score."""
    totals: Mapping[str, int] = msgspec.field(default_factory=dict)
    best: tuple[str, ...] = ()
    """All nodes with the highest total score, sorted by name."""
    candidates: tuple[Candidate, ...] = ()
    rejected: Mapping[str, Status] = msgspec.field(default_factory=dict)
    """By node where the dry run failed, why the pod doesn't fit even without other pods that it may
    preempt."""
    selected: tuple[str, ...] = ()
    """The candidates that are equal by all keys of the choice, sorted by name."""


def explain(decision: Decision, snapshot: Snapshot) -> Explanation:
    """Explain a decision that was just made over this snapshot."""
    evaluation, names = decision.evaluation, snapshot.names
    if evaluation is None:
        return Explanation()
    filtering = evaluation.filtering
    refused: dict[str, Status] = {}
    feasible: Rows = np.zeros(0, np.intp)
    if decision.nominated_only:
        feasible = np.array([decision.row])
    elif decision.pre_filter is None:
        outcome, blame = decision.outcome, decision.blame
        if outcome is None or blame is None:
            outcome, blame = outcome_of(decision.pod, evaluation)
        looked_at = True if decision.visited is None else decision.visited
        feasible = np.flatnonzero((outcome == FITS) & looked_at)
        refused = {
            names[row]: filtering.status(int(blame[row]), int(outcome[row]), row)
            for row in np.flatnonzero((outcome != FITS) & looked_at).tolist()
        }
    scores: dict[str, dict[str, int]] = {}
    if len(feasible) and (scoring := evaluation.scoring).error is None:
        columns = {p: of_rows.tolist() for p, of_rows in scoring.by_plugin(feasible).items()}
        scores = {
            names[row]: {plugin: of_rows[place] for plugin, of_rows in columns.items()}
            for place, row in enumerate(feasible.tolist())
        }
    totals = {node: sum(by_plugin.values()) for node, by_plugin in scores.items()}
    highest = max(totals.values(), default=0)
    preemption = decision.preemption
    explanation = Explanation(
        filter=refused,
        feasible=tuple(sorted(names[row] for row in feasible)),
        scores=scores,
        totals=totals,
        best=tuple(sorted(node for node, total in totals.items() if total == highest)),
    )
    if not isinstance(preemption, Preemption) or (run := preemption.run) is None:
        return explanation
    candidates = [
        Candidate(names[row], run.victims_on(row), int(run.violations[row]))
        for row in preemption.candidate_rows.tolist()
    ]
    selected = [] if preemption.choice is None else preemption.choice.selected.tolist()
    return replace(
        explanation,
        candidates=tuple(sorted(candidates, key=lambda candidate: candidate.node_name)),
        rejected={
            names[row]: unresolvable(NO_VICTIMS_REASON)
            if run.blame[row] == NO_VICTIMS
            else filtering.status(int(run.blame[row]), int(run.outcome[row]), row)
            for row in np.flatnonzero(preemption.is_rejected).tolist()
        },
        selected=tuple(sorted(names[row] for row in selected)),
    )
