"""In-tree volumes in the words of their CSI drivers."""

from typing import Any

import pytest

from podium.scheduler.snapshot.volumes.csi_migration import (
    Attachable,
    MigrationError,
    in_tree_plugin,
    migrated_affinity,
    migrated_volume,
    provisioning_driver,
    zones_of,
)
from tests.objects import ZONE

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
CSI_ZONE = "topology.gke.io/zone"
DISK = {"gcePersistentDisk": {"pdName": "d"}}


@pytest.mark.parametrize(
    ("zones", "place"),
    [
        ("", "zones/UNSPECIFIED"),
        ("us-east1-b", "zones/us-east1-b"),
        ("us-east1-b__us-east1-c", "regions/us-east1"),
    ],
)
def test_gce_disks_are_named_with_their_place(zones: str, place: str) -> None:
    handle = f"projects/UNSPECIFIED/{place}/disks/d"
    assert migrated_volume(DISK, zones) == Attachable("pd.csi.storage.gke.io", handle)


@pytest.mark.parametrize("zones", ["us-east1-b__us-west1-b", "a__b"])
def test_gce_disks_are_in_one_region(zones: str) -> None:
    with pytest.raises(MigrationError, match="one region"):
        migrated_volume(DISK, zones)


@pytest.mark.parametrize(
    ("volume_id", "handle"),
    [("vol-1", "vol-1"), ("anything", "anything"), ("aws://zone/vol-1", "vol-1")],
)
def test_aws_volumes_lose_their_zone(volume_id: str, handle: str) -> None:
    volume = {"awsElasticBlockStore": {"volumeID": volume_id}}
    assert migrated_volume(volume) == Attachable("ebs.csi.aws.com", handle)


@pytest.mark.parametrize("volume_id", ["aws://zone/disk-1", "aws://zone/vol-1/2", "aws://vol-1"])
def test_odd_aws_volumes(volume_id: str) -> None:
    with pytest.raises(MigrationError):
        migrated_volume({"awsElasticBlockStore": {"volumeID": volume_id}})


def test_other_volumes_arent_migrated() -> None:
    assert migrated_volume({"hostPath": {"path": "/"}}) is None


@pytest.mark.parametrize(
    ("provisioner", "driver"),
    [
        ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
        ("csi.example.com", "csi.example.com"),
        ("kubernetes.io/azure-file", ""),
        ("kubernetes.io/vsphere-volume", ""),
    ],
)
def test_provisioners(provisioner: str, driver: str) -> None:
    assert provisioning_driver(provisioner) == driver


def affinity(labels: dict[str, str], *expressions: dict[str, Any]) -> Any:
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    spec: dict[str, Any] = {**DISK}
    if expressions:
        spec["nodeAffinity"] = {"required": terms}
    plugin = in_tree_plugin(spec)
    assert plugin is not None
    required = migrated_affinity({"metadata": {"labels": labels}, "spec": spec}, plugin)
    return required and [term["matchExpressions"] for term in required["nodeSelectorTerms"]]


def is_in(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def test_older_regions_are_renamed_together_with_older_zones() -> None:
    older = [is_in(BETA_ZONE, "a"), is_in(BETA_REGION, "r")]
    newer = [is_in(CSI_ZONE, "a"), is_in("topology.kubernetes.io/region", "r")]
    assert affinity({}, *older) == [newer]
    assert affinity({ZONE: "a"}, is_in(BETA_REGION, "r"))[0][0] == is_in(BETA_REGION, "r")


def test_the_older_zone_label_comes_first() -> None:
    assert zones_of({"metadata": {"labels": {ZONE: "a", BETA_ZONE: "b"}}}) == "b"
    assert zones_of({"metadata": {"labels": {ZONE: "a"}}}) == "a"
    assert zones_of({"metadata": {}}) == ""
