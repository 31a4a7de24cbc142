"""Budgets by example, and the properties that spending them has."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from podium.api.policy.disruption_budgets import (
    Budget,
    BudgetStatus,
    OwnerScale,
    allowance,
    allowed_disruptions,
    expected_count,
    fewest_pods,
    looser_bounds,
    needs_scale,
    selects,
    spend,
    sync_failure,
)
from tests.covering import covers

Obj = dict[str, Any]

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


def status(
    spec: Obj, pods: list[Obj], expected: int | None = None, **options: Any
) -> tuple[int, int, int, int]:
    return astuple(allowed_disruptions(pdb(**spec), pods, expected, **options))


THREE = [pod("1"), pod("2"), pod("3")]


@pytest.mark.parametrize(
    ("spec", "expected", "result"),
    [
        ({"minAvailable": 2}, None, (3, 2, 3, 1)),
        ({"minAvailable": 3}, None, (3, 3, 3, 0)),
        ({"minAvailable": 5}, None, (3, 5, 3, 0)),
        ({"minAvailable": 0}, None, (3, 0, 3, 3)),
        ({"minAvailable": "50%"}, 3, (3, 2, 3, 1)),
        ({"minAvailable": "100%"}, 3, (3, 3, 3, 0)),
        ({"minAvailable": "0%"}, 3, (3, 0, 3, 3)),
        ({"minAvailable": "50%"}, 10, (10, 5, 3, 0)),
        ({"maxUnavailable": 1}, 3, (3, 2, 3, 1)),
        ({"maxUnavailable": 0}, 3, (3, 3, 3, 0)),
        ({"maxUnavailable": 5}, 3, (3, 0, 3, 3)),
        ({"maxUnavailable": "30%"}, 5, (5, 3, 3, 0)),
        ({"maxUnavailable": "34%"}, 3, (3, 1, 3, 2)),
        ({"maxUnavailable": 1}, 0, (0, 0, 3, 0)),
        ({}, None, (0, 0, 3, 0)),
    ],
)
def test_bounds(spec: Obj, expected: int | None, result: tuple[int, ...]) -> None:
    assert status(spec, THREE, expected) == result


@pytest.mark.parametrize(
    ("odd", "healthy"),
    [
        (pod("4"), 4),
        (pod("4", ready=False), 3),
        (pod("4", deletionTimestamp="2026-01-01T00:00:00Z"), 3),
    ],
)
def test_who_is_healthy(odd: Obj, healthy: int) -> None:
    assert status({"minAvailable": 1}, [*THREE, odd]) == (4, 1, healthy, healthy - 1)


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


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        ({"maxUnavailable": 0}, True),
        ({"maxUnavailable": "1%"}, True),
        ({"minAvailable": "1%"}, True),
        ({"minAvailable": 1}, False),
        ({}, False),
    ],
)
def test_needs_scale(spec: Obj, needed: bool) -> None:
    assert needs_scale(pdb(**spec)) == needed


def test_each_controller_is_expected_once() -> None:
    scales = {"r1": OwnerScale("d", 5), "r2": OwnerScale("d", 5), "r3": OwnerScale("r3", 2)}
    pods = [pod(owner=owner) for owner in ("r1", "r1", "r2", "r3")]
    lonely = pod()
    assert expected_count([*pods, lonely], lambda ref, _: scales.get(ref["name"])) == 7
    assert expected_count([lonely], lambda ref, _: None) == 0
    assert expected_count([pod(owner="r9")], lambda ref, _: None) is None


@pytest.mark.parametrize(
    ("selector", "labels", "controller", "scheduler"),
    [
        ({"matchLabels": {"app": "a"}}, {"app": "a"}, True, True),
        ({"matchLabels": {"app": "a"}}, {"app": "b"}, False, False),
        ({}, {"app": "a"}, True, False),
        ({}, {}, True, False),
        (None, {"app": "a"}, False, False),
        ({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}, {}, True, False),
        ({"matchLabels": {"a b": "c"}}, {"app": "a"}, False, False),
    ],
)
def test_two_views_of_a_selector(
    selector: Obj | None, labels: Obj, controller: bool, scheduler: bool
) -> None:
    budget, carrier = pdb(selector=selector), pod(labels=labels)
    assert selects(budget, carrier) == controller
    assert covers(Budget.of(budget), carrier) == scheduler
    elsewhere = pod(labels=labels, namespace="other")
    assert not selects(budget, elsewhere)
    assert not covers(Budget.of(budget), elsewhere)


def budget(allowed: int, **status: Any) -> Budget:
    return Budget.of(pdb({"disruptionsAllowed": allowed, **status}))


covering = st.lists(st.sets(st.integers(0, 2)), max_size=12)
allowed = st.lists(st.integers(-1, 4), min_size=3, max_size=3)


@given(covering, allowed)
def test_a_victim_is_charged_to_all_its_budgets(victims: list[set[int]], left: list[int]) -> None:
    found = spend(victims, left)
    for position, numbers in enumerate(victims):
        before = victims[: position + 1]
        used = {number: sum(number in earlier for earlier in before) for number in numbers}
        assert found[position] == any(used[number] > left[number] for number in numbers)


@pytest.mark.parametrize(
    ("spec", "count", "fewest"),
    [
        ({"maxUnavailable": 0}, 3, None),
        ({"maxUnavailable": "0%"}, 3, None),
        ({"minAvailable": "100%"}, 3, None),
        ({}, 3, None),
        ({"minAvailable": "95%"}, 3, 20),
        ({"minAvailable": "99%"}, 1, 100),
        ({"minAvailable": "51%"}, 2, 3),
        ({"minAvailable": 3}, 3, 4),
        ({"minAvailable": 300}, 3, 301),
        ({"maxUnavailable": 1}, 0, 1),
        ({"maxUnavailable": "1%"}, 3, 3),
    ],
)
def test_the_fewest_pods_of_which_one_may_go(spec: Obj, count: int, fewest: int | None) -> None:
    assert fewest_pods(pdb(**spec), count) == fewest


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
