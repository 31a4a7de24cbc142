"""Changes of a plan are made one after the other, as kubectl makes them."""

from typing import Any

import pytest

from podium.api.errors import PodiumError
from podium.api.policy.disruption_target import BY_POD_GC
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
    parse_drain,
    parse_target,
    words,
)
from podium.whatif.plan.fail_on import findings, parse_gates
from podium.whatif.plan.plan_report import Plan
from tests.objects import UNKNOWN, Obj, budget, namespace, node, pod, reference, running, workload
from tests.whatif.plan.plans import places, planned

WEB = workload("Deployment", "web", replicas=2)
RESTART = Restart(ChangeTarget("Deployment", "default", "web"))
DELETE_A = Delete(ChangeTarget("Node", "", "a"))


@pytest.mark.parametrize(
    ("option", "text", "change", "shown"),
    [
        ("delete", "pod/a", Delete(ChangeTarget("Pod", "team", "a")), "delete Pod team/a"),
        (
            "delete",
            "shop/po/a:force",
            Delete(ChangeTarget("Pod", "shop", "a"), is_forced=True),
            "delete Pod shop/a by force",
        ),
        ("delete_node", "n", Delete(ChangeTarget("Node", "", "n")), "delete Node n"),
        ("cordon", "node/n", Cordon("n"), "cordon n"),
        ("uncordon", "n", Cordon("n", is_cordoned=False), "uncordon n"),
        ("drain", "n", parse_drain("n", ""), "drain n"),
        (
            "scale",
            "deploy/x=10",
            Scale(ChangeTarget("Deployment", "team", "x"), 10),
            "scale Deployment team/x to 10",
        ),
        (
            "scale",
            "shop/sts/x=0",
            Scale(ChangeTarget("StatefulSet", "shop", "x"), 0),
            "scale StatefulSet shop/x to 0",
        ),
        (
            "restart",
            "ds/x",
            Restart(ChangeTarget("DaemonSet", "team", "x")),
            "restart DaemonSet team/x",
        ),
    ],
)
def test_texts_stand_for_changes_which_are_named_as_on_a_command_line(
    option: str, text: str, change: Change, shown: str
) -> None:
    assert PARSERS[option](text, "team") == change
    assert words(change) == shown


def test_changes_without_a_text_are_named_too() -> None:
    assert (words(Apply((WEB, WEB))), words(Fail("n"))) == ("apply 2 objects", "fail n")


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
        ("delete", "web", "^--delete web: expected KIND/NAME or NAMESPACE/KIND/NAME, such as dep"),
        ("delete", "pod/", "^--delete pod/: expected KIND/NAME"),
        ("delete", "a/b/c/d", "expected KIND/NAME"),
        ("delete", "gadget/web", "there is no kind gadget; known are controllerrevision, "),
        ("delete", "ns/node/n", "a Node stands in no namespace"),
        ("cordon", "", "expected the name of a node"),
    ],
)
def test_texts_that_stand_for_no_change(option: str, text: str, why: str) -> None:
    with pytest.raises(PodiumError, match=why):
        PARSERS[option](text, "team")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Pods/web", ChangeTarget("Pod", "team", "web")),
        ("other/deploy/web", ChangeTarget("Deployment", "other", "web")),
        ("deployments.apps/web", ChangeTarget("Deployment", "team", "web")),
        ("priorityclasses/high", ChangeTarget("PriorityClass", "", "high")),
        ("csistoragecapacities/s", ChangeTarget("CSIStorageCapacity", "team", "s")),
    ],
)
def test_kinds_are_spelt_as_in_kubectl(text: str, target: ChangeTarget) -> None:
    assert parse_target(text, "team") == target


def test_scaling_brings_pods() -> None:
    scale = Scale(ChangeTarget("ReplicaSet", "default", "web"), 3)
    outcome = planned([node("n"), *running("ReplicaSet", "web", "n")], scale)
    assert [one.node for one in outcome.placements] == ["n", "n"]


def test_restarting_replaces_all_pods() -> None:
    state = [node("n", "8")]
    (rollout,) = planned(state, WEB, RESTART).rollouts
    assert rollout.state == "Complete"
    assert len(planned([*state, WEB], RESTART).placements) >= 2


def test_a_paused_deployment_is_not_restarted() -> None:
    paused = {**WEB, "spec": {**WEB["spec"], "paused": True}}
    (rejected,) = planned([node("n"), paused], RESTART).rejected
    assert "paused" in rejected.message


@pytest.mark.parametrize(("option", "gone_s"), [("pod/web-0", 30.0), ("pod/web-0:force", 0.0)])
def test_a_deleted_pod_has_its_grace_period_unless_by_force(option: str, gone_s: float) -> None:
    outcome = planned([node("n"), *running("ReplicaSet", "web", "n")], delete=option)
    gone = [one.at for one in outcome.timeline if one.event == "gone"]
    terminating = [one.at for one in outcome.timeline if one.event == "terminating"]
    assert (terminating, gone) == ([0.0], [gone_s])
    assert [one.at for one in outcome.placements] == [0.0]


def test_the_order_counts() -> None:
    state, new, gone = [node("n")], pod("new"), Delete(ChangeTarget("Pod", "default", "new"))
    assert [one.pod for one in planned(state, Cordon("n"), new).pending] == ["default/new"]
    again = planned(state, Cordon("n"), new, Cordon("n", is_cordoned=False))
    assert places(again) == {"new": "n"}
    assert not planned(state, new, gone).placements
    with pytest.raises(PodiumError, match="the state has no Pod default/new"):
        planned(state, gone, new)


def test_all_that_isnt_there_to_be_changed_is_told_at_once() -> None:
    scale = Scale(ChangeTarget("Deployment", "default", "x"), 1)
    with pytest.raises(PodiumError) as error:
        planned([node("n"), pod("a")], Cordon("m"), parse_drain("m", ""), scale, delete="pod/b")
    assert str(error.value).splitlines() == [
        "--delete: the state has no Pod default/b",
        "--cordon: the state has no Node m",
        "--drain: the state has no Node m",
        "--scale: the state has no Deployment default/x",
    ]


def drained(*state: Obj, how: str = "a", then: tuple[Change, ...] = ()) -> Plan:
    """The drain of the first of two nodes."""
    return planned([node("a"), node("b"), *state], parse_drain(how, ""), *then)


def test_a_drain_asks_again_until_a_budget_lets_the_next_pod_go() -> None:
    web = running("ReplicaSet", "web", "a", "a")
    outcome = drained(*web, budget("web", minAvailable=1), then=(DELETE_A,))
    (drain,) = outcome.drains
    assert (drain.node, drain.state, drain.evicted) == ("a", "Done", 2)
    assert {one.node for one in outcome.placements} == {"b"}
    first, second = (one.at for one in outcome.disruptions if one.node == "a")
    assert first < second
    assert not findings(outcome, parse_gates(["undrained"], None))
    assert all("isn't done" not in one for one in outcome.warnings)


def test_what_a_drain_cant_evict_is_told_with_the_budget() -> None:
    web = running("ReplicaSet", "web", "a", "a")
    outcome = drained(*web, budget("web", minAvailable=2), then=(DELETE_A,))
    (drain,) = outcome.drains
    assert (drain.state, drain.evicted) == ("Open", 0)
    assert set(drain.left) == {"default/web-0", "default/web-1"}
    assert any("budget web never allows a disruption" in one for one in drain.reasons)
    assert "delete Node a: isn't done, as a is to be drained first, and isn't" in outcome.warnings
    (found,) = findings(outcome, parse_gates(["undrained"], None))
    assert "budget web" in found.message


def test_a_drain_that_is_not_over_says_what_it_waits_for() -> None:
    slow = pod("slow", on="a", terminationGracePeriodSeconds=600)
    web = [*running("ReplicaSet", "web", "a"), budget("web", minAvailable=1)]

    def undone(*state: Obj, **how: Any) -> tuple[str, str]:
        change = parse_drain("a:force", "").model_copy(update=how)
        (drain,) = planned([node("a"), *state], change, until_s=30.0).drains
        return drain.result, drain.text

    assert undone(slow) == ("waits", "default/slow still terminates")
    result, text = undone(slow, *web)
    assert (result, text[:43]) == ("blocked", "default/web-0 can't be evicted: budget web ")
    assert text.endswith("; default/slow still terminates")
    failed = ("failed", "global timeout reached: 5s; default/slow still terminates")
    assert undone(slow, timeout_s=5.0) == failed


def test_what_ends_the_drain_of_a_node_that_does_not_answer_is_told() -> None:
    state = [node("a", status=UNKNOWN), node("b"), *running("ReplicaSet", "web", "a")]
    (drain,) = planned(state, parse_drain("a", "")).drains
    assert (drain.state, drain.left, drain.held) == ("Open", (), ("default/web-0",))
    assert drain.text == (
        "default/web-0 can't end, as the node doesn't answer: delete the Node, or give it the "
        "taint "
        "node.kubernetes.io/out-of-service:NoExecute, once nothing of it runs any more"
    )


def test_pods_that_no_controller_recreates_take_force() -> None:
    (failed,) = drained(pod("alone", on="a")).drains
    assert failed.state == "Failed"
    assert "alone" in failed.message
    (forced,) = drained(pod("alone", on="a"), how="a:force").drains
    assert (forced.state, forced.evicted) == ("Done", 1)


def gone(outcome: Plan) -> list[tuple[str, str]]:
    return [(one.pod.removeprefix("default/"), one.reason) for one in outcome.removed]


def owned(owner: Obj, **metadata: Any) -> Obj:
    """A pod of a controller, as it is in a cluster."""
    one = pod("web-a", on="n", owner=owner, uid="p")
    one["metadata"] |= metadata
    return one


DEPLOYMENT = workload("Deployment", "web", uid="d")
REVISION = workload("ReplicaSet", "web-1", uid="r")
REVISION["metadata"]["ownerReferences"] = [{**reference(DEPLOYMENT), "controller": True}]
MISSING = workload("ReplicaSet", "web-77", uid="r")
OLDER = workload("ReplicaSet", "web", uid="old")
TEAM = pod("a", on="n", namespace="team")
HASHED = {"labels": {"app": "web", "pod-template-hash": "77"}}


@pytest.mark.parametrize(
    ("state", "delete", "expected"),
    [
        ([pod("old", on="n")], "pod/old", [("old", "is deleted")]),
        (
            [DEPLOYMENT, REVISION, owned(REVISION), pod("web-b", on="n")],
            "deploy/web",
            [("web-a", "goes with Deployment default/web")],
        ),
        # The state lacks the ReplicaSet.
        (
            [DEPLOYMENT, owned(MISSING, **HASHED)],
            "deploy/web",
            [("web-a", "goes with Deployment default/web")],
        ),
        # The pod is of an earlier owner of that name.
        ([workload("ReplicaSet", "web", uid="new"), owned(OLDER)], "rs/web", []),
        (
            [namespace("team"), TEAM, pod("b", on="n")],
            "namespace/team",
            [("team/a", "goes with Namespace team")],
        ),
    ],
    ids=["a pod", "a Deployment", "without its ReplicaSet", "an earlier owner", "a namespace"],
)
def test_deleting_takes_along_what_belongs_to_an_object(
    state: list[Obj], delete: str, expected: list[tuple[str, str]]
) -> None:
    assert gone(planned([node("n"), *state], delete=delete)) == expected


def test_a_deleted_pod_leaves_its_room() -> None:
    state = [node("n", "1"), pod("old", on="n")]
    assert places(planned(state, pod("new"), delete="pod/old")) == {"new": "n"}


def test_pods_of_a_deleted_node_are_collected_after_a_while() -> None:
    state = [node("a"), node("b"), pod("here", on="a"), pod("there", on="b")]
    outcome = planned(state, delete="node/a")
    assert gone(outcome) == []
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.cause) == ("default/here", BY_POD_GC)
    # Pod garbage collection gives a node some time to come back.
    assert lost.at >= 40
