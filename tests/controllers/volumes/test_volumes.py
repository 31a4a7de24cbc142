"""Volumes that are made where the scheduler has chosen, and in spite of faults."""

import pytest

from podium.cluster.drivers.faults import Faults
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.controllers.volumes.persistent_volumes import PersistentVolumeController
from podium.controllers.volumes.pod_claims import VolumeProtectionController
from podium.controllers.volumes.volume_provisioner import VolumeProvisioner
from tests import objects
from tests.controllers.builders import Obj
from tests.controllers.worlds import World


@pytest.mark.parametrize("seed", range(3))
def test_the_scheduler_chooses_where_and_the_volume_is_made_there(seed: int) -> None:
    cluster = Cluster(ClusterOptions(seed=seed))
    zoned = [objects.node("n1", zone="z1"), objects.node("n2", zone="z2")]
    csi = [csi_node("n1"), csi_node("n2")]
    waiting = objects.storage_class("fast", provisioner="disks.example.com", waits=True)
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
    pinned = objects.pod("p", volumes=volumes, nodeSelector={objects.ZONE: "z2"})
    cluster.load([*zoned, *csi, waiting, objects.claim("c", "fast")])
    cluster.start()
    cluster.driver.advance(30)
    events = cluster.store.list("Event").items
    (note,) = [one["message"] for one in events if one["involvedObject"]["name"] == "c"]
    assert note == "waiting for first consumer to be created before binding"
    assert not cluster.store.list("PersistentVolume").items
    cluster.load([pinned])
    cluster.driver.advance(30)
    (only,) = cluster.store.list("PersistentVolume").items
    (term,) = only["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    (expression,) = term["matchExpressions"]
    assert (expression["key"], expression["values"]) == ("topology.kubernetes.io/zone", ["z2"])
    placed = cluster.store.get("Pod", "default", "p")
    assert placed is not None
    assert (placed["spec"]["nodeName"], placed["status"]["phase"]) == ("n2", "Running")


def csi_node(name: str) -> Obj:
    driver = {"name": "disks.example.com", "nodeID": name, "topologyKeys": [objects.ZONE]}
    header = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}}
    return {**header, "spec": {"drivers": [driver]}}


def test_what_fails_is_tried_again() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, restarts=0.05, slow_watches=0.2)
    machines = (PersistentVolumeController, VolumeProvisioner, VolumeProtectionController)
    world = World(*machines, faults=trouble)
    world.create(objects.storage_class("fast", provisioner="disks.example.com"))
    names = [f"c{number}" for number in range(10)]
    for name in names:
        world.create(objects.claim(name, "fast"))
    world.driver.advance(300)
    claims = world.all("PersistentVolumeClaim")
    assert [claim["status"]["phase"] for claim in claims] == ["Bound"] * 10
    assert len(world.all("PersistentVolume")) == 10
    for name in names:
        world.delete("PersistentVolumeClaim", name)
    world.driver.advance(300)
    assert world.all("PersistentVolume") == []
