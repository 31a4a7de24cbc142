"""Disruption budgets for many pods at once: the arithmetic of `disruption_budgets.spend` by row."""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.snapshot.log import Log
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_columns import PodColumns
from podium.scheduler.snapshot.pod_info import PodInfo


class BudgetColumns:
    """The PodDisruptionBudgets that preemption considers."""

    def __init__(self, budgets: Iterable[Budget] = ()) -> None:
        self.budgets: Sequence[Budget] = tuple(budgets)
        self.log: Log[int] = Log()
        """Indexes of budgets whose number of allowed disruptions changed; restarts when budgets are
        added, removed, or select other pods."""
        self._covering: dict[int, tuple[int, ...]] = {}

    def replace(self, budgets: Iterable[Budget]) -> None:
        before, self.budgets = self.budgets, tuple(budgets)
        pairs = list(zip(before, self.budgets, strict=False))
        if len(before) == len(self.budgets) and all(
            old is new or replace(old, allowed=new.allowed) == new for old, new in pairs
        ):
            for number, (old, new) in enumerate(pairs):
                if old.allowed != new.allowed:
                    self.log.append(number)
            return
        self.log.restart()
        self._covering.clear()

    def forget_classes(self) -> None:
        self._covering.clear()

    def covered(self, numbers: Iterable[int]) -> list[int]:
        """Return the ids of known classes of pods that any of these budgets, by index, selects."""
        wanted = frozenset(numbers)
        return [cls for cls, budgets in self._covering.items() if not wanted.isdisjoint(budgets)]

    def covering(self, cls: PodClass) -> tuple[int, ...]:
        """Return the indexes in `budgets` of those that select the pods of a class."""
        covering = self._covering.get(cls.id)
        if covering is None:
            covering = self._covering[cls.id] = tuple(
                number
                for number, budget in enumerate(self.budgets)
                if budget.selects(cls.namespace, cls.labels)
            )
        return covering

    def spent_by(self, pod: PodInfo) -> list[int]:
        """Return the indexes of the budgets that allow one less once the pod is disrupted."""
        covering, name, budgets = self.covering(pod.cls), pod.name, self.budgets
        return [number for number in covering if name not in budgets[number].disrupted]

    def violating(
        self, slots: NDArray[np.int64], indexes: NDArray[np.int64], columns: PodColumns
    ) -> NDArray[np.bool_]:
        """Return which pods violate a budget if each row's pods are evicted in order, bool[pods].

        `slots`, int64[pods], are sorted by row, the first pod to evict first. `indexes`,
        int64[pods], has an ascending number for the row of each pod.
        """
        broken = np.zeros(len(slots), bool)
        if not self.budgets or not len(slots):
            return broken
        members: dict[int, list[int]] = {}
        for place, slot in enumerate(slots.tolist()):
            pod = columns.pods[slot]
            # As `spent_by`, but of very many pods.
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
