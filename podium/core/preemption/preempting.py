"""PostFilter: from a pod that fits nowhere to the node it is nominated to."""

import numpy as np

from podium.core.budget_columns import BudgetColumns
from podium.core.diagnosis import Histogram, nodes_available_message
from podium.core.evaluation import Evaluation
from podium.core.framework import Codes, Rows
from podium.core.nominator import Nominator
from podium.core.pods import PodInfo
from podium.core.preemption.candidates import CandidateLimit
from podium.core.preemption.choice import choose
from podium.core.preemption.dry_run import NO_VICTIMS, DryRun
from podium.core.preemption.eligibility import ineligible
from podium.core.preemption.importance import Importance
from podium.core.preemption.result import Preemption
from podium.core.recent import Recent
from podium.core.snapshot import Snapshot

DRY_RUNS_MAX = 256
NO_VICTIMS_REASON = "No preemption victims found for incoming pod"
NOT_HELPFUL_REASON = "Preemption is not helpful for scheduling"


class Preemptor:
    """Preemption for the pods of one scheduler; dry runs are kept by class of pods."""

    def __init__(
        self,
        snapshot: Snapshot,
        nominator: Nominator,
        budgets: BudgetColumns,
        importance: Importance,
        limit: CandidateLimit | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._nominator = nominator
        self._budgets = budgets
        self._importance = importance
        self._limit = limit
        self._runs: Recent[int, DryRun] = Recent(DRY_RUNS_MAX)

    def preempt(self, pod: PodInfo, evaluation: Evaluation, outcome: Codes) -> Preemption:
        """Look for a node where preemption helps.

        Args:
            pod: it fits nowhere.
            evaluation: of its class.
            outcome: int32[capacity], the filters' codes, nominated pods counted.
        """
        own_row = self._snapshot.row_of.get(pod.nominated_node_name, -1)
        reason = ineligible(pod, self._snapshot, int(outcome[own_row]) if own_row >= 0 else 0)
        if reason:
            return Preemption(eligible=False, message=reason)
        potential = np.flatnonzero(outcome > 0)
        run = self._run_of(pod, evaluation)
        run.update(pod, potential)
        if self._limit is not None and len(potential):
            potential = self._limit.shortlist(run, potential)
        is_candidate = run.is_candidate[potential]
        candidates, rejected = potential[is_candidate], potential[~is_candidate]
        if not len(candidates):
            return Preemption(
                eligible=True,
                message=self._no_candidate(evaluation, run, rejected),
                rejected_rows=rejected,
                run=run,
                clears_nomination=True,
            )
        return self._nominate(pod, run, candidates, rejected)

    def forget_classes(self) -> None:
        """Classes get other numbers."""
        self._runs = Recent(DRY_RUNS_MAX)
        self._budgets.forget_classes()

    def _nominate(self, pod: PodInfo, run: DryRun, candidates: Rows, rejected: Rows) -> Preemption:
        choice = choose(run, candidates)
        row = int(choice.selected[self._snapshot.ranks()[choice.selected].argmin()])
        node_name = self._snapshot.names[row]
        nominated = self._nominator.on(node_name)
        return Preemption(
            eligible=True,
            candidate_rows=candidates,
            rejected_rows=rejected,
            run=run,
            choice=choice,
            node_name=node_name,
            victims=run.victims[row],
            pdb_violations=int(run.violations[row]),
            cleared=tuple(n for n in nominated if n.priority < pod.priority),
        )

    def _run_of(self, pod: PodInfo, evaluation: Evaluation) -> DryRun:
        run = self._runs.get(pod.cls.id)
        if run is None or run.evaluation is not evaluation:
            run = DryRun(
                evaluation, self._snapshot, self._nominator, self._budgets, self._importance
            )
            self._runs.put(pod.cls.id, run)
        return run

    def _no_candidate(self, evaluation: Evaluation, run: DryRun, rejected: Rows) -> str:
        reasons = Histogram()
        reasons.add_rows(evaluation.filtering, rejected, run.outcome[rejected], run.blame[rejected])
        reasons.add(NO_VICTIMS_REASON, int((run.blame[rejected] == NO_VICTIMS).sum()))
        reasons.add(NOT_HELPFUL_REASON, self._snapshot.node_count - len(rejected))
        return nodes_available_message(self._snapshot.node_count, reasons)
