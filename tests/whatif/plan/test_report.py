"""The JSON of plans and explanations: fields, their order, their meaning."""

import json
from collections.abc import Iterator
from typing import Any

from podium.api.documents.report import plain
from podium.whatif.explain.pod_explanations import explain_pod
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from tests.objects import budget, node, pod, priority_class, workload
from tests.whatif.plan.plans import planned, request

FIELDS = [
    *("apiVersion", "kind", "counts", "workloads", "placements", "preemptions", "pending"),
    *("budgets", "refusals", "rejected", "gated", "ignored", "removed", "disruptions"),
    *("rollouts", "failedJobs", "drains", "stalePriorities", "unplayed", "timeline"),
    *("untilSeconds", "interrupted", "seeds", "chances", "anyway", "warnings", "notes"),
]
NEW = pod("new", priorityClassName="high")
STATE = [
    priority_class("high", 1000),
    node("a", "1"),
    node("b", "1"),
    budget("web", minAvailable=1),
    pod("web-1", on="a"),
    pod("plain", on="b"),
]


def of(name: str, priority: int = 0, priority_class: str | None = None) -> dict[str, Any]:
    """What each row says of a pod without a controller."""
    return {
        "pod": f"default/{name}",
        "namespace": "default",
        "workload": f"Pod default/{name}",
        "priority": priority,
        "priorityClass": priority_class,
    }


def victim(name: str, on: str, *, violates: bool = False) -> dict[str, Any]:
    facts = of(name)
    del facts["workload"]
    return {**facts, "node": on, "pdbViolation": violates}


def test_an_empty_plan_has_all_fields() -> None:
    report = plain(Plan())
    assert [*report] == FIELDS
    assert (report["apiVersion"], report["kind"]) == ("podium.dev/v1alpha1", "Plan")
    assert report.pop("seeds") == 1
    assert not any(report.pop("counts").values())
    assert not any(report[field] for field in report if field not in FIELDS[:2])


def test_a_preemption_in_all_its_rows() -> None:
    report = plain(planned(STATE, NEW, pod("late", schedulingGates=[])))
    assert report["placements"] == [{**of("new", 1000, "high"), "node": "b", "at": 30.0}]
    other = {
        "node": "a",
        "victims": [victim("web-1", "a", violates=True)],
        "pdbViolations": 1,
        "lostAt": "fewest PodDisruptionBudget violations",
    }
    assert report["preemptions"] == [
        {
            "preemptor": "default/new",
            "namespace": "default",
            "priority": 1000,
            "priorityClass": "high",
            "node": "b",
            "at": 0.0,
            "victims": [victim("plain", "b")],
            "alternatives": [other],
        }
    ]
    (pending,) = report["pending"]
    assert pending["message"].startswith("0/2 nodes are available: 2 Insufficient cpu.")
    (change,) = report["budgets"]
    assert (change["budget"], change["desiredHealthy"], change["lost"]) == ("default/web", 1, {})
    why = {"cause": "Preempted", "depth": 1, "comesAgain": "Never", "by": "default/new"}
    assert report["disruptions"] == [{**of("plain"), "node": "b", "at": 0.0, **why}]
    leaves = {**of("plain"), "at": 0.0, "event": "terminating", "node": "b"}
    assert {**leaves, "reason": "PreemptionByScheduler", "by": "default/new"} in report["timeline"]
    ready = {"at": 32.0, "event": "ready", "node": "b"}
    assert report["timeline"][-1] == {**of("new", 1000, "high"), **ready}
    counts = {name: number for name, number in report["counts"].items() if number}
    assert counts == {"placed": 1, "preempted": 1, "pending": 1, "lostForGood": 1}
    (preemption,) = plain(planned(STATE, NEW, alternatives_max=0))["preemptions"]
    assert (preemption["alternatives"], preemption["alternativesLeftOut"]) == ([], 1)


def test_pods_that_arent_decided_and_those_that_go() -> None:
    report = plain(
        planned(
            [*STATE, pod("old", "0", on="a")],
            pod("fixed", "2", on="a"),
            pod("wrong", priorityClassName="nope"),
            pod("gated", schedulingGates=[{"name": "a.b/c"}]),
            pod("foreign", schedulerName="mine"),
            delete="pod/old",
        )
    )
    why = "Node didn't have enough resource: cpu, requested: 2000, used: 1000, capacity: 1000"
    assert report["refusals"] == [
        {**of("fixed"), "node": "a", "reason": "OutOfcpu", "message": why, "at": 0.0}
    ]
    assert report["rejected"] == [
        {
            "object": "Pod default/wrong",
            "message": 'pods "wrong" is forbidden: no PriorityClass with name nope was found',
            "count": 1,
            "namespace": "default",
            "at": 0.0,
        }
    ]
    gate = {"plugin": "SchedulingGates", "message": "waiting for scheduling gates: [a.b/c]"}
    assert report["gated"] == [{**of("gated"), **gate, "since": 0.0}]
    assert report["ignored"] == [{**of("foreign"), "schedulerName": "mine", "since": 0.0}]
    assert report["removed"] == [{**of("old"), "reason": "is deleted", "at": 0.0, "node": "a"}]


def test_each_pod_is_named_with_its_namespace_and_how_important_it_is() -> None:
    def pods(value: Any) -> Iterator[dict[str, Any]]:
        if isinstance(value, dict):
            if "pod" in value:
                yield value
            value = [*value.values()]
        for one in value if isinstance(value, list) else ():
            yield from pods(one)

    asked = request([*STATE, workload("Deployment", "more", replicas=1)], NEW, seeds=3)
    for report in (plain(plan(asked)), plain(explain_pod(asked, "default/new"))):
        listed = [*pods(report)]
        assert listed
        for one in listed:
            assert {"pod", "namespace", "priority", "priorityClass"} <= one.keys()


def test_an_explanation_can_be_written_down() -> None:
    report = json.loads(json.dumps(plain(explain_pod(request(STATE, NEW), "default/new"))))
    assert (report["kind"], report["pod"]) == ("Explanation", "default/new")
    assert report["boundTo"] is None
    first, second = report["decisions"]
    assert first["filter"][0] == {
        "node": "a",
        "plugin": "NodeResourcesFit",
        "code": "Unschedulable",
        "reasons": ["Insufficient cpu"],
    }
    assert [(c["node"], c["lostAt"]) for c in first["preemption"]["candidates"]] == [
        ("b", None),
        ("a", "fewest PodDisruptionBudget violations"),
    ]
    assert (second["node"], second["nominatedOnly"], second["best"]) == ("b", True, ["b"])
    (feasible,) = second["feasible"]
    assert feasible["total"] == sum(feasible["scores"].values())
