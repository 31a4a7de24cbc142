"""NodeVolumeLimits' words, and which volumes count."""

import re

import pytest

from podium.scheduler.framework.interface import CycleError
from podium.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from tests.scheduler.plugins.volumes import (
    EPHEMERAL,
    Cluster,
    Object,
    claim,
    csi_node,
    node,
    persistent_volume,
    pod,
    uses,
)

NODES = [node("n1"), node("n2")]
TOO_MANY = ("node(s) exceed max volume count",)
ONE_EACH = (csi_node("n1", csi_example_com=1), csi_node("n2", csi_example_com=1))


def volume(name: str, handle: str) -> Object:
    return persistent_volume(name, csi={"driver": "csi.example.com", "volumeHandle": handle})


OBJECTS = (
    volume("v1", "h1"),
    volume("v2", "h2"),
    claim("one", volume="v1"),
    claim("two", volume="v2"),
    *ONE_EACH,
)


def rejected(cluster: Cluster, new: Object) -> dict[str, tuple[str, ...]]:
    return cluster.reasons(NodeVolumeLimits(cluster.handle).filter(cluster.pending(new)))


@pytest.mark.parametrize(
    ("source", "driver"),
    [
        ({"awsElasticBlockStore": {"volumeID": "aws://a/vol-1"}}, "ebs_csi_aws_com"),
        ({"gcePersistentDisk": {"pdName": "d"}}, "pd_csi_storage_gke_io"),
        ({"azureDisk": {"diskURI": "d"}}, "disk_csi_azure_com"),
        ({"cinder": {"volumeID": "d"}}, "cinder_csi_openstack_org"),
        ({"portworxVolume": {"volumeID": "d"}}, "pxd_portworx_com"),
    ],
)
def test_volumes_of_in_tree_plugins_count_for_csi_drivers(source: Object, driver: str) -> None:
    cluster = Cluster(NODES, csi_node("n1", **{driver: 0}))
    assert rejected(cluster, pod("p", source)) == {"n1": TOO_MANY}


def test_a_limit_that_changes_is_noticed() -> None:
    cluster = Cluster(NODES, *OBJECTS)
    plugin = NodeVolumeLimits(cluster.handle)
    new = cluster.pending(pod("p", uses("one")))
    assert cluster.reasons(plugin.filter(new)) == {}
    cluster.listers.set(csi_node("n2", csi_example_com=0))
    assert cluster.reasons(plugin.filter(new)) == {"n2": TOO_MANY}


@pytest.mark.parametrize(
    ("new", "text"),
    [
        (pod("p", uses("")), "PersistentVolumeClaim had no name"),
        (
            pod("p", EPHEMERAL),
            "PVC default/p-v0 was not created for pod default/p (pod is not owner)",
        ),
        (
            pod("p", {"awsElasticBlockStore": {"volumeID": "aws://a/disk-1"}}),
            "volume v0: 'aws://a/disk-1' doesn't name an AWS volume",
        ),
    ],
)
def test_volumes_that_cant_be_counted_end_the_cycle(new: Object, text: str) -> None:
    cluster = Cluster(NODES, claim("p-v0", owner="uid-other"))
    with pytest.raises(CycleError, match=re.escape(text)) as error:
        NodeVolumeLimits(cluster.handle).filter(cluster.pending(new))
    assert error.value.plugin == "NodeVolumeLimits"


def test_missing_claims_are_said_to_be_missing() -> None:
    cluster = Cluster(NODES, *ONE_EACH)
    reason = 'looking up PVC default/gone: persistentvolumeclaim "gone" not found'
    assert rejected(cluster, pod("p", uses("gone"))) == {"n1": (reason,), "n2": (reason,)}
