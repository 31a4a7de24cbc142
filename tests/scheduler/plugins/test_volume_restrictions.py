"""VolumeRestrictions' words, and the fine print of claims that one pod may use only."""

import pytest

from podium.scheduler.framework.interface import Scope
from podium.scheduler.framework.status import Code
from podium.scheduler.plugins.volume_restrictions import VolumeRestrictions
from tests.scheduler.plugins.volumes import (
    Cluster,
    Object,
    claim,
    node,
    persistent_volume,
    pod,
    uses,
)

NODES = [node("n1"), node("n2")]
NO_DISK = ("node(s) had no available disk",)
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod",
)
EXCLUSIVE = claim("data", modes=["ReadWriteOncePod"])
DISK: Object = {"gcePersistentDisk": {"pdName": "d"}}


def gce(**fields: object) -> Object:
    return {"gcePersistentDisk": {"pdName": "d", **fields}}


def aws(**fields: object) -> Object:
    return {"awsElasticBlockStore": {"volumeID": "d", **fields}}


def iscsi(iqn: str = "d", **fields: object) -> Object:
    return {"iscsi": {"iqn": iqn, **fields}}


def rbd(*monitors: str, **fields: object) -> Object:
    return {"rbd": {"monitors": list(monitors), "image": "i", "pool": "p", **fields}}


@pytest.mark.parametrize(
    ("volume", "other", "conflict"),
    [
        (gce(), gce(), True),
        (gce(readOnly=True), gce(), True),
        (gce(readOnly=True), gce(readOnly=True), False),
        (gce(), gce(pdName="e"), False),
        (aws(readOnly=True), aws(readOnly=True), True),
        (aws(), aws(volumeID="e"), False),
        (iscsi(), iscsi(), True),
        (iscsi(readOnly=True), iscsi(readOnly=True), False),
        (iscsi(), iscsi("e"), False),
        (rbd("a", "b"), rbd("b", "c"), True),
        (rbd("a"), rbd("b"), False),
        (rbd("a"), rbd("a", image="j"), False),
        (rbd("a"), rbd("a", pool="q"), False),
        (rbd("a", readOnly=True), rbd("a", readOnly=True), False),
        (gce(), aws(), False),
    ],
)
def test_disks(volume: Object, other: Object, conflict: bool) -> None:
    cluster = Cluster(NODES)
    cluster.place(pod("there", other), "n1")
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", volume)))
    assert cluster.reasons(state) == ({"n1": NO_DISK} if conflict else {})


def test_claims_must_be_there() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    plugin = VolumeRestrictions(cluster.handle)
    status = plugin.pre_filter(cluster.pending(pod("p", uses("data"), uses("gone")))).status
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == ('persistentvolumeclaim "gone" not found',)


def test_a_claim_in_use_rules_out_all_nodes() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    cluster.place(pod("there", uses("data")), "n1")
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", uses("data"))))
    assert cluster.reasons(state) == {"n1": IN_USE, "n2": IN_USE}


def test_claims_of_other_namespaces_are_other_claims() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    cluster.place(pod("there", uses("data"), namespace="other"), "n1")
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", uses("data"))))
    assert cluster.reasons(state) == {}


def test_claims_that_can_be_shared_dont_matter() -> None:
    cluster = Cluster(NODES, claim("data"))
    cluster.place(pod("there", uses("data")), "n1")
    new = cluster.pending(pod("p", uses("data")))
    assert VolumeRestrictions(cluster.handle).filter(new) is None


def test_removing_the_user_helps_on_its_node_only() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    victim = cluster.place(pod("there", uses("data")), "n1")
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", uses("data"))))
    assert state is not None
    gone = [-weight for weight in state.weights(victim.cls)]
    assert (state.code(0, gone), state.code(1, [0, 0])) == (0, 2)


def test_nominated_users_of_an_unused_claim_are_overlooked() -> None:
    """Upstream skips the filter then, and with it the adding of nominated pods."""
    cluster = Cluster(NODES, EXCLUSIVE)
    nominated = cluster.pending(pod("nominated", uses("data")))
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", uses("data"))))
    assert state is not None
    assert state.code(0, list(state.weights(nominated.cls))) == 0


def test_but_not_if_there_is_a_disk_to_watch() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    nominated = cluster.pending(pod("nominated", uses("data")))
    new = cluster.pending(pod("p", uses("data"), DISK))
    state = VolumeRestrictions(cluster.handle).filter(new)
    assert state is not None
    code = state.code(0, list(state.weights(nominated.cls)))
    assert state.status(0, code).reasons == IN_USE


def test_a_pod_that_comes_is_noticed() -> None:
    cluster = Cluster(NODES, EXCLUSIVE)
    state = VolumeRestrictions(cluster.handle).filter(cluster.pending(pod("p", uses("data"))))
    assert state is not None
    assert state.scope is Scope.CLUSTER
    came = cluster.place(pod("there", uses("data")), "n2")
    assert state.pods_changed([(came.row, came.cls, 1)])
    assert cluster.reasons(state) == {"n1": IN_USE, "n2": IN_USE}
    stranger = cluster.place(pod("stranger"), "n2")
    assert not state.pods_changed([(stranger.row, stranger.cls, 1)])


def test_claims_of_persistent_volumes_arent_disks() -> None:
    volume = persistent_volume("vol", gcePersistentDisk={"pdName": "d"})
    cluster = Cluster(NODES, claim("data", volume="vol"), volume)
    cluster.place(pod("there", DISK), "n1")
    new = cluster.pending(pod("p", uses("data")))
    assert VolumeRestrictions(cluster.handle).filter(new) is None
