"""Workloads in a whole cluster: daemons, jobs and numbered pods side by side."""

import json
from typing import Any

import pytest

from podium.cluster.virtual import Cluster

Obj = dict[str, Any]
LABELS = {"app": "a"}


def node(name: str, **spec: Any) -> Obj:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    metadata = {"name": name}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def workload(kind: str, name: str, *, group: str = "apps", **spec: Any) -> Obj:
    labels = {"app": name}
    pod = {"containers": [{"name": "c", "image": "i"}], **spec.pop("pod", {})}
    annotations = spec.pop("annotations", {})
    if group == "apps":
        spec["selector"] = {"matchLabels": labels}
    template = {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod}
    return {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**spec, "template": template},
    }


def nodes_of(cluster: Cluster, app: str) -> list[str]:
    return sorted(
        pod["spec"].get("nodeName", "")
        for pod in cluster.store.list("Pod").items
        if pod["metadata"]["labels"]["app"] == app
    )


def status_of(cluster: Cluster, kind: str, name: str) -> Any:
    found = cluster.store.get(kind, "default", name)
    assert found is not None
    return found["status"]


@pytest.fixture
def cluster() -> Cluster:
    cordon = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    cluster = Cluster()
    cluster.load(
        [
            node("n0"),
            node("n1"),
            node("n2", unschedulable=True, taints=cordon),
            workload("DaemonSet", "daemon"),
            workload("StatefulSet", "db", replicas=3, serviceName="db"),
            workload(
                "Job",
                "once",
                group="batch",
                completions=5,
                parallelism=2,
                ttlSecondsAfterFinished=60,
                pod={"restartPolicy": "Never"},
                annotations={"podium.dev/run-duration": "10s"},
            ),
        ]
    )
    cluster.start()
    return cluster


def test_each_kind_gets_what_it_wants(cluster: Cluster) -> None:
    cluster.driver.advance(60)
    assert nodes_of(cluster, "daemon") == ["n0", "n1", "n2"]
    assert len(nodes_of(cluster, "db")) == 3
    assert status_of(cluster, "StatefulSet", "db")["availableReplicas"] == 3
    job = status_of(cluster, "Job", "once")
    assert job["succeeded"] == 5
    assert job["conditions"][-1]["type"] == "Complete"
    cluster.driver.advance(60)
    assert cluster.store.get("Job", "default", "once") is None
    assert nodes_of(cluster, "once") == []


def test_a_state_without_revisions_is_left_as_it_is(cluster: Cluster) -> None:
    cluster.driver.advance(60)
    kinds = ("Node", "DaemonSet", "StatefulSet", "Pod")
    state = [obj for kind in kinds for obj in cluster.store.list(kind).items]
    # Another API server's hashes are others.
    for revision in cluster.store.list("ControllerRevision").items:
        hashed = revision["metadata"]["name"].rpartition("-")[2]
        state = json.loads(json.dumps(state).replace(hashed, "5d4f8c7b9"))
    again = Cluster()
    again.load(state)
    again.start()
    again.driver.advance(300)

    def uids(one: Cluster) -> set[str]:
        return {
            pod["metadata"]["uid"]
            for pod in one.store.list("Pod").items
            if pod["metadata"]["labels"]["app"] != "once"
        }

    assert uids(again) == uids(cluster)
