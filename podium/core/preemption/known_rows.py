"""Which rows preemption has looked at, and nothing that it depends on has changed since."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.core.budget_columns import BudgetColumns
from podium.core.log import Log
from podium.core.nominator import Nominator
from podium.core.preemption.protection.shields import Shields
from podium.core.snapshot import Snapshot


class KnownRows:
    """The rows that are known; follows pods, their start times, shields, budgets and nominations.

    Attributes:
        known: bool[nodes]; whoever has looked at a row notes it here.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        nominator: Nominator | None = None,
        shields: Shields | None = None,
    ) -> None:
        """Know nothing yet.

        Args:
            snapshot: the pods.
            budgets: that victims may break.
            nominator: whose nominations matter; None if they don't.
            shields: that protect pods; None if nothing does.
        """
        self._snapshot = snapshot
        self._budgets = budgets
        self._nominator = Nominator() if nominator is None else nominator
        self._logs: list[Log[Any]] = [
            snapshot.log,
            snapshot.restarts,
            self._nominator.log,
            budgets.log,
            Log() if shields is None else shields.log,
        ]
        self._state: tuple[object, ...] = ()
        self._seen: list[int] = []
        self._forget()

    def follow(self, *state: object) -> bool:
        """Forget the rows that have changed; whether that was all of them.

        Args:
            state: what concerns all rows, besides nodes and which budgets there are.
        """
        current = (*state, self._budgets.epoch, self._snapshot.node_epoch)
        remembered = all(
            seen >= log.start for seen, log in zip(self._seen, self._logs, strict=True)
        )
        if current != self._state or not remembered:
            self._state = current
            self._forget()
            return True
        pods, restarts, nominations, budgets, shields = self._seen
        snapshot, row_of = self._snapshot, self._snapshot.row_of
        if pods != snapshot.log.end:
            self.known[snapshot.log.rows_since(pods)] = False
        for row in (*snapshot.restarts.since(restarts), *self._logs[-1].since(shields)):
            self.known[row] = False
        for node_name in self._nominator.log.since(nominations):
            if node_name in row_of:
                self.known[row_of[node_name]] = False
        if changed := self._budgets.log.since(budgets):
            columns = snapshot.pods
            rows = columns.rows[np.isin(columns.classes, self._budgets.covered(changed))]
            self.known[rows[rows >= 0]] = False
        self._seen = [log.end for log in self._logs]
        return False

    def _forget(self) -> None:
        self.known: NDArray[np.bool_] = np.zeros(self._snapshot.node_count, bool)
        self._seen = [log.end for log in self._logs]
