"""Numbered pods with local volumes, while calls fail and pods come at once."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults, Latency
from podium.cluster.virtual import Cluster, ClusterOptions

Obj = dict[str, Any]

HOST = "kubernetes.io/hostname"
CLASS: Obj = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "local"},
    "provisioner": "kubernetes.io/no-provisioner",
    "volumeBindingMode": "WaitForFirstConsumer",
}


def node(name: str) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    }


def local_volume(name: str, host: str) -> Obj:
    expression = {"key": HOST, "operator": "In", "values": [host]}
    terms = [{"matchExpressions": [expression]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": "/data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
    }


def stateful_set(replicas: int) -> Obj:
    labels = {"app": "db"}
    mount = {"name": "data", "mountPath": "/data"}
    claim_spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "local",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "serviceName": "db",
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "i", "volumeMounts": [mount]}]},
            },
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim_spec}],
        },
    }


TROUBLE = Faults(refused=0.2, unanswered=0.1, slow=0.2, slow_watches=0.2, broken_watches=0.05)


@pytest.mark.parametrize(("faults", "seed"), [(NO_FAULTS, 0), (TROUBLE, 1), (TROUBLE, 2)])
def test_each_pod_runs_where_its_own_volume_is(faults: Faults, seed: int) -> None:
    """Five pods, volumes for four of them: nobody gets another one's, and one waits."""
    hosts = {"v0": "n0", "v1": "n0", "v2": "n1", "v3": "n2"}
    options = ClusterOptions(seed=seed, faults=faults, latency=Latency(0.05, 0.05, 0.05))
    cluster = Cluster(options)
    volumes = [local_volume(name, host) for name, host in hosts.items()]
    nodes = [node(f"n{number}") for number in range(4)]
    assert cluster.load([CLASS, *nodes, *volumes, stateful_set(5)]) == []
    cluster.start()
    cluster.driver.advance(1500)
    owners = {
        claim["spec"]["volumeName"]: claim["metadata"]["name"]
        for claim in cluster.store.list("PersistentVolumeClaim").items
        if claim["spec"].get("volumeName")
    }
    assert owners.keys() == hosts.keys()
    placed = {
        f"data-{pod['metadata']['name']}": pod["spec"]["nodeName"]
        for pod in cluster.store.list("Pod").items
        if pod["status"]["phase"] == "Running"
    }
    assert placed == {claim: hosts[volume] for volume, claim in owners.items()}
