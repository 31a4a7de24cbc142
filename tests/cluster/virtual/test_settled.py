"""A cluster that leaves what was loaded as it is, until something happens to it."""

import copy
from itertools import chain
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.kubectl_apply import apply_manifest
from tests.objects import READY, budget, node, pod, workload

RUNNING = {**READY, "startTime": "2026-01-01T00:00:00Z"}


def owned(owner: Any, *numbers: int, **labels: str) -> list[Any]:
    name = owner["metadata"]["name"]
    fields = {"app": name, "owner": owner, "status": RUNNING}
    pods = [pod(f"{name}-{n}", on=f"n{n}", uid=f"p{n}", **fields) for n in numbers]
    for one in pods:
        one["metadata"]["labels"] |= labels
    return pods


def settled(*objects: Any) -> Cluster:
    nodes = [node(f"n{number}") for number in range(4)]
    cluster = Cluster(ClusterOptions(settled=True))
    cluster.load([*nodes, *objects])
    cluster.start()
    cluster.driver.advance(60)
    return cluster


def names(cluster: Cluster) -> list[str]:
    return [one["metadata"]["name"] for one in cluster.store.list("Pod").items]


def delete(cluster: Cluster, kind: str, name: str, namespace: str = "default") -> None:
    cluster.server.delete(Attributes(KINDS[kind], namespace, name, cluster.driver.now_s))
    cluster.driver.advance(120)


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "DaemonSet", "Deployment", "Job"])
def test_a_workload_that_lacks_pods_keeps_lacking_them(kind: str) -> None:
    owner = workload(kind, "web", uid="w", replicas=3, parallelism=3, completions=3)
    pods = [] if kind == "Deployment" else owned(owner, 0, 1)
    assert len(names(settled(owner, *pods))) == len(pods)


@pytest.mark.parametrize(("kind", "count"), [("ReplicaSet", 3), ("DaemonSet", 2)])
def test_it_is_repaired_where_one_of_its_pods_goes(kind: str, count: int) -> None:
    owner = workload(kind, "web", uid="w", replicas=3)
    cluster = settled(owner, *owned(owner, 0, 1))
    delete(cluster, "Pod", "web-0")
    places = {one["spec"]["nodeName"] for one in cluster.store.list("Pod").items}
    assert len(names(cluster)) == count
    assert kind == "ReplicaSet" or places == {"n0", "n1"}


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_pods_of_revisions_that_arent_there_count_as_up_to_date(kind: str) -> None:
    owner = workload(kind, "web", uid="w", replicas=2)
    cluster = settled(owner, *owned(owner, 0, 1))
    uids = {one["metadata"]["uid"] for one in cluster.store.list("Pod").items}
    spec = {**owner["spec"], "minReadySeconds": 1}
    apply_manifest(cluster, {**owner, "spec": spec})
    cluster.driver.advance(120)
    assert uids <= {one["metadata"]["uid"] for one in cluster.store.list("Pod").items}


def test_a_template_that_isnt_that_of_the_pods_is_left_alone() -> None:
    owner = workload("StatefulSet", "web", uid="w", replicas=2)
    old = {"controller-revision-hash": "web-old"}
    cluster = settled(owner, *owned(owner, 0, 1, **old))
    delete(cluster, "Pod", "web-1")
    assert names(cluster) == ["web-0", "web-1"]
    assert "p0" in {one["metadata"]["uid"] for one in cluster.store.list("Pod").items}


@pytest.mark.parametrize(
    ("kind", "after_s"), [("Deployment", 15), ("StatefulSet", 60), ("DaemonSet", 60)]
)
def test_a_rollout_that_was_under_way_goes_on(kind: str, after_s: float) -> None:
    replicas = {} if kind == "DaemonSet" else {"replicas": 4}
    web = workload(kind, "web", **replicas)
    web["spec"]["template"]["metadata"]["annotations"] = {"podium.dev/ready-after": "10s"}
    before = Cluster(ClusterOptions(seed=7))
    before.load([*(node(f"n{number}") for number in range(4)), web])
    before.start()
    before.driver.advance(60)
    newer = copy.deepcopy(web)
    newer["spec"]["template"]["metadata"]["annotations"]["version"] = "2"
    apply_manifest(before, newer)
    before.driver.advance(after_s)
    kinds = ("Node", "Pod", kind, "ReplicaSet", "ControllerRevision")
    state = [*chain.from_iterable(before.store.list(kind).items for kind in kinds)]
    cluster = Cluster(ClusterOptions(settled=True, start_s=before.driver.now_s))
    cluster.load(state)
    cluster.start()
    assert len(revisions(cluster)) == 2
    # The pod that was on its way out goes, and then the next.
    cluster.driver.advance(300)
    assert len(revisions(cluster)) == 1


def revisions(cluster: Cluster) -> set[str]:
    """The revisions of all pods."""
    hashes = ("controller-revision-hash", "pod-template-hash")
    found = [one["metadata"]["labels"] for one in cluster.store.list("Pod").items]
    return {labels[key] for labels in found for key in hashes if key in labels}


def test_an_owner_that_isnt_there_is_stood_in_for() -> None:
    owner = workload("ReplicaSet", "web", uid="w")
    cluster = settled(budget("web", maxUnavailable=1), *owned(owner, 0, 1))
    assert len(names(cluster)) == 2
    delete(cluster, "Pod", "web-0")
    assert len(names(cluster)) == 2
    (found,) = cluster.store.list("PodDisruptionBudget").items
    assert found["status"]["disruptionsAllowed"] == 1


def test_stand_ins_belong_to_the_deployment_that_is_there() -> None:
    deployment = workload("Deployment", "web", uid="d", replicas=2)
    replica_set = workload("ReplicaSet", "web-77", uid="r")
    pods = owned(replica_set, 0, 1, **{"pod-template-hash": "77", "app": "web"})
    cluster = settled(deployment, *pods)
    apply_manifest(cluster, {**deployment, "spec": {**deployment["spec"], "replicas": 3}})
    cluster.driver.advance(60)
    (found,) = cluster.store.list("ReplicaSet").items
    assert (found["metadata"]["name"], found["spec"]["replicas"]) == ("web-77", 3)
    assert len(names(cluster)) == 3


def test_pods_of_nodes_that_arent_there_stay() -> None:
    cluster = settled(pod("lost", on="nowhere", uid="p", status=RUNNING))
    assert names(cluster) == ["lost"]
