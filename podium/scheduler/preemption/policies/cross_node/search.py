"""The search for victims on several nodes.

For a domain at a time all pods of lower priority that keep the pod away are taken off, then on
each of its nodes whoever the ordinary dry run takes there. Then each of them, the most important
first and those that break a budget before all, is given back wherever the pod goes on fitting
without it: the same reprieve as on a single node, over the whole set.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.choice import choose
from podium.scheduler.preemption.dry_run import DryRun, grouped
from podium.scheduler.preemption.policies.cross_node.blockers import Blockers, Domain
from podium.scheduler.preemption.policies.cross_node.victim_sets import VictimSet, VictimSets
from podium.scheduler.preemption.policy import PreemptionPolicy
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.trial_changes import TrialChanges

VICTIMS_LEAVING_ELSEWHERE = "not eligible due to terminating pods on other nodes."


class CrossNodePreemption(PreemptionPolicy):
    """The option `preemptionScope: CrossNode`: victims on several nodes where one isn't enough."""

    def __init__(self, handle: Handle, tables: VictimTables) -> None:
        self._handle = handle
        self._tables = tables
        self._limits = handle.options.cross_node_limits

    def ineligible(self, pod: PodInfo) -> str:
        """A pod waits for its victims on other nodes, which its nominated node doesn't show."""
        is_waiting = pod.uid in self._handle.history.leaving.values()
        return VICTIMS_LEAVING_ELSEWHERE if is_waiting else ""

    def find(self, pod: PodInfo, evaluation: Evaluation) -> VictimSets | None:
        """The sets that would make room, at most one a node; None if there are none.

        Args:
            evaluation: of its class; as it was when this returns.
        """
        handle, found = self._handle, dict[int, VictimSet]()
        for domain in Blockers(handle, pod, self._tables).domains()[: self._limits.domains]:
            found.update({one.row: one for one in self._in_domain(pod, evaluation, domain)})
        evaluation.refresh(pod)
        run = DryRun(self._tables, handle.nominator)
        return VictimSets(run, found) if found else None

    def _in_domain(
        self, pod: PodInfo, evaluation: Evaluation, domain: Domain
    ) -> Iterator[VictimSet]:
        with TrialChanges(self._handle.snapshot) as changes:
            changes.take(domain.blockers)
            own_victims = self._own_victims(pod, evaluation, domain)
        for row, victims in own_victims.items():
            listed = {one.uid: one for one in (*domain.blockers, *victims)}
            found = self._reprieve(pod, evaluation, row, list(listed.values()))
            if found is not None and len(found.victims) <= self._limits.victims:
                yield found

    def _own_victims(
        self, pod: PodInfo, evaluation: Evaluation, domain: Domain
    ) -> dict[int, tuple[PodInfo, ...]]:
        evaluation.refresh(pod)
        filtering, rows = evaluation.filtering, np.array(domain.rows)
        open_rows = [row for row in rows.tolist() if self._fits(pod, evaluation, row)]
        run = DryRun(self._tables, self._handle.nominator)
        is_closed = np.zeros(len(filtering.outcome), bool)
        is_closed[rows] = filtering.outcome[rows] > 0
        run.update(pod, filtering, is_closed)
        candidates = np.flatnonzero(is_closed & run.is_candidate)
        found: dict[int, tuple[PodInfo, ...]] = dict.fromkeys(open_rows, ())
        while len(candidates) and len(found) < self._limits.nodes:
            best = choose(run, candidates).selected
            found.update({row: run.victims[row] for row in best.tolist()})
            candidates = np.setdiff1d(candidates, best)
        return dict(list(found.items())[: self._limits.nodes])

    def _reprieve(
        self, pod: PodInfo, evaluation: Evaluation, row: int, victims: list[PodInfo]
    ) -> VictimSet | None:
        by_node: list[PodInfo] = sorted(
            victims, key=lambda one: self._handle.snapshot.names[one.row]
        )
        self._tables.importance.sort(by_node)
        violating, others = grouped(by_node, self._tables.budgets)
        with TrialChanges(self._handle.snapshot) as changes:
            changes.take(by_node)
            if not self._fits_now(pod, evaluation, row):
                return None
            gone = [
                one for one in violating if not self._reprieved(pod, evaluation, row, changes, one)
            ]
            violations = len(gone)
            gone += [
                one for one in others if not self._reprieved(pod, evaluation, row, changes, one)
            ]
        if not gone:
            return None
        self._tables.importance.sort(gone)
        return VictimSet(row, tuple(gone), violations)

    def _reprieved(
        self, pod: PodInfo, evaluation: Evaluation, row: int, changes: TrialChanges, victim: PodInfo
    ) -> bool:
        changes.restore(victim)
        if self._fits_now(pod, evaluation, row):
            return True
        changes.take([victim])
        return False

    def _fits_now(self, pod: PodInfo, evaluation: Evaluation, row: int) -> bool:
        evaluation.refresh(pod)
        return self._fits(pod, evaluation, row)

    def _fits(self, pod: PodInfo, evaluation: Evaluation, row: int) -> bool:
        filtering, names = evaluation.filtering, self._handle.snapshot.names
        if not filtering.pre_filter.is_success or filtering.outcome[row] != FITS:
            return False
        rivals: Sequence[PodInfo] = self._handle.nominator.rivals_on(pod, names[row])
        if not rivals:
            return True
        _, outcome, _ = filtering.with_pods([(row, rivals)])
        return bool(outcome[0] == FITS)
