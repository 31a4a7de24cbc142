"""Changes of a plan are made one after the other, as kubectl makes them."""

from typing import Any

import pytest

from podium.whatif.plan.changes import (
    PARSERS,
    Apply,
    Change,
    ChangeTarget,
    Cordon,
    Delete,
    Fail,
    Restart,
    Scale,
    TargetError,
    parse_drain,
    words,
)
from podium.whatif.plan.fail_on import findings, parse_gates
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import budget, node, pod, reference, workload
from tests.whatif.plan.plans import places

WEB = {**workload("Deployment", "web", replicas=2)}


def changed(state: list[Any], *changes: Change) -> Plan:
    return plan(PlanRequest(LoadedState(state), changes))


def web_on(*nodes: str) -> list[Any]:
    """A ReplicaSet with a pod on each node."""
    owner = workload("ReplicaSet", "web", replicas=len(nodes), uid="rs")
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    pods = [
        pod(f"web-{i}", on=one, owner=owner, status=ready, uid=f"p{i}")
        for i, one in enumerate(nodes)
    ]
    assert reference(owner)["uid"] == "rs"
    return [owner, *pods]


@pytest.mark.parametrize(
    ("option", "text", "change"),
    [
        ("delete", "pod/a", Delete(ChangeTarget("Pod", "team", "a"))),
        ("delete", "shop/po/a:force", Delete(ChangeTarget("Pod", "shop", "a"), is_forced=True)),
        ("delete_node", "n", Delete(ChangeTarget("Node", "", "n"))),
        ("cordon", "node/n", Cordon("n")),
        ("uncordon", "n", Cordon("n", is_cordoned=False)),
        ("scale", "deploy/x=10", Scale(ChangeTarget("Deployment", "team", "x"), 10)),
        ("scale", "shop/sts/x=0", Scale(ChangeTarget("StatefulSet", "shop", "x"), 0)),
        ("restart", "ds/x", Restart(ChangeTarget("DaemonSet", "team", "x"))),
    ],
)
def test_what_texts_mean(option: str, text: str, change: Change) -> None:
    assert PARSERS[option](text, "team") == change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (Apply((WEB, WEB)), "apply 2 objects"),
        (Delete(ChangeTarget("Pod", "team", "a")), "delete Pod team/a"),
        (Delete(ChangeTarget("Pod", "team", "a"), is_forced=True), "delete Pod team/a by force"),
        (Cordon("n"), "cordon n"),
        (Cordon("n", is_cordoned=False), "uncordon n"),
        (parse_drain("n", "team"), "drain n"),
        (Fail("n"), "fail n"),
        (Scale(ChangeTarget("Deployment", "team", "x"), 3), "scale Deployment team/x to 3"),
        (Restart(ChangeTarget("DaemonSet", "team", "x")), "restart DaemonSet team/x"),
    ],
)
def test_changes_are_named_as_on_a_command_line(change: Change, text: str) -> None:
    assert words(change) == text


@pytest.mark.parametrize(
    ("option", "text", "why"),
    [
        ("scale", "deploy/x", "expected KIND/NAME=REPLICAS"),
        ("scale", "deploy/x=-1", "expected KIND/NAME=REPLICAS"),
        ("scale", "deploy/x=9999999999", "no more than"),
        ("scale", "pod/x=1", "must be a Deployment, ReplicaSet, StatefulSet or Replication"),
        ("restart", "job/x", "must be a Deployment, StatefulSet or DaemonSet"),
        ("restart", "x", "--restart x: expected KIND/NAME"),
        ("drain", "n:hard", "must be NODE or NODE:force"),
        ("delete", "deploy/x:force", "only a pod is deleted by force"),
        ("cordon", "", "expected the name of a node"),
    ],
)
def test_texts_that_mean_nothing(option: str, text: str, why: str) -> None:
    with pytest.raises(TargetError, match=why):
        PARSERS[option](text, "team")


def test_scaling_brings_pods() -> None:
    outcome = changed(
        [node("n"), *web_on("n")], Scale(ChangeTarget("ReplicaSet", "default", "web"), 3)
    )
    assert [one.node for one in outcome.placements] == ["n", "n"]


def test_restarting_replaces_all_pods() -> None:
    state = [node("n", "8")]
    outcome = changed(state, Apply([WEB]), Restart(ChangeTarget("Deployment", "default", "web")))
    (rollout,) = outcome.rollouts
    assert rollout.state == "Complete"
    restarted = changed([*state, WEB], Restart(ChangeTarget("Deployment", "default", "web")))
    assert len(restarted.placements) >= 2


def test_a_paused_deployment_is_not_restarted() -> None:
    paused = {**WEB, "spec": {**WEB["spec"], "paused": True}}
    outcome = changed([node("n"), paused], Restart(ChangeTarget("Deployment", "default", "web")))
    (rejected,) = outcome.rejected
    assert "paused" in rejected.message


@pytest.mark.parametrize(("option", "gone_s"), [("pod/web-0", 30.0), ("pod/web-0:force", 0.0)])
def test_a_deleted_pod_has_its_grace_period_unless_by_force(option: str, gone_s: float) -> None:
    outcome = changed([node("n"), *web_on("n")], PARSERS["delete"](option, "default"))
    gone = [one.at_s for one in outcome.timeline if one.happening == "gone"]
    terminating = [one.at_s for one in outcome.timeline if one.happening == "terminating"]
    assert (terminating, gone) == ([0.0], [gone_s])
    assert [one.at_s for one in outcome.placements] == [0.0]


def test_the_order_counts() -> None:
    state, new = [node("n")], pod("new")
    cordoned = changed(state, Cordon("n"), Apply([new]))
    assert [one.pod for one in cordoned.pending] == ["default/new"]
    again = changed(state, Cordon("n"), Apply([new]), Cordon("n", is_cordoned=False))
    assert places(again) == {"new": "n"}
    gone = Delete(ChangeTarget("Pod", "default", "new"))
    assert not changed(state, Apply([new]), gone).placements
    with pytest.raises(TargetError, match="the state has no Pod default/new"):
        changed(state, gone, Apply([new]))


@pytest.mark.parametrize(
    "change",
    [Cordon("m"), parse_drain("m", ""), Scale(ChangeTarget("Deployment", "default", "x"), 1)],
)
def test_what_is_not_there_cant_be_changed(change: Change) -> None:
    with pytest.raises(TargetError, match="the state has no"):
        changed([node("n")], change)


def test_a_drained_node_is_left_by_its_pods() -> None:
    outcome = changed([node("a"), node("b"), *web_on("a", "a")], parse_drain("a", ""))
    assert {one.node for one in outcome.placements} == {"b"}
    (drain,) = outcome.drains
    assert (drain.node, drain.state, drain.evicted) == ("a", "Done", 2)
    assert not findings(outcome, parse_gates(["undrained"], None))


def test_what_a_drain_cant_evict_is_told_with_the_budget() -> None:
    state = [node("a"), node("b"), *web_on("a", "a"), budget("web", minAvailable=2)]
    outcome = changed(state, parse_drain("a", ""), Delete(ChangeTarget("Node", "", "a")))
    (drain,) = outcome.drains
    assert (drain.state, drain.evicted) == ("Open", 0)
    assert set(drain.left) == {"default/web-0", "default/web-1"}
    assert any("budget web never allows a disruption" in one for one in drain.reasons)
    assert "delete Node a: isn't done, as a is to be drained first, and isn't" in outcome.warnings
    (found,) = findings(outcome, parse_gates(["undrained"], None))
    assert "budget web" in found.message


def test_what_ends_the_drain_of_a_node_that_does_not_answer_is_told() -> None:
    unknown = {"conditions": [{"type": "Ready", "status": "Unknown"}]}
    state = [node("a", status=unknown), node("b"), *web_on("a")]
    outcome = changed(state, parse_drain("a", ""))
    (drain,) = outcome.drains
    assert (drain.state, drain.left, drain.held) == ("Open", (), ("default/web-0",))
    assert drain.text == (
        "default/web-0 can't end, as the node doesn't answer: delete the Node, or give it the "
        "taint "
        "node.kubernetes.io/out-of-service:NoExecute, once nothing of it runs any more"
    )


def test_a_drain_asks_again_until_a_budget_lets_the_next_one_go() -> None:
    state = [node("a"), node("b"), *web_on("a", "a"), budget("web", minAvailable=1)]
    outcome = changed(state, parse_drain("a", ""), Delete(ChangeTarget("Node", "", "a")))
    (drain,) = outcome.drains
    assert (drain.state, drain.evicted) == ("Done", 2)
    times = [one.at_s for one in outcome.disruptions if one.node == "a"]
    assert times[0] < times[1]
    assert not outcome.warnings or all("isn't done" not in one for one in outcome.warnings)


def test_pods_that_nobody_recreates_take_force() -> None:
    state = [node("a"), pod("alone", on="a")]
    (failed,) = changed(state, parse_drain("a", "")).drains
    assert failed.state == "Failed"
    assert "alone" in failed.message
    (forced,) = changed(state, parse_drain("a:force", "")).drains
    assert (forced.state, forced.evicted) == ("Done", 1)
