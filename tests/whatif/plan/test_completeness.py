"""Kinds that a complete answer needs are missed only where they are needed."""

import re
from typing import Any

import pytest

from podium.api.kinds.snapshot_kinds import EXPORT_COMMAND
from tests import objects
from tests.conftest import ROOT
from tests.objects import budget, namespace, node, pod, priority_class, reference, workload
from tests.whatif.plan.plans import planned

# What a cluster may have any number of, none included.
ANY = {"LimitRange", "PodDisruptionBudget", "ResourceQuota"}


def missed(*state: Any, applied: tuple[Any, ...] = ()) -> set[str]:
    """The kinds that the warning about an incomplete state names; none without that warning."""
    warnings = planned(list(state), *applied).warnings
    return {kind for one in warnings for kind in re.findall(r"\bno ([A-Z]\w+)", one)}


def test_what_is_written_by_hand_may_be_small() -> None:
    assert planned([node("n"), pod("p", on="n")], pod("q")).warnings == ()


def test_an_export_without_what_every_cluster_has_gets_one_warning_about_all_that_it_lacks() -> (
    None
):
    web = pod("web", on="gone", owner=workload("ReplicaSet", "web"), uid="w")
    assert planned([node("n", uid="u"), web]).warnings == (
        "the state is incomplete: it has no Namespace, no LimitRange, no PodDisruptionBudget, no "
        "PriorityClass, no ResourceQuota, no Service, no ReplicaSet and 1 pod on nodes that it "
        "lacks (gone). So affinity to pods of other namespaces may be judged wrongly; new pods may "
        "request other amounts, if the cluster has LimitRanges; preemption may choose other "
        "victims, if the cluster has budgets; the default class and its priority are unknown; the "
        "API server may refuse pods, if the cluster has ResourceQuotas; nodes may score otherwise, "
        "as pods of a Service are spread by default; the default spread and the budgets of 1 pod "
        "of a ReplicaSet are unknown; the scheduler doesn't see these pods. "
        f"To export everything: {EXPORT_COMMAND}",
    )


def test_a_complete_export_may_lack_what_the_cluster_has_none_of() -> None:
    """An export with what every cluster has was made for budgets, too."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes"}}
    state = [node("n", uid="u"), namespace("default"), priority_class("system-node-critical", 1)]
    assert missed(*state) == {"Service", *ANY}
    assert missed(*state, {**service, "spec": {}}) == set()


def test_nothing_is_missed_of_a_whole_cluster() -> None:
    assert planned([node("n", uid="u")], is_whole=True).warnings == ()


def test_the_readme_gives_the_command_of_the_warning() -> None:
    text = (ROOT / "README.md").read_text().replace("\\\n", "")
    assert f"{EXPORT_COMMAND} > state.json" in text


def test_a_state_without_nodes() -> None:
    outcome = planned([], pod("p"))
    assert outcome.pending[0].message == "no nodes available to schedule pods"
    assert missed(applied=(pod("p"),)) == {"Node"}


WEB = workload("ReplicaSet", "web", uid="w")
OF_DEPLOYMENT = workload("ReplicaSet", "web-1", uid="r")
OF_DEPLOYMENT["metadata"]["ownerReferences"] = [
    {**reference(workload("Deployment", "web")), "controller": True}
]


@pytest.mark.parametrize(
    ("state", "kinds"),
    [
        ([pod("p", on="n", owner=WEB)], {"ReplicaSet"}),
        ([pod("p", on="n", owner=WEB), WEB], set()),
        ([OF_DEPLOYMENT], set()),
        ([OF_DEPLOYMENT, budget("web", maxUnavailable=1)], {"Deployment"}),
        ([pod("p", priorityClassName="team")], {"PriorityClass"}),
        ([pod("p", priorityClassName="system-node-critical")], set()),
        ([pod("p", priorityClassName="team"), priority_class("team", 1)], set()),
    ],
)
def test_owners_and_classes_that_pods_refer_to(state: list[Any], kinds: set[str]) -> None:
    assert missed(node("n"), *state) == kinds


def test_storage() -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    assert missed(node("n"), pod("p", volumes=[volume])) == {"PersistentVolumeClaim"}
    claim = objects.claim("c", "s")
    assert missed(node("n"), claim) == {"StorageClass"}
    claim["spec"]["volumeName"] = "v"
    assert missed(node("n"), claim) == {"PersistentVolume"}
    persistent = objects.volume("v", "s", csi={"driver": "example.com/disk", "volumeHandle": "v"})
    assert missed(node("n"), claim, persistent) == {"CSINode"}
    limit = {"name": "example.com/disk", "nodeID": "n", "allocatable": {"count": 9}}
    meta = {"apiVersion": "storage.k8s.io/v1", "metadata": {"name": "n"}}
    csi_node = {**meta, "kind": "CSINode", "spec": {"drivers": [limit]}}
    assert missed(node("n"), claim, persistent, csi_node) == {"VolumeAttachment"}
    driver = {**meta, "kind": "CSIDriver", "metadata": {"name": "example.com/disk"}}
    detached = {**driver, "spec": {"attachRequired": False}}
    assert missed(node("n"), claim, persistent, csi_node, detached) == set()
    # No kubelet has registered drivers there.
    simulated = node("n", annotations={"podium.dev/simulated": "true"})
    assert missed(simulated, claim, persistent) == set()


def test_pods_on_nodes_that_arent_there_and_come_with_the_changes() -> None:
    strays = [pod(f"p{i}", on=f"m{i}") for i in range(5)]
    lacks = "it has 5 pods on nodes that it lacks (m0, m1, m2 and 2 more). So the scheduler doesn't"
    (warning,) = planned([node("n"), *strays]).warnings
    assert lacks in warning
    assert planned([node("n"), pod("p", on="m")], node("m")).warnings == ()
