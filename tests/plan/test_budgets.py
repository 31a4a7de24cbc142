"""A budget starts from its status where that counts, and follows the pods from then on."""

from typing import Any

import pytest

from podium.plan.budgets import counted_status
from podium.plan.outcome import BudgetChange
from tests.plan.objects import budget, node, planned, pod, priority_class, workload

HIGH = priority_class("high", 1000)


def change(outcome: Any) -> BudgetChange:
    (found,) = outcome.budgets
    return found  # type: ignore[no-any-return]


def pods(count: int) -> list[Any]:
    return [pod(f"web-{index}", on="n", cpu="100m") for index in range(count)]


@pytest.mark.parametrize(
    ("status", "metadata", "counts"),
    [
        ({}, {}, False),
        ({"disruptionsAllowed": 2}, {}, True),
        ({"disruptionsAllowed": 2}, {"uid": "u"}, False),
        ({"disruptionsAllowed": 2, "observedGeneration": 1}, {"uid": "u", "generation": 1}, True),
        ({"disruptionsAllowed": 2, "observedGeneration": 1}, {"uid": "u", "generation": 2}, False),
    ],
    ids=["none", "by hand", "never observed", "current", "of an older generation"],
)
def test_which_status_counts(status: Any, metadata: Any, counts: bool) -> None:
    assert (counted_status({"metadata": metadata, "status": status}) is not None) == counts


def test_without_a_status_the_pods_are_counted() -> None:
    outcome = planned([node("n"), budget("web", minAvailable=2), *pods(3)])
    assert (change(outcome).allowed_before, change(outcome).is_touched) == (1, False)


def test_a_status_wins_over_the_pods() -> None:
    status = {"disruptionsAllowed": 7}
    outcome = planned([node("n"), budget("web", minAvailable=2, status=status), *pods(3)])
    assert change(outcome).allowed_before == 7


def test_a_lost_pod_costs_one_of_those_that_the_status_allows() -> None:
    status = {"disruptionsAllowed": 7}
    state = [HIGH, node("n", "300m"), budget("web", maxUnavailable=1, status=status), *pods(3)]
    outcome = planned(state, pod("x", "100m", priorityClassName="high"))
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (7, 6)


def test_a_budget_that_is_overdrawn_stays_at_nothing_for_longer() -> None:
    status = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 3}
    state = [node("n"), budget("web", minAvailable=3, status=status), *pods(1)]
    outcome = planned(state, pod("web-new"))
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (0, 0)


def test_new_pods_count_once_they_are_ready() -> None:
    state = [node("n"), budget("web", minAvailable=2), *pods(2)]
    outcome = planned(state, pod("web-new", "100m"))
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (0, 1)


def test_new_pods_arent_healthy_while_others_are_decided() -> None:
    state = [
        HIGH,
        priority_class("higher", 2000),
        node("a", "1"),
        node("b", "1"),
        budget("web", minAvailable=1),
        pod("web-old", on="a"),
    ]
    first = pod("web-new", priorityClassName="higher")
    outcome = planned(state, first, pod("x", priorityClassName="high"))
    (preemption,) = outcome.preemptions
    (victim,) = preemption.chosen.victims
    assert (victim.pod, victim.broken) == ("default/web-old", ("default/web",))
    # The new pod alone is what the budget wants.
    assert change(outcome).allowed_after == 0


def test_a_share_is_of_what_the_workload_wants() -> None:
    deployment = workload("Deployment", "web", "100m", replicas=4)
    outcome = planned([node("n"), budget("web", maxUnavailable="50%")], deployment)
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (0, 2)


def test_a_budget_whose_scale_isnt_known_allows_nothing() -> None:
    owned = {"kind": "ReplicaSet", "name": "gone", "uid": "g", "controller": True}
    lost = pod("web-1", on="n", metadata={"ownerReferences": [owned]})
    outcome = planned([node("n"), budget("web", maxUnavailable=1), lost])
    assert change(outcome).allowed_before == 0
    assert any("no ReplicaSet" in warning for warning in outcome.warnings)


def test_a_changed_budget_is_counted_anew() -> None:
    status = {"disruptionsAllowed": 1, "observedGeneration": 1}
    state = [node("n"), budget("web", minAvailable=2, status=status, uid="b"), *pods(3)]
    outcome = planned(state, budget("web", minAvailable=1))
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (1, 2)


def test_pods_that_the_changes_take_away_are_missing() -> None:
    state = [node("n"), budget("web", minAvailable=1), *pods(3)]
    outcome = planned(state, delete="pod/web-0")
    assert (change(outcome).allowed_before, change(outcome).allowed_after) == (2, 1)
    assert change(outcome).is_touched
