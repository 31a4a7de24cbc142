"""Walls: sets of victims that may not be taken, whatever their priorities.

PodDisruptionBudgets that are to be respected, and rates of preemption. Unlike a shield, a wall
isn't about one pod: it depends on who else would go with it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from podium.api.objects import is_terminating
from podium.api.pods import is_ready, priority_class_of
from podium.scheduler.config.preemption_options import EVERY, BudgetPolicy, PreemptionRate
from podium.scheduler.config.scheduler_options import SchedulerOptions
from podium.scheduler.framework.handle import Clock
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.snapshot.budget_columns import BudgetColumns
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class Wall(msgspec.Struct, frozen=True):
    """What stands in the way of a set of victims.

    Attributes:
        reason: in words that go on from "the victims may not be taken: ".
        until_s: when it may have gone, in seconds since the epoch; infinity if no time is known.
        budget: `namespace/name` of the budget that it is; empty if it is a rate.
    """

    reason: str
    until_s: float = math.inf
    budget: str = ""


class BudgetWalls:
    """The budgets that preemption has to respect.

    What a budget allows is what its status says, less what has happened since: pods that are about
    to go don't count as healthy, whether or not the disruption controller knows it yet.

    Args:
        options: say who respects budgets.
        snapshot: the pods.
        budgets: all of them.
        history: who is about to go.
    """

    def __init__(
        self,
        options: SchedulerOptions,
        snapshot: Snapshot,
        budgets: BudgetColumns,
        history: VictimHistory,
    ) -> None:
        self._for_all = options.disruption_budgets is BudgetPolicy.RESPECT
        self._annotated = options.budget_annotations
        self._classes = options.budget_respecting_classes
        self._snapshot = snapshot
        self._budgets = budgets
        self._history = history

    def before(self, preemptor: PodInfo, victims: Sequence[PodInfo]) -> Wall | None:
        """The first budget that the victims would break; None if there is none."""
        budgets = self._budgets
        needed = Counter(
            number
            for pod in victims
            for number in budgets.covering(pod.cls)
            if pod.name not in budgets.budgets[number].disrupted
        )
        for number, count in sorted(needed.items()):
            if self._is_respected(number, preemptor) and count > self._allowed(number):
                budget = budgets.budgets[number]
                name = f"{budget.namespace}/{budget.name}"
                return Wall(f"PodDisruptionBudget {name} would be violated", budget=name)
        return None

    def _is_respected(self, number: int, preemptor: PodInfo) -> bool:
        asks = self._annotated and self._budgets.budgets[number].is_respected
        if self._for_all or asks:
            return True
        return priority_class_of(preemptor.obj) in self._classes

    def _allowed(self, number: int) -> int:
        budget = self._budgets.budgets[number]
        if budget.desired_healthy is None:
            return budget.allowed
        leaving = self._history.leaving
        healthy = sum(
            is_ready(pod.obj) and not is_terminating(pod.obj) and pod.uid not in leaving
            for pod in self._covered(number)
        )
        return min(budget.allowed, healthy - budget.desired_healthy)

    def _covered(self, number: int) -> Iterable[PodInfo]:
        columns = self._snapshot.pods
        placed = np.flatnonzero(columns.rows >= 0)
        classes, firsts = np.unique(columns.classes[placed], return_index=True)
        examples = (columns.pods[slot] for slot in placed[firsts].tolist())
        covered = [number in self._budgets.covering(pod.cls) for pod in examples]
        slots = placed[np.isin(columns.classes[placed], classes[covered])]
        return (columns.pods[slot] for slot in slots.tolist())


class RateWalls:
    """The rates of preemption, and what is left of them.

    Args:
        rates: all of which hold.
        history: the victims so far.
        clock: the time.
    """

    def __init__(
        self, rates: Sequence[PreemptionRate], history: VictimHistory, clock: Clock
    ) -> None:
        self._rates = rates
        self._history = history
        self._clock = clock
        self._history_epoch = self._changes = 0
        self._known: dict[tuple[str, str], Wall | None] = {}

    @property
    def epoch(self) -> int:
        """Raised when `before_one` has another answer for anybody than it gave."""
        if self._history_epoch != self._history.epoch:
            self._history_epoch, before = self._history.epoch, self._known
            self._known = {group: self._before_group(group, 1) for group in before}
            self._changes += before != self._known
        return self._changes

    def before_one(self, pod: PodInfo) -> Wall | None:
        """The same for a single victim; found out once for all of its namespace and class."""
        group = pod.namespace, priority_class_of(pod.obj)
        if group not in self._known:
            self._known[group] = self._before_group(group, 1)
        return self._known[group]

    def before(self, victims: Sequence[PodInfo]) -> Wall | None:
        """The first rate that the victims would exceed; None if there is none."""
        groups = Counter((pod.namespace, priority_class_of(pod.obj)) for pod in victims)
        walls = (self._before_group(group, count) for group, count in sorted(groups.items()))
        return next((wall for wall in walls if wall is not None), None)

    def _before_group(self, group: tuple[str, str], count: int) -> Wall | None:
        about = (rate for rate in self._rates if _is_about(rate, *group))
        walls = (self._before(rate, group, count) for rate in about)
        return next((wall for wall in walls if wall is not None), None)

    def _before(self, rate: PreemptionRate, group: tuple[str, str], count: int) -> Wall | None:
        past = self._past(rate, group)
        too_many = len(past) + count - rate.victims
        if too_many <= 0:
            return None
        namespace, priority_class = group
        of_class = f" of class {priority_class}" if priority_class else ""
        reason = (
            f"at most {rate.victims} pods{of_class} in namespace {namespace} "
            f"may be preempted in {rate.per_s:g} s"
        )
        freed = past[too_many - 1] + rate.per_s if too_many <= len(past) else math.inf
        return Wall(reason, freed)

    def _past(self, rate: PreemptionRate, group: tuple[str, str]) -> list[float]:
        since_s, moments = self._clock.now_s - rate.per_s, []
        for one in reversed(self._history.victims):
            if one.at_s <= since_s:
                break
            if (one.namespace, one.priority_class) == group:
                moments.append(one.at_s)
        return moments[::-1]


def _is_about(rate: PreemptionRate, namespace: str, priority_class: str) -> bool:
    return rate.namespace in (EVERY, namespace) and rate.priority_class in (EVERY, priority_class)
