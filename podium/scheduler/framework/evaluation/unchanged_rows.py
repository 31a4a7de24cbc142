"""Rows with results that still hold, because nothing that they depend on has changed."""

import numpy as np
from numpy.typing import NDArray

from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.nominator import Nominator
from podium.scheduler.snapshot.snapshot import Snapshot, rows_of


class KnownRows:
    """Rows whose kept results hold while pods, budgets, nominations and protections don't change.

    The owner of the results sets `known`, bool[nodes], for each row that it computes.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        nominator: Nominator | None = None,
        protections: Log[int] | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._budgets = budgets
        self._changes = snapshot.log.cursor()
        self._restarts = snapshot.restarts.cursor()
        self._nominations = (Nominator() if nominator is None else nominator).log.cursor()
        self._allowances = budgets.log.cursor()
        self._protections = (Log[int]() if protections is None else protections).cursor()
        self._state: tuple[object, ...] = ()
        self.known: NDArray[np.bool_] = np.zeros(snapshot.node_count, bool)

    def follow(self, *state: object) -> bool:
        """Clear `known` for changed rows; return True if it had to be cleared for all rows.

        That is so if `state` differs from the last call's, or too much has changed.
        """
        current = (*state, self._snapshot.node_epoch)
        changes, restarted = self._changes.new(), self._restarts.new()
        nominated, allowed = self._nominations.new(), self._allowances.new()
        protected = self._protections.new()
        if (
            current != self._state
            or changes is None
            or restarted is None
            or nominated is None
            or allowed is None
            or protected is None
        ):
            self._state = current
            self.known = np.zeros(self._snapshot.node_count, bool)
            return True
        snapshot, row_of = self._snapshot, self._snapshot.row_of
        if changes:
            self.known[rows_of(changes)] = False
        for row in (*restarted, *protected):
            self.known[row] = False
        for node_name in nominated:
            if node_name in row_of:
                self.known[row_of[node_name]] = False
        if allowed:
            columns = snapshot.pods
            rows = columns.rows[np.isin(columns.classes, self._budgets.covered(allowed))]
            self.known[rows[rows >= 0]] = False
        return False
