"""The potential victims of all rows, for preemptors of one priority.

The order of victims, and whether their disruption violates a budget, depends only on the
preemptor's priority, so that all preemptors of a priority share a table.
"""

from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.process.recent_values import Recent
from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.preemption.victim_order import Importance, Integers
from podium.scheduler.snapshot.arrays import Mask, Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot

NO_POD = -1
# Rows with more potential victims are run one by one: a line of a table is as long as the cluster,
# even if a single row needs it.
TURNS_MAX = 256
_FEW_ROWS_MAX = 32
_TABLES_MAX = 4


class Protection(Protocol):
    """Decides which pods may not be preempted although their priority is lower."""

    log: Log[int]
    """The rows of pods whose protection has changed, also because a period has ended."""

    def protects(self, pod: PodInfo, priority: int) -> bool: ...

    def protected(self, slots: Integers, priority: int) -> Mask:
        """Whether the pods in slots, int64[n], are protected, bool[n]."""
        ...


class PotentialVictims(msgspec.Struct, frozen=True):
    """Pods of lower priority on some rows, as arrays with an element per pod."""

    slots: Integers
    """int64[pods], indices of the snapshot's columns of pods."""
    row_indexes: Integers
    """int64[pods], ascending indices of the rows in the argument."""
    violating: NDArray[np.bool_]
    """bool[pods], whether the pod's disruption violates a budget."""
    ranks: Integers
    """int64[pods], the pod's turn on its row, from 0: pods whose disruption violates a budget come
    first, then the others, the more important ones first in both groups."""
    counts: Integers
    """int64[rows], the number of pods of each row."""


class VictimTable:
    """The potential victims of each row by turn, for preemptors of one priority.

    Turns are the order in which the dry run puts pods back.
    """

    def __init__(self, tables: "VictimTables", priority: int) -> None:
        self._snapshot = tables.snapshot
        self._tables = tables
        self._priority = priority
        self._rows = tables.known_rows()
        self.epoch = 0
        """Increased when all rows are forgotten."""
        self._forget()

    def _forget(self) -> None:
        count = self._snapshot.node_count
        self.epoch += 1
        self.slots, self.classes = np.full((2, 0, count), NO_POD, np.int32)
        """int32[turns, nodes], the indices of the snapshot's columns of pods, and the ids of the
        pods' classes; `NO_POD` where a row has no more pods."""
        self.priorities, self.starts = np.zeros((2, 0, count), np.int64)
        """int64[turns, nodes], the priorities of the pods and their `start_order`."""
        self._held: dict[int, Integers] = {}
        self.violating: NDArray[np.bool_] = np.zeros((0, count), bool)
        """bool[turns, nodes], whether the pods' disruption violates a budget."""
        self.counts = np.zeros(count, np.int64)
        """int64[nodes], the number of pods of each row."""
        self.is_tall: NDArray[np.bool_] = np.zeros(count, bool)
        """bool[nodes], whether a row has more than `TURNS_MAX` pods, which aren't listed."""

    def follow(self) -> None:
        if self._rows.follow():
            self._forget()

    def update(self, rows: Rows) -> None:
        """Read the potential victims of `rows`, int[n], unless they are known."""
        self.follow()
        rows = rows[~self._rows.known[rows]]
        if not len(rows):
            return
        snapshot = self._snapshot
        found = self._tables.potential_victims(self._priority, rows)
        self.counts[rows] = found.counts
        self.is_tall[rows] = is_tall = found.counts > TURNS_MAX
        turns = int(found.counts[~is_tall].max(initial=0))
        if turns > len(self.slots):
            missing = ((0, turns - len(self.slots)), (0, 0))
            self.slots = np.pad(self.slots, missing, constant_values=NO_POD)
            self.classes = np.pad(self.classes, missing, constant_values=NO_POD)
            self.priorities = np.pad(self.priorities, missing)
            self.starts = np.pad(self.starts, missing)
            self.violating = np.pad(self.violating, missing)
            self._held.clear()
        self.slots[:, rows] = self.classes[:, rows] = NO_POD
        self.violating[:, rows] = False
        listed = ~is_tall[found.row_indexes]
        slots, places = found.slots[listed], (found.ranks[listed], rows[found.row_indexes[listed]])
        classes = snapshot.pods.classes[slots]
        self.slots[places], self.classes[places] = slots, classes
        self.priorities[places] = snapshot.classes.priorities()[classes]
        self.violating[places] = found.violating[listed]
        self.starts[places] = snapshot.pods.starts[slots]
        for column, held in self._held.items():
            held[:, rows] = self._amounts(column, self.slots[:, rows])
        self._rows.known[rows] = True

    def held(self, column: int) -> Integers:
        """Return the pods' requests of the resource of a column, int64[turns, nodes]."""
        held = self._held.get(column)
        if held is None:
            held = self._held[column] = self._amounts(column, self.slots)
        return held

    def _amounts(self, column: int, slots: NDArray[np.int32]) -> Integers:
        columns = self._snapshot.pods.held
        # A resource that no pod has requested so far has no column yet.
        return columns[column][slots] if column < len(columns) else np.zeros(slots.shape, np.int64)


class Victims(msgspec.Struct, frozen=True):
    """The first turns of some rows of a table; implements `ManyPods` of the framework."""

    table: VictimTable
    turns: int
    columns: Rows | slice

    @property
    def slots(self) -> NDArray[np.int32]:
        """The slots of the pods, int32[turns, n]."""
        return self.table.slots[: self.turns, self.columns]

    @property
    def ids(self) -> NDArray[np.int32]:
        return self.table.classes[: self.turns, self.columns]

    def held(self, column: int) -> Integers:
        """Return the pods' requests of the resource of a column, int64[turns, n]."""
        return self.table.held(column)[: self.turns, self.columns]


class VictimTables:
    """Tables of potential victims, kept for the priorities of the latest preemptors."""

    def __init__(
        self,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        importance: Importance,
        protection: Protection | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.budgets = budgets
        self.importance = importance
        self.protection = protection
        self._tables: Recent[int, VictimTable] = Recent(_TABLES_MAX)

    def of(self, priority: int) -> VictimTable:
        table = self._tables.get(priority)
        if table is None:
            table = VictimTable(self, priority)
            self._tables.put(priority, table)
        return table

    def known_rows(self, nominator: Nominator | None = None) -> KnownRows:
        """Track the rows whose potential victims haven't changed, nor their nominated pods."""
        log = self.protection.log if self.protection else None
        return KnownRows(self.snapshot, self.budgets, nominator, log)

    def may_go(self, pod: PodInfo, priority: int) -> bool:
        if pod.priority >= priority:
            return False
        return self.protection is None or not self.protection.protects(pod, priority)

    def potential_victims(self, priority: int, rows: Rows) -> PotentialVictims:
        """Find the pods on `rows`, int[n], that preemptors of a priority may preempt."""
        snapshot = self.snapshot
        if len(rows) <= _FEW_ROWS_MAX:
            on_rows = [
                (i, pod) for i, row in enumerate(rows.tolist()) for pod in snapshot.pods_on[row]
            ]
            listed = [(pod.slot, index) for index, pod in on_rows if pod.priority < priority]
            slots, indexes = np.array(listed, np.int64).reshape(len(listed), 2).T
        else:
            index_of_row = np.full(snapshot.node_count + 1, -1, np.int64)
            index_of_row[rows] = np.arange(len(rows))
            indexes = index_of_row[snapshot.pods.rows]
            priorities = snapshot.classes.priorities()[snapshot.pods.classes]
            slots = np.flatnonzero((indexes >= 0) & (priorities < priority))
            indexes = indexes[slots]
        if self.protection is not None:
            free = ~self.protection.protected(slots, priority)
            slots, indexes = slots[free], indexes[free]
        order = self.importance.order(snapshot, slots, indexes)
        slots, indexes = slots[order], indexes[order]
        counts = np.bincount(indexes, minlength=len(rows))
        violating = self.budgets.violating(slots, indexes, snapshot.pods)
        if violating.any():
            order = np.lexsort((~violating, indexes))
            slots, violating = slots[order], violating[order]
        ranks = np.arange(len(slots)) - (np.cumsum(counts) - counts)[indexes]
        return PotentialVictims(slots, indexes, violating, ranks, counts)
