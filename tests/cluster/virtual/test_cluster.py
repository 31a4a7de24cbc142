"""A whole cluster in virtual time: what is loaded, and what then happens."""

from typing import Any

import pytest

from podium.cluster.virtual import Cluster, ClusterOptions
from podium.cluster.virtual.controller_list import UnknownControllerError


def node(name: str, cpu: str = "4") -> dict[str, Any]:
    status = {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def pod(name: str, cpu: str = "1", **spec: Any) -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def replica_set(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod("")["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": template,
        },
    }


def pods_of(cluster: Cluster) -> list[Any]:
    return [*cluster.store.list("Pod").items]


def test_workloads_get_their_pods_and_pods_run() -> None:
    cluster = Cluster()
    assert cluster.load([node("n0"), node("n1"), replica_set("web", 4)]) == []
    cluster.start()
    cluster.driver.advance(10)
    assert [p["status"]["phase"] for p in pods_of(cluster)] == ["Running"] * 4
    assert {p["metadata"]["namespace"] for p in pods_of(cluster)} == {"shop"}
    status = cluster.store.get("ReplicaSet", "shop", "web")["status"]  # type: ignore[index]
    assert status["readyReplicas"] == 4


def test_the_same_seed_ends_in_the_same_store() -> None:
    def play(seed: int) -> list[Any]:
        cluster = Cluster(ClusterOptions(seed=seed))
        cluster.load([node("n0"), node("n1"), replica_set("web", 5)])
        cluster.start()
        cluster.driver.advance(10)
        return [cluster.store.list(kind).items for kind in ("Pod", "Event", "Node", "Lease")]

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_what_was_written_by_hand_is_completed() -> None:
    cluster = Cluster()
    urgent = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 1000,
    }
    running = pod("a", nodeName="n0", priorityClassName="urgent")
    cluster.load([running, pod("b"), node("n0"), urgent])
    a, b = pods_of(cluster)
    assert a["spec"]["priority"] == 1000
    assert a["status"]["phase"] == "Running"
    assert a["status"]["startTime"] == "2026-01-01T00:00:00Z"
    assert b["status"]["phase"] == "Pending"
    loaded = cluster.store.get("Node", "", "n0")
    assert loaded is not None
    assert "taints" not in loaded["spec"]
    ready = [c for c in loaded["status"]["conditions"] if c["type"] == "Ready"]
    assert [c["status"] for c in ready] == ["True"]


def test_a_node_has_been_as_it_says_since_it_is_there() -> None:
    cluster = Cluster()
    told = node("n0") | {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    cluster.load([told])
    loaded = cluster.store.get("Node", "", "n0")
    assert loaded is not None
    (ready,) = loaded["status"]["conditions"]
    assert ready["lastTransitionTime"] == "2026-01-01T00:00:00Z"


def test_what_comes_from_a_cluster_stays_as_it_is() -> None:
    cluster = Cluster()
    raw = pod("a", nodeName="gone", priority=7)
    raw["metadata"] |= {
        "namespace": "x",
        "uid": "u1",
        "creationTimestamp": "2025-12-31T00:00:00Z",
        "deletionTimestamp": "2026-01-01T00:00:30Z",
        "deletionGracePeriodSeconds": 30,
    }
    raw["status"] = {"phase": "Running", "podIP": "10.0.0.1"}
    cluster.load([raw])
    stored = cluster.store.get("Pod", "x", "a")
    assert stored is not None
    assert stored["status"] == raw["status"]
    del stored["metadata"]["resourceVersion"]  # type: ignore[attr-defined]
    assert stored["metadata"] == raw["metadata"]
    assert stored["spec"]["priority"] == 7


def test_a_pod_whose_class_is_missing_is_told_of() -> None:
    cluster = Cluster()
    (note,) = cluster.load([pod("a", nodeName="n0", priorityClassName="none")])
    assert note.startswith("Pod default/a is taken as it stands, although ")
    assert pods_of(cluster)[0]["spec"]["priority"] == 0


def test_an_exported_pod_whose_priority_was_taken_away_has_that_of_its_class() -> None:
    cluster = Cluster()
    called = {"metadata": {"name": "high"}, "value": 9, "kind": "PriorityClass"}
    raw = [
        pod(name, nodeName="n0", priorityClassName=of) for name, of in (("a", "high"), ("b", "no"))
    ]
    for one in raw:
        one["metadata"] |= {"namespace": "x", "uid": one["metadata"]["name"]}
    (note,) = cluster.load([{"apiVersion": "scheduling.k8s.io/v1", **called}, *raw])
    assert note.startswith("Pod x/b is taken as it stands, although ")
    assert [one["spec"].get("priority") for one in pods_of(cluster)] == [9, None]


def test_controllers_are_chosen_by_name() -> None:
    cluster = Cluster(ClusterOptions(controllers=frozenset()))
    cluster.load([node("n0"), replica_set("web", 4)])
    cluster.start()
    cluster.driver.advance(10)
    assert pods_of(cluster) == []
    with pytest.raises(UnknownControllerError, match="no controller web; there are deployment"):
        Cluster(ClusterOptions(controllers=frozenset({"web"})))


def test_volumes_take_as_long_as_the_options_say() -> None:
    cluster = Cluster(ClusterOptions(provisioning_s=90.0))
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "disks"},
        "provisioner": "disks.example.com",
    }
    spec = {
        "storageClassName": "disks",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    metadata = {"name": "data", "namespace": "shop"}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata}
    cluster.load([storage_class, {**claim, "spec": spec}])
    cluster.start()
    cluster.driver.advance(89.9)
    assert not cluster.store.list("PersistentVolume").items
    cluster.driver.advance(0.1)
    assert len(cluster.store.list("PersistentVolume").items) == 1


def test_who_goes_on_with_a_store_finds_it_as_it_was_and_repeats_no_uid() -> None:
    def uids(cluster: Cluster) -> set[str]:
        return {one["metadata"]["uid"] for one in pods_of(cluster)}

    first = Cluster()
    first.load([node("n0"), replica_set("web", 2)])
    first.start()
    first.driver.advance(10)
    before = uids(first)
    second = Cluster(ClusterOptions(start_s=first.driver.now_s), first.store)
    second.load([{**replica_set("shop", 2)}])
    second.start()
    second.driver.advance(10)
    assert uids(second) > before
    assert len(uids(second)) == 4
    assert {p["status"]["phase"] for p in pods_of(second)} == {"Running"}
