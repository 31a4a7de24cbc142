"""Rollouts are played to their end, and stuck ones named."""

import copy
from typing import Any

import pytest

from podium.cluster.virtual.cluster import Cluster
from podium.whatif.plan.plan_report import Plan, WorkloadSummary
from podium.whatif.plan.rollouts import STANDSTILL_S, Rollouts
from tests.objects import Obj, node, pod, reference, resource_quota, running, workload
from tests.whatif.plan.plans import places, planned
from tests.whatif.plan.worlds import exported


def only(plan: Plan) -> tuple[str, str, str]:
    (rollout,) = plan.rollouts
    return rollout.workload, rollout.state, rollout.message


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_one_that_fits_is_complete(kind: str) -> None:
    replicas = {} if kind == "DaemonSet" else {"replicas": 2}
    outcome = planned([node("a")], workload(kind, "web", **replicas))
    assert only(outcome) == (f"{kind} default/web", "Complete", "")
    assert outcome.until_seconds == 600.0


def test_a_deployment_is_stuck_when_its_deadline_passes() -> None:
    web = workload("Deployment", "web", "3", replicas=2, progressDeadlineSeconds=60)
    outcome = planned([node("a")], web)
    lacking = "1 of 2 updated pods are available, and its progress deadline has passed"
    assert only(outcome)[1:] == ("Stuck", lacking)
    (rollout,) = outcome.rollouts
    (waiting,) = outcome.pending
    assert rollout.text == (
        f"{lacking}: {waiting.pod} stays pending: 0/1 nodes are available: 1 Insufficient cpu"
    )
    assert rollout.at == pytest.approx(62.0, abs=2)


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_others_are_stuck_when_nothing_moves(kind: str) -> None:
    replicas = {} if kind == "DaemonSet" else {"replicas": 2}
    state = [node("a", "4"), node("b", "1")]
    outcome = planned(state, workload(kind, "web", "3", **replicas))
    assert only(outcome)[1] == "Stuck"
    assert outcome.until_seconds > 600.0


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_pods_that_are_refused_again_and_again_move_nothing(kind: str) -> None:
    pinned = workload(kind, "web", replicas=1, template={"nodeName": "a"})
    outcome = planned([node("a", "500m")], pinned)
    (rollout,) = outcome.rollouts
    assert rollout.is_stuck
    assert rollout.at == pytest.approx(600.0, abs=2)
    assert rollout.reason.startswith("a refuses default/web-")
    assert outcome.until_seconds < 630.0


@pytest.mark.parametrize(("repeats", "state"), [(9, "Open"), (10, "Stuck")])
def test_a_deployment_whose_counts_come_again_ten_times_is_stuck_before_its_deadline(
    repeats: int, state: str
) -> None:
    cluster = Cluster()
    web = workload("Deployment", "web", replicas=1, progressDeadlineSeconds=10**6)
    cluster.store.create("Deployment", web)
    rollouts = Rollouts(cluster, [("Deployment", "default", "web")], cluster.driver.now_s)
    for number in range(2 + repeats):
        status = {"updatedReplicas": 1, "readyReplicas": number % 2}
        cluster.store.update("Deployment", {**web, "status": status})
        rollouts.look()
    cluster.driver.advance(STANDSTILL_S)
    assert [rollout.state for rollout in rollouts.found()] == [state]


def test_a_plan_goes_on_until_the_rollout_is_over() -> None:
    web = workload(
        "Deployment", "web", replicas=1, minReadySeconds=900, progressDeadlineSeconds=1000
    )
    outcome = planned([node("a")], web)
    assert only(outcome)[1] == "Complete"
    assert 900.0 < outcome.until_seconds < 920.0


def test_one_that_the_plan_ends_before_is_open() -> None:
    web = workload("Deployment", "web", replicas=1, minReadySeconds=300)
    outcome = planned([node("a")], web, until_s=60.0)
    assert only(outcome)[1:] == ("Open", "0 of 1 updated pods are available")
    assert outcome.until_seconds == 60.0


def test_a_paused_deployment_is_not_rolled_out() -> None:
    web = workload("Deployment", "web", replicas=2, uid="d", paused=True)
    revision = workload("ReplicaSet", "web", replicas=2, uid="r")
    owners = {"ownerReferences": [{**reference(web), "controller": True}]}
    revision["metadata"] |= {"name": "web-1", **owners}
    pods = [pod(f"web-1-{at}", on=at, app="web", owner=revision, uid=at) for at in "ab"]
    state = [node("a"), node("b"), web, revision, *pods]
    news = workload("Deployment", "web", "2", replicas=2, paused=True)
    outcome = planned(state, news)
    lacking = "0 of 2 pods are updated, and the Deployment is paused"
    assert only(outcome)[1:] == ("Paused", lacking)
    assert outcome.until_seconds < 700.0


def test_a_new_image_rolls_within_the_surge_that_is_allowed() -> None:
    rolling = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    old = workload("Deployment", "web", replicas=3, strategy=rolling)
    new = copy.deepcopy(old)
    new["spec"]["template"]["metadata"]["annotations"] = {"version": "2"}
    outcome = planned([node("a", "4"), old], new, repairs=True)
    assert only(outcome)[1] == "Complete"
    (summary,) = outcome.workloads
    assert (summary.new, summary.lost) == (3, {})


@pytest.mark.parametrize(
    ("grace_period_s", "state", "created_s"), [(300, "Complete", 327.7), (350, "Stuck", 655.4)]
)
def test_a_quota_holds_a_rollout_up_for_twice_as_long_each_time(
    grace_period_s: int, state: str, created_s: float
) -> None:
    """A pod that doesn't fit into the quota is tried after 5 ms, and twice as long each time."""
    strategy = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    pods = {"terminationGracePeriodSeconds": grace_period_s}
    old = workload("Deployment", "web", replicas=1, strategy=strategy, template=pods)
    quota = resource_quota("q", {"requests.cpu": "1"})
    new = copy.deepcopy(old)
    new["spec"]["template"]["metadata"]["annotations"] = {"version": "2"}
    before = [*exported([node("a"), node("b"), old]), quota]
    assert only(planned(before, new))[1] == state
    (placement,) = planned(before, new, until_s=700.0).placements
    assert placement.at == pytest.approx(created_s, abs=0.1)


def test_a_surge_leaves_nodes_that_may_not_run_the_pod_any_more() -> None:
    strategy = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}, "type": "RollingUpdate"}

    def agent(tolerated: str) -> Any:
        template = {"tolerations": [{"key": tolerated, "operator": "Exists"}]}
        return workload("DaemonSet", "agent", updateStrategy=strategy, template=template)

    master = node("cp", taints=[{"key": "control-plane", "effect": "NoSchedule"}])
    state = exported([master, node("a"), node("b"), agent("control-plane")])
    outcome = planned(state, agent("other"))
    assert only(outcome)[1] == "Complete"
    assert sorted(places(outcome).values()) == ["a", "b"]
    assert {one.node for one in outcome.removed} == {"cp", "a", "b"}


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_one_that_is_applied_as_it_was_is_not_followed(kind: str) -> None:
    there = running(kind, "web", "a")
    assert not planned([node("a"), *there], there[0]).rollouts


def test_what_an_unchanged_workload_loses_is_evicted() -> None:
    daemons = workload("DaemonSet", "agent", uid="d", template={"nodeSelector": {"role": "x"}})
    agent = pod("agent-1", on="a", owner=daemons, uid="p")
    state = [node("a", uid="n", labels={"role": "x"}), daemons, agent]
    (removed,) = planned(state, node("a", labels={"role": "y"}), daemons).removed
    assert removed.is_evicted


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_pods_that_are_updated_when_somebody_deletes_them_are_told_of(kind: str) -> None:
    on_delete = {"updateStrategy": {"type": "OnDelete"}}
    replicas = {} if kind == "DaemonSet" else {"replicas": 1}
    web = workload(kind, "web", uid="u", **replicas, **on_delete)
    state = [node("a"), web, pod("web-0", on="a", owner=web)]
    outcome = planned(state, workload(kind, "web", "2", **replicas, **on_delete))
    assert only(outcome)[1] == "Complete"
    assert (
        f"{kind} default/web: 1 of 1 pods keep the old template until they are deleted, "
        "as its updateStrategy is OnDelete"
    ) in outcome.warnings


def of_web(state: list[Obj]) -> WorkloadSummary:
    rows = planned(state).workloads
    return next(one for one in rows if one.workload == "ReplicaSet default/web")


def test_summaries_count_lost_pods_that_are_recreated() -> None:
    big = pod("big", "3", priority=100)
    summary = of_web([node("a", "3"), node("b", "1"), *running("ReplicaSet", "web", "a"), big])
    assert (dict(summary.lost), summary.recreated, summary.pending) == ({"preempted": 1}, 1, 0)


def test_summaries_count_who_is_lost_and_how_few_are_ready() -> None:
    big = pod("big", "3", priority=100)
    summary = of_web([node("a", "4"), *running("ReplicaSet", "web", "a", "a"), big])
    assert (summary.pods, dict(summary.lost), summary.pending) == (2, {"preempted": 1}, 1)
    assert (summary.ready_before, summary.ready_least) == (2, 1)
    assert summary.ready_least_for_seconds == 600.0
    assert not summary.ready_in_the_end


@pytest.mark.parametrize(
    ("policy", "blocks"), [("OrderedReady", True), ("Parallel", False)], ids=["ordered", "parallel"]
)
def test_a_pod_of_an_older_revision_that_blocks_an_update_is_named(
    policy: str, *, blocks: bool
) -> None:
    def db(cpu: str, **fields: object) -> dict[str, Any]:
        update = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
        spec = {"podManagementPolicy": policy, "updateStrategy": update, **fields}
        return workload("StatefulSet", "db", cpu, replicas=2, **spec)

    stuck = exported([node("a", "4"), node("b", "2"), db("3")])
    outcome = planned(stuck, db("1"))
    (rollout,) = outcome.rollouts
    assert rollout.is_stuck is blocks
    if blocks:
        assert rollout.way_out.startswith("default/db-1 is of the older revision db-")
        assert rollout.way_out.endswith("deleting it lets the update through")
        assert rollout.way_out in rollout.text
        (rollout,) = planned(stuck, db("1"), delete="pod/db-1").rollouts
    assert rollout.state == "Complete"
