"""Disruption budgets over many pods at once: the arithmetic of `budgets.spend`, row by row."""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.snapshot.change_log import Log
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_columns import PodColumns


class BudgetColumns:
    """The budgets that preemption looks at.

    Attributes:
        log: the numbers of budgets that have come to allow another number of disruptions; it
            restarts when budgets come or go, or select other pods.
    """

    def __init__(self, budgets: Iterable[Budget] = ()) -> None:
        self.budgets: Sequence[Budget] = tuple(budgets)
        self.log: Log[int] = Log()
        self._covering: dict[int, tuple[int, ...]] = {}

    def replace(self, budgets: Iterable[Budget]) -> None:
        before, self.budgets = self.budgets, tuple(budgets)
        pairs = list(zip(before, self.budgets, strict=False))
        if len(before) == len(self.budgets) and all(_alike(*pair) for pair in pairs):
            for number, (old, new) in enumerate(pairs):
                if old.allowed != new.allowed:
                    self.log.append(number)
            return
        self.log.restart()
        self._covering.clear()

    def forget_classes(self) -> None:
        """Classes get other numbers."""
        self._covering.clear()

    def covered(self, numbers: Iterable[int]) -> list[int]:
        """The classes that `covering` has been asked about and that some of the budgets select."""
        wanted = frozenset(numbers)
        return [cls for cls, found in self._covering.items() if not wanted.isdisjoint(found)]

    def covering(self, cls: PodClass) -> tuple[int, ...]:
        """The numbers of the budgets that select pods of a class, granted disruptions aside."""
        found = self._covering.get(cls.id)
        if found is None:
            selecting = (
                number
                for number, budget in enumerate(self.budgets)
                if budget.selects(cls.namespace, cls.labels)
            )
            found = self._covering[cls.id] = tuple(selecting)
        return found

    def violating(
        self, slots: NDArray[np.int64], indexes: NDArray[np.int64], columns: PodColumns
    ) -> NDArray[np.bool_]:
        """Which pods' disruption breaks a budget, bool[pods], if those of a row go one by one.

        `slots`, int64[pods], are sorted by row, the first to go first; `indexes`, int64[pods],
        ascending, has the index of each pod's row.
        """
        broken = np.zeros(len(slots), bool)
        if not self.budgets or not len(slots):
            return broken
        members: dict[int, list[int]] = {}
        for place, slot in enumerate(slots.tolist()):
            pod = columns.pods[slot]
            for number in self.covering(pod.cls):
                if pod.name not in self.budgets[number].disrupted:
                    members.setdefault(number, []).append(place)
        for number, listed in members.items():
            places = np.array(listed)
            rows = indexes[places]
            first_of_row = np.searchsorted(rows, rows)
            spent = np.arange(len(places)) - first_of_row + 1
            broken[places[spent > self.budgets[number].allowed]] = True
        return broken


def _alike(old: Budget, new: Budget) -> bool:
    return old is new or replace(old, allowed=new.allowed) == new
