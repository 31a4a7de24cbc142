"""Deleting takes along what belongs to an object."""

from typing import Any

import pytest

from podium.api.policy.disruption_target import BY_POD_GC
from podium.whatif.plan.changes import ChangeTarget, TargetError, parse_target
from tests.objects import node, pod, reference, workload
from tests.whatif.plan.plans import places, planned


def gone(outcome: Any) -> list[str]:
    return [removed.pod.removeprefix("default/") for removed in outcome.removed]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("pod/web", ChangeTarget("Pod", "team", "web")),
        ("po/web", ChangeTarget("Pod", "team", "web")),
        ("Pods/web", ChangeTarget("Pod", "team", "web")),
        ("other/deploy/web", ChangeTarget("Deployment", "other", "web")),
        ("deployments.apps/web", ChangeTarget("Deployment", "team", "web")),
        ("node/n", ChangeTarget("Node", "", "n")),
        ("pc/high", ChangeTarget("PriorityClass", "", "high")),
        ("priorityclasses/high", ChangeTarget("PriorityClass", "", "high")),
        ("storageclass/s", ChangeTarget("StorageClass", "", "s")),
        ("csistoragecapacities/s", ChangeTarget("CSIStorageCapacity", "team", "s")),
    ],
)
def test_targets(text: str, target: ChangeTarget) -> None:
    assert parse_target(text, "team") == target


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("web", "expected KIND/NAME or NAMESPACE/KIND/NAME, such as deployment/web"),
        ("pod/", "expected KIND/NAME"),
        ("a/b/c/d", "expected KIND/NAME"),
        ("gadget/web", "there is no kind gadget; known are controllerrevision, "),
        ("ns/node/n", "a Node stands in no namespace"),
    ],
)
def test_bad_targets(text: str, why: str) -> None:
    with pytest.raises(TargetError, match=f"^--delete {text}: {why}"):
        parse_target(text, "team")


def test_a_pod_leaves_its_room() -> None:
    outcome = planned([node("n", "1"), pod("old", on="n")], pod("new"), delete="pod/old")
    assert gone(outcome) == ["old"]
    assert outcome.removed[0].reason == "is deleted"
    assert places(outcome) == {"new": "n"}


def test_a_deployment_goes_with_its_replica_sets_and_pods() -> None:
    deployment = workload("Deployment", "web", uid="d")
    replica_set = workload("ReplicaSet", "web-1", uid="r")
    replica_set["metadata"]["ownerReferences"] = [{**reference(deployment), "controller": True}]
    owned = pod("web-1-a", on="n", owner=replica_set, uid="p")
    state = [node("n"), deployment, replica_set, owned, pod("web-1-b", on="n")]
    outcome = planned(state, delete="deployment/web")
    assert gone(outcome) == ["web-1-a"]
    assert outcome.removed[0].reason == "goes with Deployment default/web"


def test_pods_go_with_a_deployment_whose_replica_sets_the_state_lacks() -> None:
    deployment = workload("Deployment", "web", uid="d")
    replica_set = workload("ReplicaSet", "web-77", uid="r")
    owned = pod("web-77-a", on="n", owner=replica_set, uid="p")
    owned["metadata"]["labels"] = {"app": "web", "pod-template-hash": "77"}
    assert gone(planned([node("n"), deployment, owned], delete="deploy/web")) == ["web-77-a"]


def test_pods_of_an_earlier_owner_of_the_same_name_stay() -> None:
    replica_set = workload("ReplicaSet", "web", uid="new")
    owned = pod("web-a", on="n", owner=workload("ReplicaSet", "web", uid="old"), uid="p")
    assert gone(planned([node("n"), replica_set, owned], delete="rs/web")) == []


def test_a_node_evicts_its_pods() -> None:
    state = [node("a"), node("b"), pod("here", on="a"), pod("there", on="b")]
    outcome = planned(state, delete="node/a")
    assert gone(outcome) == []
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.cause) == ("default/here", BY_POD_GC)
    # Whoever collects pods gives a node some time to come back.
    assert lost.at_s >= 40


def test_a_namespace_takes_everything_in_it_along() -> None:
    team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    state = [node("n"), team, pod("a", on="n", namespace="team"), pod("b", on="n")]
    outcome = planned(state, delete="namespace/team")
    assert gone(outcome) == ["team/a"]
    assert outcome.removed[0].reason == "goes with Namespace team"


def test_everything_that_isnt_there_is_told_at_once() -> None:
    with pytest.raises(TargetError) as error:
        planned([node("n"), pod("a")], delete="pod/a pod/b node/m")
    assert str(error.value).splitlines() == [
        "--delete: the state has no Pod default/b",
        "--delete: the state has no Node m",
    ]
