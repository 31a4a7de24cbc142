"""Disruption budgets that preemption may not violate."""

import pytest

from podium.api.policy.disruption_budgets import Budget
from podium.scheduler.config.scheduler_options import BudgetPolicy, SchedulerOptions
from podium.scheduler.scheduler import Scheduler
from tests.objects import READY, budget, node, pod


@pytest.mark.parametrize(
    ("allowed", "desired_healthy", "victims"),
    [(0, None, 0), (1, None, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0)],
)
def test_a_budget_allows_what_its_status_says_while_enough_pods_are_healthy(
    allowed: int, desired_healthy: int | None, victims: int
) -> None:
    scheduler = Scheduler(options=SchedulerOptions(disruption_budgets=BudgetPolicy.RESPECT))
    scheduler.load([node("n1", cpu="2")], [pod("low", cpu="2", on="n1", status=READY)])
    status = {"disruptionsAllowed": allowed, "desiredHealthy": desired_healthy}
    scheduler.budgets.replace([Budget.of(budget("low", status=status))])
    decision = scheduler.decide(scheduler.pending(pod("new", cpu="2", priority=5)))
    assert decision.preemption is not None
    assert len(decision.preemption.victims) == victims
