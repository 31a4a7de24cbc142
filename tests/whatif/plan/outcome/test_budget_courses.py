"""Budgets in the course of a plan: how few pods are healthy, for how long, and what took them."""

from typing import Any

import pytest

from podium.whatif.plan import changes
from podium.whatif.plan.fail_on import Finding, caused, findings, parse_gates
from podium.whatif.plan.plan_report import BudgetChange, Happening, Plan
from tests.objects import Obj, budget, node, pod, priority_class, workload
from tests.replacing import replace
from tests.whatif.plan.plans import planned
from tests.whatif.plan.worlds import exported

HALF = {"rollingUpdate": {"maxUnavailable": "50%", "maxSurge": 0}}
WEB = changes.ChangeTarget("Deployment", "default", "web")


def web(version: str = "1", replicas: int = 12, strategy: Obj | None = None, **spec: Any) -> Obj:
    made = workload(
        "Deployment", "web", "100m", replicas=replicas, strategy=strategy or HALF, **spec
    )
    made["spec"]["template"]["metadata"]["annotations"] = {"version": version}
    return made


def running(*budgets: Obj, replicas: int = 12) -> list[Obj]:
    """A Deployment on two nodes, as an export has it."""
    return exported([node("a"), node("b"), web(replicas=replicas), *budgets])


def only(outcome: Plan) -> BudgetChange:
    (found,) = outcome.budgets
    return found


def met(outcome: Plan, *gates: str) -> list[tuple[str, str]]:
    return [(one.object, one.workload) for one in findings(outcome, parse_gates(gates, None))]


@pytest.fixture(scope="module")
def rollout() -> Plan:
    return planned(running(budget("web", minAvailable=11)), web("2"))


def test_a_rollout_falls_below_its_budget(rollout: Plan) -> None:
    found = only(rollout)
    assert (found.healthy_before, found.healthy_least, found.desired_healthy) == (12, 6, 11)
    assert (found.healthy_least_at, found.below_for_seconds, found.is_below) == (0.0, 4.0, True)
    assert (dict(found.lost), found.removed) == ({}, 12)
    assert rollout.counts.budgets_below == 1
    assert rollout.counts.unavailable == 0


@pytest.mark.parametrize(
    ("gate", "is_met"),
    [
        ("below-budget", True),
        ("below-budget:namespace=default", True),
        ("below-budget:namespace=shop", False),
        ("below-budget:workload=Deployment default/web", True),
        ("below-budget:workload=default/db", False),
        ("below-budget,below-budget:workload=*/web=allow", False),
        ("ready<50%", False),
        ("ready<50.5%", True),
        ("ready<51%:workload=default/*", True),
        ("ready<51%:namespace=shop", False),
        ("ready<51%,ready<51%:workload=*/web=allow", False),
        ("unavailable", False),
    ],
)
def test_what_stops_a_rollout(rollout: Plan, gate: str, is_met: bool) -> None:
    assert bool(met(rollout, gate)) is is_met


def test_a_finding_says_how_few_and_for_how_long(rollout: Plan) -> None:
    below, share = findings(rollout, parse_gates(["below-budget", "ready<80%"], None))
    assert below.object == "PodDisruptionBudget default/web"
    assert below.workload == "Deployment default/web"
    assert below.message == (
        "has only 6 of the 11 healthy pods that it asks for, and too few for 4 s"
    )
    assert share.message == "has only 6 of 12 pods ready (50 %) for 4 s"


def test_what_evictions_and_the_change_take_is_told_apart() -> None:
    state = [*running(budget("web", minAvailable="50%")), node("c")]
    outcome = planned(state, changes.parse_drain("a", ""), web("2"))
    found = only(outcome)
    assert dict(found.lost) == {"evicted": 6}
    assert found.removed == 6
    assert not found.is_below


def test_preemption_below_a_budget_is_no_rollout() -> None:
    big = pod("big", "3", priorityClassName="high")
    pods = [pod(f"web-{n}", "1", on="a") for n in range(4)]
    state = [priority_class("high", 9), node("a"), *pods, budget("web", minAvailable=4)]
    found = only(planned(state, big))
    assert (dict(found.lost), found.removed, found.healthy_least) == ({"preempted": 3}, 0, 1)
    assert found.is_below


@pytest.mark.parametrize(
    ("least", "replicas", "healthy_least", "removed", "is_below"),
    [("90%", 12, 4, 0, False), (3, 2, 2, 2, True)],
    ids=["grows into its budget", "shrinks below its budget"],
)
def test_a_scaled_workload(
    least: Any, replicas: int, healthy_least: int, removed: int, is_below: bool
) -> None:
    state = running(budget("web", minAvailable=least), replicas=4)
    found = only(planned(state, changes.Scale(WEB, replicas)))
    assert (found.healthy_before, found.healthy_least) == (4, healthy_least)
    assert (found.removed, found.is_below) == (removed, is_below)


def test_a_workload_that_is_new_does_not_fall_below_its_budget() -> None:
    outcome = planned([node("a")], web(replicas=3), budget("web", minAvailable=2))
    assert not only(outcome).is_below
    assert not met(outcome, "below-budget", "unavailable", "ready<100%")


@pytest.mark.parametrize("replicas", [3, 0])
def test_a_workload_that_is_scaled_down_has_all_that_it_wants(replicas: int) -> None:
    assert not met(planned(running(), changes.Scale(WEB, replicas)), "ready<100%", "unavailable")


def test_a_workload_without_a_ready_pod_is_unavailable() -> None:
    recreated = planned(running(replicas=3), web("2", 3, {"type": "Recreate"}))
    assert met(recreated, "unavailable") == [("Deployment default/web",) * 2]
    (summary,) = recreated.workloads
    assert (summary.ready_least, summary.unavailable, summary.ready_after) == (0, True, 3)
    assert recreated.counts.unavailable == 1
    (found,) = findings(recreated, parse_gates(["unavailable"], None))
    assert found.message == f"has no ready pod for {summary.ready_least_for_seconds:g} s"


def test_pods_that_end_or_are_deleted_leave_nothing_unavailable() -> None:
    deleted = planned(running(replicas=2), delete="deploy/web")
    assert not met(deleted, "unavailable", "ready<100%")
    job = workload("Job", "once", parallelism=1, uid="job")
    batch = pod("once-1", on="a", owner=job, restartPolicy="Never")
    drained = planned([node("a"), node("b"), job, batch], changes.parse_drain("a", ""))
    assert not met(drained, "unavailable", "ready<100%")


def test_a_daemon_set_wants_as_many_pods_as_it_has_nodes() -> None:
    agents = workload("DaemonSet", "agent", uid="d")
    state = [node("a"), agents, pod("agent-1", "1", on="a", owner=agents)]
    outcome = planned(state, changes.Restart(changes.ChangeTarget("DaemonSet", "default", "agent")))
    (summary,) = outcome.workloads
    assert (summary.wanted, summary.unavailable) == (1, True)


def test_pods_that_end_by_themselves_are_nothing_to_tell() -> None:
    ends = {"annotations": {"podium.dev/run-duration": "20s"}, "labels": {"app": "once"}}
    job = workload("Job", "once", parallelism=1, uid="job")
    batch = pod("once-1", on="a", owner=job, restartPolicy="Never", metadata=ends)
    alone = pod("alone", on="a", restartPolicy="Never", metadata=ends)
    outcome = planned([node("a"), job, batch, alone], until_s=60)
    assert {one.event for one in outcome.timeline} >= {Happening.SUCCEEDED}
    assert not outcome.workloads


def test_a_baseline_excuses_what_is_as_bad_anyway_and_nothing_worse() -> None:
    def found(extent: float) -> Finding:
        (one,) = findings(rollout_of_one, parse_gates(["unavailable"], None))
        return replace(one, message="", extent=extent)

    rollout_of_one = planned(running(replicas=1), web("2", 1, {"type": "Recreate"}))
    assert not caused([found(3)], [found(3)])
    assert not caused([found(3)], [found(4)])
    assert caused([found(5)], [found(4)]) == [found(5)]
