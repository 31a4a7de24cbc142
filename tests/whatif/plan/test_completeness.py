"""Kinds that a complete answer needs are missed only where they are needed."""

from typing import Any

import pytest

from podium.api.kinds.snapshot_kinds import EXPORT_COMMAND
from tests.conftest import ROOT
from tests.objects import budget, namespace, node, pod, priority_class, reference, workload
from tests.whatif.plan.plans import planned

# What a cluster may have any number of, none included.
ANY = {"LimitRange", "PodDisruptionBudget", "ResourceQuota"}
README = ROOT / "README.md"


def missed(*state: Any, applied: tuple[Any, ...] = ()) -> set[str]:
    warnings = planned(list(state), *applied).warnings
    return {w.split()[4].rstrip(":") for w in warnings if w.startswith("the state has no ")}


def test_what_is_written_by_hand_may_be_small() -> None:
    assert planned([node("n"), pod("p", on="n")], pod("q")).warnings == ()


def test_an_export_without_what_every_cluster_has_is_warned_about() -> None:
    usual = {"Namespace", "PriorityClass", "Service"}
    assert missed(node("n", uid="u")) == {*usual, *ANY}


def test_a_complete_export_may_lack_what_the_cluster_has_none_of() -> None:
    """What every cluster has is there; so whoever made the export was given budgets, too."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes"}}
    state = [node("n", uid="u"), namespace("default"), priority_class("system-node-critical", 1)]
    assert missed(*state) == {"Service", *ANY}
    assert missed(*state, {**service, "spec": {}}) == set()


def test_the_last_warning_says_how_to_do_better() -> None:
    assert planned([node("n", uid="u")]).warnings[-1].endswith(EXPORT_COMMAND)


def test_nothing_is_missed_of_a_whole_cluster() -> None:
    assert planned([node("n", uid="u")], is_whole=True).warnings == ()


def test_the_readme_gives_the_same_command() -> None:
    text = README.read_text().replace("\\\n", "")
    assert f"{EXPORT_COMMAND} > state.json" in text


def test_a_state_without_nodes() -> None:
    outcome = planned([], pod("p"))
    assert outcome.pending[0].message == "no nodes available to schedule pods"
    assert outcome.warnings[0] == "the state has no Node: nothing can be placed"


def test_owners_of_pods() -> None:
    owned = pod("p", on="n", owner=workload("ReplicaSet", "web"))
    assert missed(node("n"), owned) == {"ReplicaSet"}
    assert missed(node("n"), owned, workload("ReplicaSet", "web", uid="w")) == set()


def test_deployments_of_replica_sets_that_budgets_count_by() -> None:
    replica_set = workload("ReplicaSet", "web-1", uid="r")
    owner = {**reference(workload("Deployment", "web")), "controller": True}
    replica_set["metadata"]["ownerReferences"] = [owner]
    assert missed(node("n"), replica_set) == set()
    assert missed(node("n"), replica_set, budget("web", maxUnavailable=1)) == {"Deployment"}


@pytest.mark.parametrize("name", ["system-node-critical", "known"])
def test_classes_that_are_there_are_not_missed(name: str) -> None:
    known = priority_class("known", 1)
    state = [node("n"), known] if name == "known" else [node("n")]
    assert missed(*state, applied=(pod("p", priorityClassName=name),)) == set()


def test_storage() -> None:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    assert missed(node("n"), pod("p", volumes=[volume])) == {"PersistentVolumeClaim"}
    claim: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"storageClassName": "s", "resources": {"requests": {"storage": "1Gi"}}},
    }
    assert missed(node("n"), claim) == {"StorageClass"}
    claim["spec"]["volumeName"] = "v"
    assert missed(node("n"), claim) == {"PersistentVolume"}
    persistent = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "v"},
        "spec": {"csi": {"driver": "example.com/disk", "volumeHandle": "v"}},
    }
    assert missed(node("n"), claim, persistent) == {"CSINode"}
    limit = {"name": "example.com/disk", "nodeID": "n", "allocatable": {"count": 9}}
    meta = {"apiVersion": "storage.k8s.io/v1", "metadata": {"name": "n"}}
    csi_node = {**meta, "kind": "CSINode", "spec": {"drivers": [limit]}}
    assert missed(node("n"), claim, persistent, csi_node) == {"VolumeAttachment"}
    driver = {**meta, "kind": "CSIDriver", "metadata": {"name": "example.com/disk"}}
    detached = {**driver, "spec": {"attachRequired": False}}
    assert missed(node("n"), claim, persistent, csi_node, detached) == set()
    # No kubelet has registered drivers there.
    simulated = node("n")
    simulated["metadata"]["annotations"] = {"podium.dev/simulated": "true"}
    assert missed(simulated, claim, persistent) == set()


def test_pods_on_nodes_that_arent_there() -> None:
    strays = [pod(f"p{i}", on=f"m{i}") for i in range(5)]
    warning = "5 pods are on nodes that the state lacks: m0, m1, m2 and 2 more"
    assert planned([node("n"), *strays]).warnings[0] == warning


def test_pods_may_be_on_nodes_that_are_applied() -> None:
    applied = planned([node("n"), pod("p", on="m")], node("m"))
    assert not [warning for warning in applied.warnings if "that the state lacks" in warning]
