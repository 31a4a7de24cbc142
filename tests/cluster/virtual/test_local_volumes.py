"""Numbered pods with local volumes, while calls fail and pods come at once."""

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults, Latency
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.objects import claim, node, storage_class, volume, workload

TROUBLE = Faults(refused=0.2, unanswered=0.1, slow=0.2, slow_watches=0.2, broken_watches=0.05)


@pytest.mark.parametrize(("faults", "seed"), [(NO_FAULTS, 0), (TROUBLE, 1), (TROUBLE, 2)])
def test_each_pod_runs_where_its_own_volume_is(faults: Faults, seed: int) -> None:
    """Five pods, volumes for four of them: nobody gets another one's, and one waits."""
    hosts = {"v0": "n0", "v1": "n0", "v2": "n1", "v3": "n2"}
    cluster = Cluster(ClusterOptions(seed=seed, faults=faults, latency=Latency(0.05, 0.05, 0.05)))
    parallel = {"serviceName": "db", "podManagementPolicy": "Parallel"}
    db = workload("StatefulSet", "db", replicas=5, **parallel)
    db["spec"]["volumeClaimTemplates"] = [claim("data", "local")]
    mount = {"name": "data", "mountPath": "/data"}
    db["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [mount]
    state = [
        storage_class("local", provisioner="kubernetes.io/no-provisioner", waits=True),
        *(node(f"n{number}") for number in range(4)),
        *(volume(name, "local", host, local={"path": "/data"}) for name, host in hosts.items()),
        db,
    ]
    assert cluster.load(state) == []
    cluster.start()
    cluster.driver.advance(1500)
    owners = {
        one["spec"]["volumeName"]: one["metadata"]["name"]
        for one in cluster.store.list("PersistentVolumeClaim").items
        if one["spec"].get("volumeName")
    }
    assert owners.keys() == hosts.keys()
    placed = {
        f"data-{pod['metadata']['name']}": pod["spec"]["nodeName"]
        for pod in cluster.store.list("Pod").items
        if pod["status"]["phase"] == "Running"
    }
    assert placed == {name: hosts[of] for of, name in owners.items()}
