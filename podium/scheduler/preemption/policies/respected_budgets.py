"""PodDisruptionBudgets that preemption never violates: the option `disruptionBudgets: Respect`."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from podium.api.objects import is_terminating
from podium.api.pods import is_ready, priority_class_of
from podium.scheduler.config.scheduler_options import BudgetPolicy
from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.policy import Objection, PreemptionPolicy
from podium.scheduler.snapshot.pod_info import PodInfo


class RespectedBudgets(PreemptionPolicy):
    """Rejects sets of victims that would violate a PodDisruptionBudget to be respected.

    A budget allows as many disruptions as its status says, or fewer: victims that are about to be
    deleted don't count as healthy, even if the disruption controller hasn't updated the status.
    """

    def __init__(self, handle: Handle) -> None:
        self._options = handle.options
        self._snapshot = handle.snapshot
        self._budgets = handle.budgets
        self._leaving = handle.history.leaving

    def objection(self, pod: PodInfo, victims: Sequence[PodInfo]) -> Objection | None:
        budgets = self._budgets
        needed = Counter(number for victim in victims for number in budgets.spent_by(victim))
        for number, count in sorted(needed.items()):
            budget = budgets.budgets[number]
            is_respected = (
                self._options.disruption_budgets is BudgetPolicy.RESPECT
                or (self._options.budget_annotations and budget.is_respected)
                or priority_class_of(pod.obj) in self._options.budget_respecting_classes
            )
            if is_respected and count > self._allowed(number):
                name = f"{budget.namespace}/{budget.name}"
                return Objection(f"PodDisruptionBudget {name} would be violated", budget=name)
        return None

    def _allowed(self, number: int) -> int:
        budget = self._budgets.budgets[number]
        if budget.desired_healthy is None:
            return budget.allowed
        # The budget covers all pods of a class, or none.
        columns = self._snapshot.pods
        placed = np.flatnonzero(columns.rows >= 0)
        classes, firsts = np.unique(columns.classes[placed], return_index=True)
        examples = (columns.pods[slot] for slot in placed[firsts].tolist())
        covered = [number in self._budgets.covering(pod.cls) for pod in examples]
        slots = placed[np.isin(columns.classes[placed], classes[covered])]
        pods = (columns.pods[slot] for slot in slots.tolist())
        healthy = sum(
            is_ready(pod.obj) and not is_terminating(pod.obj) and pod.uid not in self._leaving
            for pod in pods
        )
        return min(budget.allowed, healthy - budget.desired_healthy)
