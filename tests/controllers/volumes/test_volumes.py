"""Claims get volumes, chosen or made, and both stay as long as they are used."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.cluster.virtual import Cluster, ClusterOptions
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.volumes.persistent_volumes import PersistentVolumeController
from podium.controllers.volumes.pod_claims import (
    EphemeralVolumeController,
    VolumeProtectionController,
)
from podium.controllers.volumes.volume_provisioner import VolumeProvisioner
from tests import objects
from tests.controllers.builders import Obj
from tests.controllers.worlds import World


def claim(name: str, size: str = "1Gi", cls: str = "manual", **spec: Any) -> Obj:
    resources = {"requests": {"storage": size}}
    fields = {"accessModes": ["ReadWriteOnce"], "resources": resources, "storageClassName": cls}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**fields, **spec},
    }


def volume(name: str, size: str = "1Gi", cls: str = "manual", **spec: Any) -> Obj:
    fields = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": cls,
        "persistentVolumeReclaimPolicy": "Retain",
        "hostPath": {"path": "/data"},
    }
    header = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}}
    return {**header, "spec": {**fields, **spec}}


def storage_class(name: str, mode: str = "Immediate", **fields: Any) -> Obj:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "disks.example.com",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": mode,
        **fields,
    }


def pod(name: str, volumes: list[Obj]) -> Obj:
    return objects.pod(name, volumes=volumes, terminationGracePeriodSeconds=10)


def using(name: str, claim_name: str) -> Obj:
    return pod(name, [{"name": "v", "persistentVolumeClaim": {"claimName": claim_name}}])


def world(*objects: Obj, faults: Faults = NO_FAULTS) -> World:
    machines = (
        PersistentVolumeController,
        VolumeProvisioner,
        VolumeProtectionController,
        EphemeralVolumeController,
    )
    made = World(*machines, GarbageCollector, faults=faults)
    for one in objects:
        made.create(one)
    made.driver.advance(5)
    return made


def bound(made: World, name: str) -> tuple[str, str]:
    found = made.get("PersistentVolumeClaim", name)
    return found["status"]["phase"], found["spec"].get("volumeName", "")


def phase(made: World, name: str) -> str:
    return str(made.get("PersistentVolume", name)["status"]["phase"])


def test_a_claim_gets_the_smallest_volume_that_is_large_enough() -> None:
    made = world(volume("large", "9Gi"), volume("fits", "3Gi"), volume("small"), claim("c", "2Gi"))
    assert bound(made, "c") == ("Bound", "fits")
    found = made.get("PersistentVolumeClaim", "c")
    assert found["status"]["capacity"] == {"storage": "3Gi"}
    assert found["metadata"]["annotations"] == {
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
    }
    reference = made.get("PersistentVolume", "fits")["spec"]["claimRef"]
    assert (reference["name"], reference["uid"]) == ("c", found["metadata"]["uid"])
    phases = [phase(made, one) for one in ("large", "fits", "small")]
    assert phases == ["Available", "Bound", "Available"]


def test_a_claim_waits_for_a_volume_that_fits() -> None:
    made = world(claim("c"), volume("other", cls="another"))
    assert bound(made, "c") == ("Pending", "")
    made.create(volume("v"))
    made.driver.advance(0)
    assert bound(made, "c") == ("Bound", "v")


def test_no_volume_has_two_claims() -> None:
    made = world(volume("v"), claim("a"), claim("b"))
    assert sorted([bound(made, "a"), bound(made, "b")]) == [("Bound", "v"), ("Pending", "")]


def test_a_volume_that_is_meant_for_a_claim_goes_to_no_other() -> None:
    meant: Obj = {"claimRef": {"namespace": "default", "name": "b"}}
    made = world(volume("v", **meant), claim("a"))
    assert (bound(made, "a"), phase(made, "v")) == (("Pending", ""), "Available")
    made.create(claim("b"))
    made.driver.advance(0)
    assert bound(made, "b") == ("Bound", "v")


def test_a_claim_may_name_its_volume() -> None:
    made = world(volume("v"), volume("w"), claim("c", volumeName="w"))
    assert bound(made, "c") == ("Bound", "w")


LOCAL = storage_class("local", provisioner="kubernetes.io/no-provisioner")


@pytest.mark.parametrize(
    ("objects", "reason", "note"),
    [
        (
            [volume("v"), claim("c", "5Gi", volumeName="v")],
            "VolumeMismatch",
            'Cannot bind to requested volume "v": requested PV is too small',
        ),
        (
            [claim("c", cls="")],
            "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set",
        ),
        (
            [LOCAL, claim("c", cls="local")],
            "ProvisioningFailed",
            "no volume plugin matched name: kubernetes.io/no-provisioner",
        ),
    ],
)
def test_an_event_says_why_a_claim_waits(objects: list[Obj], reason: str, note: str) -> None:
    made = world(*objects)
    assert bound(made, "c")[0] == "Pending"
    assert made.events(reason) == [note]


def test_a_kept_volume_is_released_and_goes_to_nobody_else() -> None:
    made = world(volume("v"), claim("a"))
    made.delete("PersistentVolumeClaim", "a")
    made.create(claim("b"))
    made.driver.advance(5)
    assert phase(made, "v") == "Released"
    assert bound(made, "b") == ("Pending", "")


def test_a_claim_whose_volume_is_gone_is_lost() -> None:
    made = world(volume("v"), claim("c"))
    made.patch("PersistentVolume", "v", {"metadata": {"finalizers": None}})
    made.delete("PersistentVolume", "v", "")
    made.driver.advance(0)
    assert bound(made, "c")[0] == "Lost"
    assert made.events("ClaimLost") == [
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    ]


def test_a_class_with_a_provisioner_makes_volumes_and_removes_them() -> None:
    made = world(storage_class("fast"), claim("c", "7Gi", "fast"))
    (only,) = made.all("PersistentVolume")
    uid = made.get("PersistentVolumeClaim", "c")["metadata"]["uid"]
    assert only["metadata"]["name"] == f"pvc-{uid}"
    assert only["spec"]["capacity"] == {"storage": "7Gi"}
    assert bound(made, "c") == ("Bound", f"pvc-{uid}")
    assert made.events("ProvisioningSucceeded") == [f"Successfully provisioned volume pvc-{uid}"]
    made.delete("PersistentVolumeClaim", "c")
    made.driver.advance(5)
    assert made.all("PersistentVolume") == []


def test_a_deleted_claim_stays_while_a_pod_uses_it() -> None:
    made = world(volume("v"), claim("c"), using("p", "c"))
    made.delete("PersistentVolumeClaim", "c")
    made.driver.advance(5)
    assert made.get("PersistentVolumeClaim", "c") is not None
    made.delete("Pod", "p")
    made.driver.advance(5)
    assert made.get("PersistentVolumeClaim", "c") is not None
    made.driver.advance(10)
    assert made.get("PersistentVolumeClaim", "c") is None


def test_a_deleted_volume_stays_while_it_is_bound() -> None:
    made = world(volume("v"), claim("c"))
    made.delete("PersistentVolume", "v", "")
    made.driver.advance(5)
    assert phase(made, "v") == "Bound"
    made.delete("PersistentVolumeClaim", "c")
    made.driver.advance(5)
    assert made.get("PersistentVolume", "v") is None


def test_pods_bring_claims_along_and_take_them_away() -> None:
    template = {"spec": claim("", cls="fast")["spec"], "metadata": {"labels": {"a": "b"}}}
    scratch = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}
    made = world(storage_class("fast"), pod("p", [scratch]))
    found = made.get("PersistentVolumeClaim", "p-scratch")
    assert found["metadata"]["labels"] == {"a": "b"}
    assert found["metadata"]["ownerReferences"][0]["kind"] == "Pod"
    assert bound(made, "p-scratch")[0] == "Bound"
    made.delete("Pod", "p")
    made.driver.advance(30)
    assert made.get("PersistentVolumeClaim", "p-scratch") is None
    assert made.all("PersistentVolume") == []


def test_a_terminating_pod_gets_no_claims() -> None:
    scratch = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": claim("")["spec"]}}}
    leaving = pod("p", [scratch])
    leaving["metadata"]["finalizers"] = ["example.com/keep"]
    made = World(EphemeralVolumeController)
    made.create(leaving)
    made.delete("Pod", "p")
    made.driver.advance(5)
    assert made.get("Pod", "p")["metadata"]["deletionTimestamp"]
    assert made.get("PersistentVolumeClaim", "p-v") is None


def test_a_claim_that_was_there_before_is_not_the_pods() -> None:
    scratch = {"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": claim("")["spec"]}}}
    made = world(claim("p-v"), pod("p", [scratch]))
    assert made.events("FailedBinding") == [
        "PVC default/p-v was not created for pod default/p (pod is not owner)"
    ]


@pytest.mark.parametrize("seed", range(3))
def test_the_scheduler_chooses_where_and_the_volume_is_made_there(seed: int) -> None:
    cluster = Cluster(ClusterOptions(seed=seed))
    zoned = [objects.node("n1", zone="z1"), objects.node("n2", zone="z2")]
    csi = [csi_node("n1"), csi_node("n2")]
    waiting = storage_class("fast", "WaitForFirstConsumer")
    pinned = using("p", "c")
    pinned["spec"]["nodeSelector"] = {"topology.kubernetes.io/zone": "z2"}
    cluster.load([*zoned, *csi, waiting, claim("c", cls="fast")])
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
    claims = [claim(f"c{number}", cls="fast") for number in range(10)]
    made = world(storage_class("fast"), *claims, faults=trouble)
    made.driver.advance(300)
    assert {bound(made, f"c{number}")[0] for number in range(10)} == {"Bound"}
    assert len(made.all("PersistentVolume")) == 10
    for number in range(10):
        made.delete("PersistentVolumeClaim", f"c{number}")
    made.driver.advance(300)
    assert made.all("PersistentVolume") == []
