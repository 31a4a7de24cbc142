"""A whole cluster in virtual time: what is loaded, and what then happens."""

from typing import Any

import msgspec
import pytest

from podium.api.errors import PodiumError
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.objects import claim, node, pod, priority_class, storage_class, workload

NODES = [node("n0"), node("n1")]


def pods_of(cluster: Cluster) -> list[Any]:
    return [*cluster.store.list("Pod").items]


def started(*objects: Any, **options: Any) -> Cluster:
    """A cluster after ten seconds."""
    cluster = Cluster(ClusterOptions(**options))
    assert cluster.load(objects) == []
    cluster.start()
    cluster.driver.advance(10)
    return cluster


def web(replicas: int, name: str = "web") -> Any:
    return workload("ReplicaSet", name, replicas=replicas)


def test_workloads_get_their_pods_and_pods_run() -> None:
    cluster = started(*NODES, web(4))
    assert [pod["status"]["phase"] for pod in pods_of(cluster)] == ["Running"] * 4
    (owner,) = cluster.store.list("ReplicaSet").items
    assert owner["status"]["readyReplicas"] == 4


def test_the_same_seed_ends_in_the_same_store() -> None:
    def play(seed: int) -> list[Any]:
        store = started(*NODES, web(5), seed=seed).store
        return [store.list(kind).items for kind in ("Pod", "Event", "Node", "Lease")]

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_what_was_written_by_hand_is_completed() -> None:
    cluster = Cluster()
    told = node("n1", status={"conditions": [{"type": "Ready", "status": "True"}]})
    running = pod("a", on="n0", priorityClassName="urgent")
    elsewhere, nowhere = pod("c", namespace="shop"), pod("b")
    del nowhere["metadata"]["namespace"]
    cluster.load([running, nowhere, elsewhere, node("n0"), told, priority_class("urgent", 1000)])
    a, b, _ = pods_of(cluster)
    assert cluster.store.get("Namespace", "", "shop")
    assert b["metadata"]["namespace"] == "default"
    assert (a["spec"]["priority"], a["status"]["phase"]) == (1000, "Running")
    assert a["status"]["startTime"] == "2026-01-01T00:00:00Z"
    assert b["status"]["phase"] == "Pending"
    for loaded in cluster.store.list("Node").items:
        assert "taints" not in loaded["spec"]
        (ready,) = [one for one in loaded["status"]["conditions"] if one["type"] == "Ready"]
        assert (ready["status"], ready["lastTransitionTime"]) == ("True", "2026-01-01T00:00:00Z")


def test_what_comes_from_a_cluster_stays_as_it_is() -> None:
    cluster = Cluster()
    deleted = {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    metadata = {"creationTimestamp": "2025-12-31T00:00:00Z", **deleted}
    status = {"phase": "Running", "podIP": "10.0.0.1"}
    raw = pod("a", on="gone", uid="u1", priority=7, metadata=metadata, status=status)
    cluster.load([raw])
    (stored,) = pods_of(cluster)
    assert (stored["status"], stored["spec"]["priority"]) == (raw["status"], 7)
    assert {**stored["metadata"], **raw["metadata"]} == stored["metadata"]
    assert stored["metadata"].keys() - raw["metadata"].keys() == {"resourceVersion"}


@pytest.mark.parametrize(("uid", "priority"), [("", 0), ("u", None)])
def test_a_pod_whose_class_is_missing_is_told_of(uid: str, priority: int | None) -> None:
    """Of an exported pod, the priority is that of its class, if it was taken away."""
    cluster = Cluster()
    state = [priority_class("high", 9), pod("b", on="n0", uid=uid, priorityClassName="no")]
    state.append(pod("a", on="n0", uid=f"{uid}a", priorityClassName="high"))
    (note,) = cluster.load(state)
    assert note.startswith("Pod default/b is taken as it stands, although ")
    assert [one["spec"].get("priority") for one in pods_of(cluster)] == [9, priority]


def test_controllers_are_chosen_by_name() -> None:
    assert pods_of(started(node("n0"), web(4), controllers=frozenset())) == []
    with pytest.raises(PodiumError, match="no controller web; there are deployment"):
        Cluster(ClusterOptions(controllers=frozenset({"web"})))


def test_volumes_take_as_long_as_the_options_say() -> None:
    disks = storage_class("disks", provisioner="disks.example.com")
    cluster = started(disks, claim("data", "disks"), provisioning_s=90.0)
    cluster.driver.advance(79.9)
    assert not cluster.store.list("PersistentVolume").items
    cluster.driver.advance(0.1)
    assert len(cluster.store.list("PersistentVolume").items) == 1


def test_who_goes_on_with_a_store_finds_it_as_it_was_and_repeats_no_uid() -> None:
    def uids(cluster: Cluster) -> set[str]:
        return {one["metadata"]["uid"] for one in pods_of(cluster)}

    first = started(node("n0"), web(2))
    before = uids(first)
    second = Cluster(ClusterOptions(start_s=first.driver.now_s), first.store)
    second.load([web(2, "shop")])
    second.start()
    second.driver.advance(10)
    assert uids(second) > before
    assert [pod["status"]["phase"] for pod in pods_of(second)] == ["Running"] * 4


def test_a_state_without_revisions_is_left_as_it_is() -> None:
    daemon, db = workload("DaemonSet", "daemon"), workload("StatefulSet", "db", replicas=3)
    cluster = started(*NODES, daemon, {**db, "spec": {**db["spec"], "serviceName": "db"}})
    cluster.driver.advance(50)
    kinds = ("Node", "DaemonSet", "StatefulSet", "Pod")
    state = [obj for kind in kinds for obj in cluster.store.list(kind).items]
    # Another API server's hashes are others.
    text = msgspec.json.encode(state).decode()
    for revision in cluster.store.list("ControllerRevision").items:
        text = text.replace(revision["metadata"]["name"].rpartition("-")[2], "5d4f8c7b9")
    again = Cluster()
    again.load(msgspec.json.decode(text))
    again.start()
    again.driver.advance(300)
    uids = [sorted(one["metadata"]["uid"] for one in pods_of(each)) for each in (cluster, again)]
    assert len(uids[0]) == 5
    assert uids[0] == uids[1]
