"""NodeVolumeLimits' words, and which volumes count."""

import re

import pytest

from podium.scheduler.framework.interface import CycleError
from podium.scheduler.framework.status import Code
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
    storage_class,
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


def test_volumes_beyond_the_limit() -> None:
    cluster = Cluster(NODES, *OBJECTS)
    cluster.place(pod("there", uses("one")), "n1")
    assert rejected(cluster, pod("p", uses("two"))) == {"n1": TOO_MANY}


def test_a_volume_that_is_there_already_counts_once() -> None:
    cluster = Cluster(NODES, *OBJECTS)
    cluster.place(pod("there", uses("one")), "n1")
    assert rejected(cluster, pod("p", uses("one"))) == {}


def test_nodes_and_drivers_without_limits() -> None:
    cluster = Cluster([*NODES, node("n3")], *OBJECTS)
    new = pod("p", uses("one"), uses("two"))
    assert rejected(cluster, new) == {"n1": TOO_MANY, "n2": TOO_MANY}


def test_claims_without_volume_count_for_their_classs_driver() -> None:
    objects = (storage_class("fast"), claim("new", "fast"), claim("newer", "fast"))
    cluster = Cluster(NODES, *OBJECTS, *objects)
    cluster.place(pod("there", uses("new")), "n1")
    assert rejected(cluster, pod("p", uses("newer"))) == {"n1": TOO_MANY}
    assert rejected(cluster, pod("p", uses("new"))) == {}


def test_claims_of_unknown_classes_dont_count() -> None:
    cluster = Cluster(NODES, *OBJECTS, claim("new", "unknown"))
    cluster.place(pod("there", uses("one")), "n1")
    assert rejected(cluster, pod("p", uses("new"))) == {}


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


def test_in_tree_provisioners_count_for_csi_drivers() -> None:
    objects = (storage_class("old", "kubernetes.io/cinder"), claim("new", "old"))
    cluster = Cluster(NODES, csi_node("n1", cinder_csi_openstack_org=0), *objects)
    assert rejected(cluster, pod("p", uses("new"))) == {"n1": TOO_MANY}


def attached(volume_name: str) -> Object:
    source = {"persistentVolumeName": volume_name}
    spec = {"attacher": "csi.example.com", "nodeName": "n1", "source": source}
    return {"kind": "VolumeAttachment", "metadata": {"name": volume_name}, "spec": spec}


def test_attached_volumes_count_even_if_no_pod_uses_them() -> None:
    cluster = Cluster(NODES, *OBJECTS, attached("v1"))
    assert rejected(cluster, pod("p", uses("two"))) == {"n1": TOO_MANY}
    assert rejected(cluster, pod("p", uses("one"))) == {"n1": TOO_MANY}
    cluster.place(pod("there", uses("one")), "n1")
    assert rejected(cluster, pod("p", uses("one"))) == {}


def test_hypothetical_pods() -> None:
    cluster = Cluster(NODES, *OBJECTS)
    there = cluster.place(pod("there", uses("one")), "n1")
    state = NodeVolumeLimits(cluster.handle).filter(cluster.pending(pod("p", uses("two"))))
    assert state is not None
    assert [state.code_among(row, pods) for row, pods in ((0, []), (1, [there]))] == [0, 1]


def test_pods_without_countable_volumes_can_go_anywhere() -> None:
    cluster = Cluster(NODES, *ONE_EACH)
    plugin = NodeVolumeLimits(cluster.handle)
    assert plugin.filter(cluster.pending(pod("p", {"hostPath": {"path": "/"}}))) is None


def test_a_limit_that_changes_is_noticed() -> None:
    cluster = Cluster(NODES, *OBJECTS)
    plugin = NodeVolumeLimits(cluster.handle)
    new = cluster.pending(pod("p", uses("one")))
    assert cluster.reasons(plugin.filter(new)) == {}
    cluster.listers.set(csi_node("n2", csi_example_com=0))
    assert cluster.reasons(plugin.filter(new)) == {"n2": TOO_MANY}


def test_missing_claims_are_said_to_be_missing() -> None:
    cluster = Cluster(NODES, *ONE_EACH)
    state = NodeVolumeLimits(cluster.handle).filter(cluster.pending(pod("p", uses("gone"))))
    assert state is not None
    status = state.status(0, state.code(0))
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    expected = 'looking up PVC default/gone: persistentvolumeclaim "gone" not found'
    assert status.reasons == (expected,)


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
