"""Advice about budgets that refuse evictions: each kind by example, and each advice followed."""

import re
from random import Random
from typing import Any

import pytest

from podium.cluster.virtual import Cluster, ClusterOptions
from podium.simulation.runner.eviction_advice import EvictionBlock, eviction_blocks
from podium.whatif.plan.changes import Apply, Change, ChangeTarget, Scale, parse_drain
from podium.whatif.plan.plan_report import Drainage, DrainBlocker
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import Obj, budget, node, pod, workload

UNREADY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}


def state(*budgets: Obj, owner: str = "ReplicaSet", unready: int = 0, pods: int = 3) -> list[Obj]:
    """Pods of one workload on node `a`, of which the last ones aren't ready, and an empty node."""
    spec = {"parallelism": pods, "completions": pods} if owner == "Job" else {"replicas": pods}
    web = workload(owner, "web", "10m", uid="web-uid", **(spec if owner != "DaemonSet" else {}))
    template = {"restartPolicy": "Never"} if owner == "Job" else {}
    made = [
        pod(
            f"web-{number}",
            "10m",
            on="a",
            **({"owner": web} if owner else {}),
            **({"status": UNREADY} if number >= pods - unready else {}),
            **template,
        )
        for number in range(pods)
    ]
    return [node("a"), node("b"), *([web] if owner else []), *made, *budgets]


def drained(there: list[Obj], *before: Change) -> Drainage:
    outcome = plan(PlanRequest(LoadedState(there), [*before, parse_drain("a:force", "")]))
    (drain,) = outcome.drains
    return drain


def blocked(there: list[Obj]) -> DrainBlocker:
    blocker, *_ = drained(there).blockers
    return blocker


@pytest.mark.parametrize(
    ("spec", "reason", "remedies"),
    [
        (
            {"maxUnavailable": 0},
            "never allows a disruption: it needs all of its 3 pods healthy, however many there are",
            ["set maxUnavailable: 1 in budget web"],
        ),
        (
            {"maxUnavailable": "0%"},
            "never allows a disruption: it needs all of its 3 pods healthy, however many there are",
            ["set maxUnavailable: 1 in budget web"],
        ),
        (
            {"minAvailable": "100%"},
            "never allows a disruption: it needs all of its 3 pods healthy, however many there are",
            ["set minAvailable: 66% in budget web"],
        ),
        (
            {"minAvailable": "95%"},
            "never allows a disruption: it needs all of its 3 pods healthy",
            ["scale ReplicaSet web to 20", "set minAvailable: 66% in budget web"],
        ),
        (
            {"minAvailable": 3},
            "never allows a disruption: it needs all of its 3 pods healthy",
            ["scale ReplicaSet web to 4", "set minAvailable: 2 in budget web"],
        ),
        (
            {"minAvailable": 7},
            "never allows a disruption: it needs 7 healthy pods where there are only 3",
            ["scale ReplicaSet web to 8", "set minAvailable: 2 in budget web"],
        ),
        (
            {},
            "never allows a disruption: it has neither minAvailable nor maxUnavailable",
            ["set maxUnavailable: 1 in budget web"],
        ),
    ],
)
def test_a_budget_that_never_allows_a_disruption(
    spec: Obj, reason: str, remedies: list[str]
) -> None:
    found = blocked(state(budget("web", **spec)))
    assert (found.reason, [*found.remedies]) == (f"budget web {reason}", remedies)


def blocks(there: list[Obj]) -> EvictionBlock:
    """Why the pods of a state may not be evicted, before anything happens in it."""
    cluster = Cluster(ClusterOptions())
    cluster.load(there)
    pods = cluster.store.list("Pod").items
    (block,) = eviction_blocks(cluster.store, pods, cluster.driver.now_s)
    return block


def test_a_budget_waits_for_a_pod_that_is_not_ready() -> None:
    found = blocks(state(budget("web", maxUnavailable=1), unready=1))
    assert found.reason == (
        "budget web waits for 1 more healthy pod: it needs 2 of 3 pods healthy, and has 2"
    )
    assert [*found.remedies] == [
        "have web-2 become ready",
        "scale ReplicaSet web to 4",
        "set maxUnavailable: 2 in budget web",
        "set unhealthyPodEvictionPolicy: AlwaysAllow in budget web, as web-2 isn't ready itself",
    ]


def test_a_budget_that_all_its_pods_could_not_satisfy_waits_for_nobody() -> None:
    found = blocks(state(budget("web", minAvailable="95%"), unready=1))
    assert found.reason == (
        "budget web never allows a disruption: it needs all of its 3 pods healthy, and has 2"
    )
    assert [*found.remedies] == [
        "scale ReplicaSet web to 20",
        "set minAvailable: 66% in budget web",
        "set unhealthyPodEvictionPolicy: AlwaysAllow in budget web, as web-2 isn't ready itself",
    ]


@pytest.mark.parametrize(
    ("owner", "why"),
    [
        ("Job", "jobs.batch does not implement the scale subresource (SyncFailed)"),
        ("DaemonSet", "daemonsets.apps does not implement the scale subresource (SyncFailed)"),
        ("", "its pods have no controller that says how many there should be"),
    ],
)
def test_a_budget_that_cannot_be_computed(owner: str, why: str) -> None:
    there = state(budget("web", maxUnavailable=1), owner=owner)
    found = blocks(there)
    assert found.reason == f"budget web can't be computed, and so allows no disruption: {why}"
    assert [*found.remedies] == ["set minAvailable: 2 in place of maxUnavailable in budget web"]


def test_a_budget_whose_controllers_want_no_pods() -> None:
    there = state(budget("web", maxUnavailable=1))
    there[2]["spec"]["replicas"] = 0
    assert blocks(there).reason.endswith("the controllers of its pods want none")


def test_a_plan_says_of_a_budget_that_it_cannot_be_computed() -> None:
    there = state(budget("web", minAvailable="50%"), owner="Job")
    (found,) = plan(PlanRequest(LoadedState(there), [parse_drain("a", "")])).budgets
    assert found.sync_failure == "jobs.batch does not implement the scale subresource"
    (fine,) = plan(PlanRequest(LoadedState(state(budget("web", minAvailable="50%"))), [])).budgets
    assert not fine.sync_failure


def test_a_controller_that_is_not_played() -> None:
    rollout = {**workload("ReplicaSet", "web"), "apiVersion": "argoproj.io/v1alpha1"}
    owned = [pod(f"web-{n}", on="a", owner={**rollout, "kind": "Rollout"}) for n in range(2)]
    found = blocked([node("a"), node("b"), *owned, budget("web", minAvailable="50%")])
    assert "how many pods Rollout web should have isn't known here" in found.reason


def test_replicas_make_up_for_pods_that_stay_unready() -> None:
    # Of four pods two are healthy beside web-0, which may go then.
    there = state(budget("web", minAvailable=2), unready=1, pods=2)
    there[-2]["spec"]["nodeName"] = "b"
    assert blocked(there).remedies[0] == "scale ReplicaSet web to 4"


@pytest.mark.parametrize(("policy", "helps"), [("OrderedReady", False), ("Parallel", True)])
def test_a_stateful_set_adds_no_replica_while_a_pod_is_not_ready(policy: str, helps: bool) -> None:
    there = state(budget("web", minAvailable=2), owner="StatefulSet", unready=1, pods=2)
    there[2]["spec"]["podManagementPolicy"] = policy
    assert any("scale" in one for one in blocked(there).remedies) is helps


def test_several_budgets_over_one_pod_make_its_eviction_impossible() -> None:
    other = {
        **budget("web", maxUnavailable=0),
        "metadata": {"name": "also", "namespace": "default"},
    }
    drain = drained(state(budget("web", minAvailable=1), other, pods=2))
    assert drain.state == "Failed"
    assert [one.budget for one in drain.blockers] == ["default/also", "default/web"]
    (blocker, same) = drain.blockers
    assert (blocker.reason, blocker.remedies) == (same.reason, same.remedies)
    assert "the eviction API refuses such a pod whatever they allow" in drain.text
    assert [*blocker.remedies] == ["keep budget web alone, which allows it"]


def test_no_budget_of_several_would_allow_it_alone() -> None:
    other = {**budget("web", minAvailable=2), "metadata": {"name": "also", "namespace": "default"}}
    (blocker, _) = drained(state(budget("web", maxUnavailable=0), other, pods=2)).blockers
    assert [*blocker.remedies] == [
        "keep budget also alone, and scale ReplicaSet web to 3",
        "keep budget web alone, and set maxUnavailable: 1 in budget web",
    ]


@pytest.mark.seeds(12, 300)
def test_who_follows_an_advice_gets_a_pod_evicted(seed: int) -> None:
    rng = Random(seed)
    spec: Obj = rng.choice(
        [
            {"maxUnavailable": rng.choice((0, 1, 2, "0%", "30%"))},
            {"minAvailable": rng.choice((1, 2, 3, 5, "50%", "75%", "90%", "95%", "100%"))},
        ]
    )
    if rng.random() < 0.3:
        spec["unhealthyPodEvictionPolicy"] = rng.choice(("IfHealthyBudget", "AlwaysAllow"))
    owner = rng.choice(("ReplicaSet", "ReplicaSet", "StatefulSet", "Job", ""))
    pods = rng.randint(1, 4)
    unready = rng.choice((0, 0, 1, 2)) if owner else 0
    there = state(budget("web", **spec), owner=owner, pods=pods, unready=min(unready, pods))
    drain = drained(there)
    for blocker in drain.blockers if drain.state == "Open" and not drain.evicted else ():
        assert blocker.remedies, blocker.reason
        for remedy in blocker.remedies:
            assert _followed(there, remedy).evicted, remedy


def _followed(there: list[Obj], remedy: str) -> Drainage:
    """A drain after an advice was followed."""
    if scaled := re.fullmatch(r"scale (\w+) web to (\d+)", remedy):
        return drained(there, Scale(ChangeTarget(scaled[1], "default", "web"), int(scaled[2])))
    if healed := re.fullmatch(r"have (.+) become ready", remedy):
        names = healed[1].split(", ")
        return drained([_healed(one) if one["metadata"]["name"] in names else one for one in there])
    field, value = _setting(remedy)
    spec: Obj = {
        known: bound
        for known, bound in there[-1]["spec"].items()
        if field == "unhealthyPodEvictionPolicy" or known not in ("minAvailable", "maxUnavailable")
    }
    changed = {**there[-1], "spec": {**spec, field: value}}
    return drained(there, Apply([changed]))


def _healed(obj: Obj) -> Obj:
    return {field: value for field, value in obj.items() if field != "status"}


def _setting(remedy: str) -> tuple[str, Any]:
    found = re.match(r"set (\w+): (\S+?),? ", remedy)
    assert found is not None, remedy
    return found[1], int(found[2]) if found[2].isdecimal() else found[2]
