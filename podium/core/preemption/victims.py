"""Who could be preempted on each row, in the order in which they are given a reprieve."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.core.budget_columns import BudgetColumns
from podium.core.framework import Rows
from podium.core.pod_classes import PodClass
from podium.core.pod_columns import NEVER_NS
from podium.core.preemption.go_sort import INSERTION_MAX, go_sort
from podium.core.preemption.importance import MoreImportant, more_important, qos_rank
from podium.core.snapshot import Snapshot

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PotentialVictims:
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
    cls: PodClass,
    rows: Rows,
    budgets: BudgetColumns,
    is_more_important: MoreImportant,
) -> PotentialVictims:
    """The pods that a pod of class `cls` could preempt on `rows`, int[n]."""
    slots, indexes = _lower_priority(snapshot, cls, rows)
    order = _by_importance(snapshot, slots, indexes, is_more_important)
    slots, indexes = slots[order], indexes[order]
    counts = np.bincount(indexes, minlength=len(rows))
    violating = budgets.violating(slots, indexes, snapshot.pods)
    if violating.any():
        order = np.lexsort((~violating, indexes))
        slots, violating = slots[order], violating[order]
    ranks = np.arange(len(slots)) - (np.cumsum(counts) - counts)[indexes]
    return PotentialVictims(slots, indexes, violating, ranks, counts)


def _lower_priority(snapshot: Snapshot, cls: PodClass, rows: Rows) -> tuple[Integers, Integers]:
    """Slots of pods of lower priority on the rows, and the index of the row of each."""
    if len(rows) == 1:
        pods = [pod.slot for pod in snapshot.pods_on[rows[0]] if pod.priority < cls.priority]
        return np.array(pods, np.int64), np.zeros(len(pods), np.int64)
    index_of_row = np.full(snapshot.capacity + 1, -1, np.int64)
    index_of_row[rows] = np.arange(len(rows))
    indexes = index_of_row[snapshot.pods.rows]
    priorities = snapshot.classes.priorities()[snapshot.pods.classes]
    slots = np.flatnonzero((indexes >= 0) & (priorities < cls.priority))
    return slots, indexes[slots]


def _by_importance(
    snapshot: Snapshot, slots: Integers, indexes: Integers, is_more_important: MoreImportant
) -> Integers:
    """The permutation that sorts by row and importance, with ties as Go's sort leaves them."""
    columns = snapshot.pods
    priorities = snapshot.classes.priorities()[columns.classes[slots]]
    starts, positions = columns.starts[slots], columns.positions[slots]
    # Go's insertion sort reverses pods that haven't started: see `importance`.
    turns = np.where(starts == NEVER_NS, -positions, positions)
    if is_more_important is more_important:
        keys: tuple[Integers, ...] = (turns, starts, -priorities, indexes)
    else:
        classes = np.array([qos_rank(columns.pods[slot]) for slot in slots], np.int64)
        keys = (turns, starts, -classes, -priorities, indexes)
    order: Integers = np.lexsort(keys)
    _sort_long_ties(snapshot, slots, indexes, order, keys[1:], is_more_important)
    return order


def _sort_long_ties(
    snapshot: Snapshot,
    slots: Integers,
    indexes: Integers,
    order: Integers,
    keys: Sequence[Integers],
    is_more_important: MoreImportant,
) -> None:
    """Sort rows again, in place, on which more pods than Go's insertion sort takes have ties."""
    long = np.bincount(indexes) > INSERTION_MAX
    if not long.any():
        return
    tied = np.ones(len(order) - 1, bool)
    for key in keys:
        sorted_key = key[order]
        tied &= sorted_key[1:] == sorted_key[:-1]
    for index in np.unique(indexes[order][1:][tied & long[indexes[order]][1:]]):
        places = np.flatnonzero(indexes[order] == index)
        members = sorted(order[places], key=lambda m: int(snapshot.pods.positions[slots[m]]))
        pods = [snapshot.pods.pods[slots[m]] for m in members]
        numbered = list(zip(pods, members, strict=True))
        go_sort(numbered, lambda a, b: is_more_important(a[0], b[0]))
        order[places] = [member for _, member in numbered]
