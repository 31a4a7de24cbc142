"""Conditions on which plans fail."""

import re
from pathlib import Path
from typing import Any

import pytest

from podium.whatif.plan.fail_on import (
    CONDITIONS,
    GateError,
    caused,
    findings,
    let_through,
    parse_gates,
)
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import without_changes
from tests.objects import Obj, budget, container, node, pod, priority_class, workload
from tests.whatif.plan.plans import planned, request

CLASSES = [priority_class("high", 1000), priority_class("batch", 10)]


def met(outcome: Any, *texts: str) -> list[tuple[str, str]]:
    return [(str(one.condition), one.object) for one in findings(outcome, parse_gates(texts, None))]


@pytest.fixture(scope="module")
def outcome() -> Any:
    state = [
        *CLASSES,
        node("a", "2"),
        budget("web", minAvailable=2),
        workload("ReplicaSet", "web", replicas=1, uid="u"),
        pod("web-1", on="a", owner=workload("ReplicaSet", "web", uid="u")),
        pod("job", on="a", priority=10, priorityClassName="batch"),
    ]
    news = [
        pod("new", "2", priorityClassName="high"),
        pod("odd", priorityClassName="nope"),
        pod("fixed", "9", on="a"),
    ]
    return planned(state, *news)


@pytest.mark.parametrize(
    ("gate", "found"),
    [
        ("preemption", ["default/job", "default/web-1"]),
        ("preemption:priority>=10", ["default/job"]),
        ("preemption:priority<10", ["default/web-1"]),
        ("preemption:priority=11", []),
        ("preemption:class=batch", ["default/job"]),
        ("preemption:namespace=shop", []),
        ("preemption:namespace=def*:class=batch", ["default/job"]),
        ("preemption:workload=ReplicaSet default/web", ["default/web-1"]),
        ("preemption:workload=default/web", ["default/web-1"]),
        ("preemption:workload=default/*=allow", []),
        ("preemption:class=batch=allow", ["default/web-1"]),
        ("preemption,preemption:class=batch=allow", ["default/web-1"]),
        ("pdb-violation", ["default/web-1"]),
        ("eviction:priority>0", ["default/job"]),
        ("rejected", ["Pod default/odd"]),
        ("rejected:namespace=shop", []),
        ("refused", ["default/fixed"]),
        ("stuck-rollout,unplayed", []),
    ],
)
def test_what_a_gate_stops(outcome: Any, gate: str, found: list[str]) -> None:
    assert sorted(name for _, name in met(outcome, gate)) == found


def test_what_an_allowing_gate_lets_through_is_known(outcome: Any) -> None:
    gates = parse_gates(["preemption:class=batch=allow", "pending:namespace=shop=allow"], None)
    ((found, gate),) = let_through(outcome, gates)
    assert (found.object, gate.text) == ("default/job", "preemption:class=batch=allow")
    assert not let_through(outcome, parse_gates(["preemption"], None))


def test_pending_names_the_replacement_s_workload(outcome: Any) -> None:
    (one,) = findings(outcome, parse_gates(["pending"], None))
    assert one.workload == "ReplicaSet default/web"
    assert one.message.startswith("stays pending: 0/1 nodes are available")


def test_all_that_is_wrong_with_gates_is_told_with_its_place() -> None:
    lines = ["# ours", "pending:size=3", "", "preemption:priority>=many # all"]
    with pytest.raises(GateError) as error:
        parse_gates(["boredom", "pending:namespace>=a"], "gates", lines)
    assert str(error.value).splitlines() == [
        "--fail-on: unknown condition boredom; known are preemption, eviction, lost-work, "
        "pdb-violation, pending, rejected, refused, below-budget, unavailable, ready<N%, "
        "stuck-rollout, unplayed, undrained, stale-priority",
        "--fail-on: pending:namespace>=a: namespace can only be compared by =",
        "gates:2: pending:size=3: size=3 must be FIELD=VALUE, with a field of priority, "
        "namespace, workload, class",
        "gates:4: preemption:priority>=many: many must be a whole number",
    ]


def test_gates_of_a_file_count_like_others() -> None:
    gates = parse_gates([], "gates", ["pending, preemption:namespace=shop # both"])
    assert [gate.text for gate in gates] == ["pending", "preemption:namespace=shop"]


def test_only_what_the_changes_cause_is_left() -> None:
    web = workload("ReplicaSet", "web", "3", replicas=2, uid="u")
    state = [node("a", "2"), web, pod("web-1", "3", owner=web), pod("web-2", "3", owner=web)]
    more = workload("ReplicaSet", "web", "3", replicas=3)
    asked, gates = request(state, more), parse_gates(["pending"], None)
    found, before = (findings(plan(one), gates) for one in (asked, without_changes(asked)))
    assert (len(found), len(before)) == (3, 2)
    (new,) = caused(found, before)
    assert new.object not in {one.object for one in before}
    assert caused(before, before) == []


def custom(api_version: str, kind: str, name: str, **spec: Any) -> Obj:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def test_workloads_without_a_controller_of_podium_are_named() -> None:
    pods: Obj = {"template": {"spec": {"containers": [container()]}}}
    groups = [{"name": "workers", "template": {"spec": pods}}]
    outcome = planned(
        [node("a")],
        custom("argoproj.io/v1alpha1", "Rollout", "web", **pods),
        custom("batch/v1", "CronJob", "nightly", jobTemplate={"spec": pods}),
        custom("monitoring.coreos.com/v1", "ServiceMonitor", "web", selector={}),
        custom("jobset.x-k8s.io/v1alpha2", "JobSet", "web", replicatedJobs=groups),
        custom("serving.knative.dev/v1", "Service", "web", **pods),
    )
    kinds = ("Rollout shop/web", "CronJob shop/nightly", "JobSet shop/web", "Service shop/web")
    assert met(outcome, "unplayed") == [("unplayed", kind) for kind in kinds]
    assert met(outcome, "unplayed:namespace=shop") == met(outcome, "unplayed")
    assert outcome.warnings[-1] == (
        "Service shop/web: its pods aren't in the plan: no Service controller is played"
    )


def test_jobs_of_another_controller_are_named_by_it() -> None:
    kueue = "kueue.x-k8s.io/multikueue"
    foreign = workload("Job", "train", managedBy=kueue)
    own = workload("Job", "own", managedBy="kubernetes.io/job-controller")
    outcome = planned([node("a")], foreign, own)
    assert met(outcome, "unplayed") == [("unplayed", "Job default/train")]
    reason = f"{kueue}, which spec.managedBy names, makes them and isn't played"
    assert outcome.warnings == (f"Job default/train: its pods aren't in the plan: {reason}",)
    assert [one.workload for one in outcome.placements] == ["Job default/own"]
    assert planned([node("a"), foreign]).warnings == (
        f"{kueue} isn't played, and makes the pods of Jobs (spec.managedBy): default/train",
    )


def test_suspended_jobs_are_said_to_make_no_pods() -> None:
    outcome = planned([node("a")], workload("Job", "train", suspend=True))
    assert outcome.notes == (
        "Job default/train is suspended: it makes no pods until spec.suspend is false",
    )
    assert met(outcome, "unplayed") == []


def test_owners_in_the_state_that_nobody_plays_are_named() -> None:
    def owned(name: str, kind: str, owner: str) -> Obj:
        metadata = {"name": owner, "namespace": "default"}
        return pod(name, on="a", owner={"apiVersion": "x/v1", "kind": kind, "metadata": metadata})

    state = [node("a"), owned("mirror", "Node", "a"), owned("db-0", "StrimziPodSet", "db")]
    state += [owned(f"web-{number}", "CloneSet", f"web{number}") for number in range(5)]
    told = [one for one in planned(state).warnings if "controller is played" in one]
    names = "default/web0, default/web1, default/web2 and 2 more"
    assert told == [
        f"no CloneSet controller is played, and pods belong to one: {names}",
        "no StrimziPodSet controller is played, and pods belong to one: default/db",
    ]


def test_the_page_on_plans_explains_each_condition() -> None:
    page = (Path(__file__).parents[3] / "docs" / "plans.md").read_text()
    (section,) = re.findall(
        r"^## Failing a pipeline$(.*?)(?:^## |\Z)", page, re.MULTILINE | re.DOTALL
    )
    rows = re.findall(r"^\| `([^`]+)`(?:, as `[^`]+`)? \| (.*) \|$", section, re.MULTILINE)
    assert [name for name, _ in rows] == [*CONDITIONS]
    assert all(meaning for _, meaning in rows)
