"""The potential victims of all rows, as preemptors of one priority see them.

In which order the pods of a node are given a reprieve, and whose disruption breaks a budget, is a
matter of the node: preemptors that have nothing in common but their priority share it.
"""

from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.api.process.recent_values import Recent
from podium.scheduler.framework.evaluation.unchanged_rows import KnownRows
from podium.scheduler.preemption.policies.protection.shields import Shields
from podium.scheduler.preemption.victim_order import Importance, Integers
from podium.scheduler.preemption.victims import potential_victims
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.snapshot import Snapshot

NOBODY = -1
# Rows with more potential victims are left to whoever runs rows one by one: a line of a table is
# as long as the cluster, even if a single row needs it.
TURNS_MAX = 256
_TABLES_MAX = 4


class VictimTable:
    """A line for each turn, with a pod of each row that has so many.

    Attributes:
        slots: int32[turns, nodes], of the snapshot's columns of pods; `NOBODY` where a row has
            no more pods.
        classes: int32[turns, nodes], the ids of their classes; the same.
        priorities: int64[turns, nodes].
        starts: int64[turns, nodes], their `start_order`.
        violating: bool[turns, nodes], whether their disruption breaks a budget.
        counts: int64[nodes], how many there are on each row.
        is_tall: bool[nodes], whether they are too many to be in the table.
        epoch: raised when all rows are forgotten.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        importance: Importance,
        shields: Shields | None,
        priority: int,
    ) -> None:
        """Know nothing of any row yet.

        Args:
            snapshot: the pods.
            budgets: that victims may break.
            importance: the order of victims.
            shields: that protect pods; None if nothing does.
            priority: of the preemptors; victims have lower ones.
        """
        self._snapshot = snapshot
        self._budgets = budgets
        self._importance = importance
        self._priority = priority
        self._shields = shields
        self._rows = KnownRows(snapshot, budgets, protections=shields.log if shields else None)
        self.epoch = 0
        self._forget()

    def follow(self) -> None:
        """Take note of what has changed."""
        if self._rows.follow():
            self._forget()

    def update(self, rows: Rows) -> None:
        """Bring `rows`, int[n], up to date."""
        self.follow()
        stale = rows[~self._rows.known[rows]]
        if len(stale):
            self._take(stale)
            self._rows.known[stale] = True

    def held(self, column: int) -> Integers:
        """What the pods take of a resource, int64[turns, nodes]."""
        held = self._held.get(column)
        if held is None:
            held = self._held[column] = self._amounts(column, self.slots)
        return held

    def _amounts(self, column: int, slots: NDArray[np.int32]) -> Integers:
        columns = self._snapshot.pods.held
        # A resource that no pod has asked for so far has no column yet.
        return columns[column][slots] if column < len(columns) else np.zeros(slots.shape, np.int64)

    def _forget(self) -> None:
        count = self._snapshot.node_count
        self.epoch += 1
        self.slots, self.classes = np.full((2, 0, count), NOBODY, np.int32)
        self.priorities, self.starts = np.zeros((2, 0, count), np.int64)
        self._held: dict[int, Integers] = {}
        self.violating: NDArray[np.bool_] = np.zeros((0, count), bool)
        self.counts = np.zeros(count, np.int64)
        self.is_tall: NDArray[np.bool_] = np.zeros(count, bool)

    def _take(self, rows: Rows) -> None:
        snapshot = self._snapshot
        found = potential_victims(
            snapshot, self._priority, rows, self._budgets, self._importance, self._shields
        )
        self.counts[rows] = found.counts
        self.is_tall[rows] = is_tall = found.counts > TURNS_MAX
        self._grow(int(found.counts[~is_tall].max(initial=0)))
        self.slots[:, rows] = self.classes[:, rows] = NOBODY
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

    def _grow(self, turns: int) -> None:
        missing = ((0, max(turns - len(self.slots), 0)), (0, 0))
        if missing[0][1]:
            self.slots = np.pad(self.slots, missing, constant_values=NOBODY)
            self.classes = np.pad(self.classes, missing, constant_values=NOBODY)
            self.priorities = np.pad(self.priorities, missing)
            self.starts = np.pad(self.starts, missing)
            self._held.clear()
            self.violating = np.pad(self.violating, missing)


class Victims(msgspec.Struct, frozen=True):
    """The potential victims of some rows, of so many turns; `ManyPods` of the framework.

    Attributes:
        table: has these rows.
        turns: how many turns.
        columns: the rows, or a slice of all.
    """

    table: VictimTable
    turns: int
    columns: Rows | slice

    @property
    def slots(self) -> NDArray[np.int32]:
        """int32[turns, n]."""
        return self.table.slots[: self.turns, self.columns]

    @property
    def ids(self) -> NDArray[np.int32]:
        """int32[turns, n], of their classes."""
        return self.table.classes[: self.turns, self.columns]

    def held(self, column: int) -> Integers:
        """What they take of a resource, int64[turns, n]."""
        return self.table.held(column)[: self.turns, self.columns]


class VictimTables:
    """The tables of the priorities that preempted last.

    Args:
        snapshot: the pods.
        budgets: that victims may break.
        importance: the order of victims.
        shields: that protect pods; None if nothing does.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        importance: Importance,
        shields: Shields | None = None,
    ) -> None:
        self._make = partial(VictimTable, snapshot, budgets, importance, shields)
        self._tables: Recent[int, VictimTable] = Recent(_TABLES_MAX)

    def of(self, priority: int) -> VictimTable:
        """The table for preemptors of a priority."""
        table = self._tables.get(priority)
        if table is None:
            table = self._make(priority)
            self._tables.put(priority, table)
        return table
