"""VolumeZone's words, and what it looks at."""

import pytest

from podium.scheduler.framework.status import Code
from podium.scheduler.plugins.volume_zone import VolumeZone
from tests.scheduler.plugins.volumes import (
    ZONE,
    Cluster,
    claim,
    in_zone,
    node,
    persistent_volume,
    pod,
    storage_class,
    uses,
)

WRONG_ZONE = ("node(s) had no available volume zone",)
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"


def elsewhere(label: str, zones: str, *nodes: dict[str, object]) -> list[str]:
    volume = persistent_volume("vol", labels={label: zones})
    cluster = Cluster(nodes, claim("data", volume="vol"), volume)
    plugin, new = VolumeZone(cluster.handle), cluster.pending(pod("p", uses("data")))
    assert plugin.pre_filter(new).status.is_success
    reasons = cluster.reasons(plugin.filter(new))
    assert set(reasons.values()) <= {WRONG_ZONE}
    return sorted(reasons)


def test_nodes_in_another_zone_are_ruled_out() -> None:
    assert elsewhere(ZONE, "a", in_zone("n1", "a"), in_zone("n2", "b")) == ["n2"]


def test_a_volume_can_be_in_several_zones() -> None:
    nodes = [in_zone(f"in-{zone}", zone) for zone in "abc"]
    assert elsewhere(ZONE, "a__ b", *nodes) == ["in-c"]


def test_a_list_with_a_gap_is_ignored() -> None:
    assert elsewhere(ZONE, "a__", in_zone("n1", "b")) == []


def test_nodes_without_any_such_label_are_in_the_only_zone() -> None:
    assert elsewhere(ZONE, "a", node("n1")) == []


def test_the_older_label_of_a_volume_is_met_by_the_newer_of_a_node() -> None:
    assert elsewhere(BETA_ZONE, "a", in_zone("n1", "a"), in_zone("n2", "b")) == ["n2"]


def test_the_newer_label_of_a_volume_isnt_met_by_the_older_of_a_node() -> None:
    old = {"metadata": {"name": "old", "labels": {BETA_ZONE: "a"}}}
    assert elsewhere(ZONE, "a", old) == ["old"]


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([], 'persistentvolumeclaim "data" not found'),
        ([claim("data", volume="vol")], 'persistentvolume "vol" not found'),
        ([claim("data")], "PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("data", "fast")], 'storageclass.storage.k8s.io "fast" not found'),
        (
            [claim("data", "fast"), storage_class("fast", mode=None)],
            'VolumeBindingMode not set for StorageClass "fast"',
        ),
        (
            [claim("data", "fast"), storage_class("fast", mode="Immediate")],
            "PersistentVolume had no name",
        ),
    ],
)
def test_claims_that_cant_be_followed(objects: list[dict[str, object]], reason: str) -> None:
    cluster = Cluster([node("n1")], *objects)
    new = cluster.pending(pod("p", uses("data")))
    status = VolumeZone(cluster.handle).pre_filter(new).status
    assert (status.code, status.reasons) == (Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))


def test_a_claim_without_a_name() -> None:
    cluster = Cluster([node("n1")])
    status = VolumeZone(cluster.handle).pre_filter(cluster.pending(pod("p", uses("")))).status
    assert status.reasons == ("PersistentVolumeClaim had no name",)


def test_claims_that_wait_for_their_consumer_have_no_zone_yet() -> None:
    cluster = Cluster([in_zone("n1", "a")], claim("data", "fast"), storage_class("fast"))
    plugin, new = VolumeZone(cluster.handle), cluster.pending(pod("p", uses("data")))
    assert plugin.pre_filter(new).status.is_success
    assert plugin.filter(new) is None
