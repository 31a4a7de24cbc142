"""The dry run of preemption: the victims on each row.

All pods of lower priority are removed, on all rows at once. Then each pod is put back unless the
preemptor would no longer fit, pods whose disruption violates a budget first (SelectVictimsOnNode of
v1.36). Results are kept by class of preemptors; only rows that have changed are simulated again.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.policy.disruption_budgets import spend
from podium.scheduler.framework.evaluation.filtering import NO_FILTER, Filtering, OutcomeCounts
from podium.scheduler.framework.evaluation.hypothetical_rows import (
    HypotheticalRow,
    HypotheticalRows,
)
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.victim_table import NO_POD, Victims, VictimTables
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo

NO_VICTIMS = -2
NO_VICTIMS_REASON = "No preemption victims found for incoming pod"
_ONE_BY_ONE_MAX = 4
# Keeps sums of priorities comparable when some are negative, as upstream does.
PRIORITY_OFFSET = 2**31
_LOWEST, _LATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class RowResult(msgspec.Struct, frozen=True):
    """The result of the dry run on a row."""

    outcome: int
    """The code by which a filter still rejects the row; `FITS` if none does."""
    blame: int
    """The index of that filter, `NO_FILTER`, or `NO_VICTIMS` without potential victims."""
    victims: tuple[PodInfo, ...] = ()
    """The victims, the most important first."""
    violations: int = 0
    """The number of victims whose disruption violates a budget."""


class DryRun:
    """The results of dry runs for one class of preemptors, row by row."""

    def __init__(self, tables: VictimTables, nominator: Nominator) -> None:
        self.tables = tables
        self.outcome_counts = OutcomeCounts()
        """The numbers of rows where preemption doesn't help, by reason."""
        self._snapshot = tables.snapshot
        self._nominator = nominator
        self._rows = tables.known_rows(nominator)

    def update(self, pod: PodInfo, filtering: Filtering, wanted: Mask) -> None:
        """Simulate stale rows among the wanted ones, bool[nodes], for a preemptor of the class."""
        self._table = self.tables.of(pod.priority)
        self._table.follow()
        of_table = self._table, self._table.epoch
        if self._rows.follow(filtering, filtering.generation, *of_table):
            self._forget_all()
        known = self._rows.known
        own = self._snapshot.row_of.get(pod.nominated_node_name, -1)
        if own >= 0:
            known[own] = False
        stale = np.flatnonzero(wanted & ~known)
        if len(stale) <= _ONE_BY_ONE_MAX:
            for row in stale.tolist():
                self._run_row(pod, filtering, row)
        else:
            self._run(pod, filtering, stale)
        known[stale] = True
        if own >= 0:
            known[own] = False

    def _forget_all(self) -> None:
        count = self._snapshot.node_count
        self.is_candidate: NDArray[np.bool_] = np.zeros(count, bool)
        """bool[nodes], whether preemption would make room."""
        self.outcome, self.blame = np.zeros((2, count), np.int32)
        """int32[nodes] each, as in `RowResult`."""
        (
            self.violations,
            self.top_priority,
            self.priority_sum,
            self.victim_count,
            self.earliest_start,
        ) = np.zeros((5, count), np.int64)
        """int64[nodes] each: the victims whose disruption violates a budget, the highest priority
        of the victims, the sum of their priorities, each + `PRIORITY_OFFSET`, their number, and the
        least `start_order` of those of the highest priority."""
        self._is_victim: NDArray[np.bool_] = np.zeros((0, count), bool)
        self._single: dict[int, RowResult] = {}
        # Whether the victims of a row are in `_slots`; None until slots are first requested.
        self._is_listed: NDArray[np.bool_] | None = None
        self._slots: NDArray[np.int64] = np.full((0, count), NO_POD)

    def _run(self, pod: PodInfo, filtering: Filtering, rows: Rows) -> None:
        table = self._table
        table.update(rows)
        is_tall = table.is_tall[rows]
        for row in rows[is_tall].tolist():
            self._run_row(pod, filtering, row)
        rows = rows[~is_tall]
        columns = slice(None) if len(rows) == self._snapshot.node_count else rows
        outcome, blame = np.full(len(rows), -1, np.int32), np.full(len(rows), NO_VICTIMS, np.int32)
        indexes, is_victim = np.flatnonzero(table.counts[rows]), np.zeros((0, len(rows)), bool)
        if len(indexes):
            rivals = self._nominator.rivals(pod, self._snapshot) if self._nominator else ()
            turns = int(table.counts[rows].max(initial=0))
            victims = Victims(table, turns, columns)
            without = HypotheticalRows(filtering, self._snapshot, rows, victims, rivals)
            outcome[indexes], blame[indexes] = without.judge(indexes)
            is_victim = without.reprieve(outcome == FITS)
        self.outcome[rows], self.blame[rows] = outcome, blame
        self.is_candidate[rows] = outcome == FITS
        turns = len(is_victim)
        if len(self._is_victim) < turns:
            missing = ((0, turns - len(self._is_victim)), (0, 0))
            self._is_victim = np.pad(self._is_victim, missing)
        self._is_victim[:, rows] = False
        self._is_victim[:turns, rows] = is_victim
        priorities = table.priorities[:turns, columns]
        count = is_victim.sum(axis=0)
        self.victim_count[rows] = count
        self.priority_sum[rows] = (priorities * is_victim).sum(axis=0) + count * PRIORITY_OFFSET
        top = np.where(is_victim, priorities, _LOWEST).max(axis=0, initial=_LOWEST)
        of_top = is_victim & (priorities == top)
        starts = np.where(of_top, table.starts[:turns, columns], _LATEST)
        self.top_priority[rows] = top
        self.earliest_start[rows] = starts.min(axis=0, initial=_LATEST)
        violating = table.violating[:turns, columns]
        self.violations[rows] = (is_victim & violating).sum(axis=0) if violating.any() else 0
        if self._is_listed is not None:
            self._is_listed[rows] = False
        if self._single:
            for row in rows.tolist():
                self._single.pop(row, None)

    def _run_row(self, pod: PodInfo, filtering: Filtering, row: int) -> None:
        # The same as `_run` in plain integers: most dry runs follow a change of one row, and
        # arrays of one element cost more than they save.
        snapshot, importance = self._snapshot, self.tables.importance
        lower = [one for one in snapshot.pods_on[row] if one.priority < pod.priority]
        if (protection := self.tables.protection) is not None:
            lower = [one for one in lower if not protection.protects(one, pod.priority)]
        if not lower:
            self._keep_one(row, RowResult(-1, NO_VICTIMS))
            return
        rivals = self._nominator.rivals_on(pod, snapshot.names[row])
        without = HypotheticalRow(filtering, snapshot, row, rivals)
        for one in lower:
            without.remove(one)
        outcome, blame = without.judge()
        if outcome != FITS:
            self._keep_one(row, RowResult(outcome, blame))
            return
        importance.sort(lower)
        violating, others = grouped(lower, self.tables.budgets)
        victims = [one for one in violating if not _reprieved(without, one)]
        violations = len(victims)
        victims += [one for one in others if not _reprieved(without, one)]
        if violating and others:
            importance.sort(victims)
        self._keep_one(row, RowResult(FITS, NO_FILTER, tuple(victims), violations))

    def _keep_one(self, row: int, result: RowResult) -> None:
        self._single[row] = result
        if self._is_listed is not None:
            self._is_listed[row] = False
        self.outcome[row], self.blame[row] = result.outcome, result.blame
        self.is_candidate[row] = result.outcome == FITS
        self.violations[row] = result.violations
        self.victim_count[row] = len(result.victims)
        if result.victims:
            top = max(victim.priority for victim in result.victims)
            self.top_priority[row] = top
            self.earliest_start[row] = min(
                victim.start_order for victim in result.victims if victim.priority == top
            )
            self.priority_sum[row] = sum(v.priority + PRIORITY_OFFSET for v in result.victims)

    def victim_slots(self, rows: Rows) -> NDArray[np.int64]:
        """Return the victims' slots on `rows`, int64[turns, n], in order, then `NO_POD`."""
        if self._is_listed is None:
            self._is_listed = np.zeros(self._snapshot.node_count, bool)
        stale = rows[~self._is_listed[rows]]
        if len(stale):
            missing = int(self.victim_count[stale].max()) - len(self._slots)
            if missing > 0:
                self._slots = np.pad(self._slots, ((0, missing), (0, 0)), constant_values=NO_POD)
            self._slots[:, stale] = NO_POD
            single = np.array([row in self._single for row in stale.tolist()])
            in_table = stale[~single]
            if len(in_table):
                # Victims that violate budgets come first in the table, whatever their importance.
                broken = self._table.violating[:, in_table].sum(axis=0)
                single[~single] = (broken > 0) & (broken < self._table.counts[in_table])
                in_table = stale[~single]
                places, indexes = np.nonzero(self._is_victim[:, in_table].T)[::-1]
                counts = self.victim_count[in_table]
                ranks = np.arange(len(places)) - (np.cumsum(counts) - counts)[indexes]
                columns = in_table[indexes]
                self._slots[ranks, columns] = self._table.slots[places, columns]
            for row in stale[single].tolist():
                victims = self.victims_on(row)
                self._slots[: len(victims), row] = [victim.slot for victim in victims]
            self._is_listed[stale] = True
        return self._slots[:, rows]

    def victims_on(self, row: int) -> tuple[PodInfo, ...]:
        """Return the victims on a row, the most important first."""
        single = self._single.get(row)
        if single is not None:
            return single.victims
        turns, pods = np.flatnonzero(self._is_victim[:, row]), self._snapshot.pods.pods
        victims = [pods[slot] for slot in self._table.slots[turns, row].tolist()]
        violating = self._table.violating[: self._table.counts[row], row]
        if violating.any() and not violating.all():
            self.tables.importance.sort(victims)
        return tuple(victims)


def grouped(ordered: list[PodInfo], budgets: BudgetColumns) -> tuple[list[PodInfo], list[PodInfo]]:
    """Split pods into those whose disruption violates a budget, and the others, in order."""
    if not budgets.budgets:
        return [], ordered
    broken = spend(map(budgets.spent_by, ordered), [budget.allowed for budget in budgets.budgets])
    pairs = list(zip(ordered, broken, strict=True))
    return [p for p, breaks in pairs if breaks], [p for p, breaks in pairs if not breaks]


def _reprieved(row: HypotheticalRow, pod: PodInfo) -> bool:
    row.restore(pod)
    if row.judge()[0] == FITS:
        return True
    row.remove(pod)
    return False
