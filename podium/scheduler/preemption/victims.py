"""Who could be preempted on each row, in the order in which they are given a reprieve."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.scheduler.preemption.policies.protection.shields import Shields
from podium.scheduler.preemption.victim_order import Importance, Integers
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.snapshot import Snapshot

_FEW_ROWS_MAX = 32


class PotentialVictims(msgspec.Struct, frozen=True):
    """Pods of lower priority, row by row; all arrays have one element a pod.

    Attributes:
        slots: int64[pods], of the snapshot's columns of pods.
        row_indexes: int64[pods], ascending: which of the rows asked about.
        violating: bool[pods], whether the pod's disruption breaks a budget.
        ranks: int64[pods], its turn on its row, from 0: pods that break a budget come first, and
            otherwise the more important ones.
        counts: int64[rows], how many there are on each row.
    """

    slots: Integers
    row_indexes: Integers
    violating: NDArray[np.bool_]
    ranks: Integers
    counts: Integers


def potential_victims(
    snapshot: Snapshot,
    priority: int,
    rows: Rows,
    budgets: BudgetColumns,
    importance: Importance,
    shields: Shields | None = None,
) -> PotentialVictims:
    """The pods that a pod of some priority could preempt on `rows`, int[n]."""
    slots, indexes = _lower(snapshot, priority, rows)
    if shields is not None:
        free = ~shields.protected(slots, priority)
        slots, indexes = slots[free], indexes[free]
    order = importance.order(snapshot, slots, indexes)
    slots, indexes = slots[order], indexes[order]
    counts = np.bincount(indexes, minlength=len(rows))
    violating = budgets.violating(slots, indexes, snapshot.pods)
    if violating.any():
        order = np.lexsort((~violating, indexes))
        slots, violating = slots[order], violating[order]
    ranks = np.arange(len(slots)) - (np.cumsum(counts) - counts)[indexes]
    return PotentialVictims(slots, indexes, violating, ranks, counts)


def _lower(snapshot: Snapshot, priority: int, rows: Rows) -> tuple[Integers, Integers]:
    if len(rows) <= _FEW_ROWS_MAX:
        on_rows = [(i, pod) for i, row in enumerate(rows.tolist()) for pod in snapshot.pods_on[row]]
        listed = [(pod.slot, index) for index, pod in on_rows if pod.priority < priority]
        slots, indexes = np.array(listed, np.int64).reshape(len(listed), 2).T
        return slots, indexes
    index_of_row = np.full(snapshot.node_count + 1, -1, np.int64)
    index_of_row[rows] = np.arange(len(rows))
    indexes = index_of_row[snapshot.pods.rows]
    priorities = snapshot.classes.priorities()[snapshot.pods.classes]
    slots = np.flatnonzero((indexes >= 0) & (priorities < priority))
    return slots, indexes[slots]
