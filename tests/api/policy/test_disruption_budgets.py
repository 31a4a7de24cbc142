"""Budgets by example, and the properties that spending them has."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.policy.disruption_budgets import (
    BudgetStatus,
    OwnerScale,
    allowance,
    allowed_disruptions,
    expected_count,
    fewest_pods,
    looser_bounds,
    needs_scale,
    spend,
    sync_failure,
)
from tests.objects import Obj

READY = {"conditions": [{"type": "Ready", "status": "True"}]}


def pod(name: str = "p", *, ready: bool = True, owner: str = "", **metadata: Any) -> Obj:
    owners = [{"kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}]
    return {
        "metadata": {
            "name": name,
            "labels": {"app": "a"},
            "ownerReferences": owners if owner else [],
            **metadata,
        },
        "status": READY if ready else {},
    }


def pdb(status: Obj | None = None, **spec: Any) -> Obj:
    selector = {"selector": {"matchLabels": {"app": "a"}}}
    return {"metadata": {"name": "b"}, "spec": {**selector, **spec}, "status": status or {}}


THREE = [pod("1"), pod("2"), pod("3")]


@pytest.mark.parametrize(
    ("seconds", "healthy"), [(None, 2), (0, 2), (119, 2), (120, 3), (10_000, 3)]
)
def test_a_granted_eviction_counts_for_two_minutes(seconds: int | None, healthy: int) -> None:
    granted = {"disruptedPods": {"2": "1970-01-01T00:00:00Z"}}
    now = None if seconds is None else seconds * 10**9
    found = allowed_disruptions(pdb(granted, minAvailable=1), THREE, None, now=now)
    assert found.current_healthy == healthy


def test_without_the_expected_count_nothing_is_allowed() -> None:
    old = {"expectedPods": 4, "desiredHealthy": 3, "currentHealthy": 4, "disruptionsAllowed": 1}
    budget = pdb(old, maxUnavailable=1)
    assert needs_scale(budget)
    assert allowed_disruptions(budget, THREE, None) == BudgetStatus(4, 3, 4, 0)


def test_each_controller_is_expected_once() -> None:
    scales = {"r1": OwnerScale("d", 5), "r2": OwnerScale("d", 5), "r3": OwnerScale("r3", 2)}
    pods = [pod(owner=owner) for owner in ("r1", "r1", "r2", "r3")]
    lonely = pod()
    assert expected_count([*pods, lonely], lambda ref, _: scales.get(ref["name"])) == 7
    assert expected_count([lonely], lambda ref, _: None) == 0
    assert expected_count([pod(owner="r9")], lambda ref, _: None) is None


covering = st.lists(st.sets(st.integers(0, 2)), max_size=12)
allowed = st.lists(st.integers(-1, 4), min_size=3, max_size=3)


@given(covering, allowed)
def test_a_victim_is_charged_to_all_its_budgets(victims: list[set[int]], left: list[int]) -> None:
    found = spend(victims, left)
    for position, numbers in enumerate(victims):
        before = victims[: position + 1]
        used = {number: sum(number in earlier for earlier in before) for number in numbers}
        assert found[position] == any(used[number] > left[number] for number in numbers)


@given(
    st.integers(0, 100).map(lambda n: {"minAvailable": f"{n}%"})
    | st.integers(0, 30).map(lambda n: {"minAvailable": n})
    | st.integers(0, 100).map(lambda n: {"maxUnavailable": f"{n}%"})
    | st.integers(0, 30).map(lambda n: {"maxUnavailable": n}),
    st.integers(1, 30),
)
def test_the_fewest_pods_allow_a_disruption_and_fewer_do_not(spec: Obj, count: int) -> None:
    fewest = fewest_pods(pdb(**spec), count)
    if fewest is None:
        assert not any(allowance(pdb(**spec), more) for more in range(count, 1000))
    else:
        assert allowance(pdb(**spec), fewest) > 0
        assert not any(allowance(pdb(**spec), fewer) for fewer in range(count, fewest))


def test_looser_bounds_come_in_order_and_keep_the_rest() -> None:
    asked = pdb(minAvailable="3%", unhealthyPodEvictionPolicy="AlwaysAllow")
    looser = [*looser_bounds(asked, 5, 5)]
    assert [one["minAvailable"] for one in looser] == ["2%", "1%", "0%"]
    assert all(one["unhealthyPodEvictionPolicy"] == "AlwaysAllow" for one in looser)
    bounds = [one["maxUnavailable"] for one in looser_bounds(pdb(maxUnavailable="20%"), 5, 5)]
    assert bounds == [2, 3, 4, 5]
    unknown = [*looser_bounds(pdb(maxUnavailable=1), None, 3)]
    assert [one["minAvailable"] for one in unknown] == [2, 1, 0]
    assert not any("maxUnavailable" in one for one in unknown)


@pytest.mark.parametrize(
    ("reason", "message", "failure"),
    [
        ("SyncFailed", "no scale", "no scale"),
        ("SyncFailed", "", "SyncFailed"),
        ("SufficientPods", "all is well", ""),
    ],
)
def test_why_a_budget_cannot_be_computed(reason: str, message: str, failure: str) -> None:
    condition = {"type": "DisruptionAllowed", "reason": reason, "message": message}
    assert sync_failure({"status": {"conditions": [condition]}}) == failure
    assert sync_failure({}) == ""
