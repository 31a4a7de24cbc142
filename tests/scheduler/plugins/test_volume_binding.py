"""VolumeBinding's words, its choice of volumes, and what it assumes when a pod is reserved."""

from typing import Any

import pytest

from podium.scheduler.config.args import VolumeBindingArgs
from podium.scheduler.framework.interface import CycleError
from podium.scheduler.framework.status import Code, Status
from podium.scheduler.plugins.volume_binding import VolumeBinding
from tests.scheduler.plugins.volumes import (
    Cluster,
    Object,
    claim,
    in_zone,
    node,
    persistent_volume,
    pod,
    storage_class,
    uses,
)

CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
NODES = [in_zone("n1", "a"), in_zone("n2", "b")]
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")


def pre_filter(new: Object, *objects: Object) -> Status:
    cluster = Cluster(NODES, *objects)
    return VolumeBinding(cluster.handle).pre_filter(cluster.pending(new)).status


def rejected(new: Object, *objects: Object) -> dict[str, tuple[str, ...]]:
    cluster = Cluster(NODES, *objects)
    return cluster.reasons(VolumeBinding(cluster.handle).filter(cluster.pending(new)))


def test_the_timeout_comes_from_the_arguments() -> None:
    handle = Cluster(NODES).handle
    assert VolumeBinding(handle).bind_timeout_seconds == 600
    assert (
        VolumeBinding(handle, VolumeBindingArgs(bind_timeout_seconds=30)).bind_timeout_seconds == 30
    )


def test_a_class_without_binding_mode_is_an_error() -> None:
    status = pre_filter(
        pod("p", uses("data")), claim("data", "odd"), storage_class("odd", mode=None)
    )
    expected = 'VolumeBindingMode not set for StorageClass "odd"'
    assert (status.code, status.reasons) == (Code.ERROR, (expected,))


def test_capacity_with_a_broken_topology_counts_nowhere() -> None:
    driver = {"kind": "CSIDriver", "metadata": {"name": "csi.example.com"}}
    segment = {
        "kind": "CSIStorageCapacity",
        "metadata": {"name": "capacity"},
        "storageClassName": "fast",
        "capacity": "2Gi",
        "nodeTopology": {"matchLabels": {"a b": "c"}},
    }
    objects = [storage_class("fast"), claim("data", "fast"), segment]
    reporting = {**driver, "spec": {"storageCapacity": True}}
    without_space = {"n1": (NO_SPACE,), "n2": (NO_SPACE,)}
    assert rejected(pod("p", uses("data")), *objects, reporting) == without_space


def test_a_broken_selector_ends_the_cycle() -> None:
    odd: Any = claim("data", "local")
    odd["spec"]["selector"] = {"matchLabels": {"a b": "c"}}
    with pytest.raises(CycleError) as error:
        rejected(pod("p", uses("data")), LOCAL, odd, persistent_volume("vol", "local"))
    assert error.value.plugin == "VolumeBinding"


def test_what_the_api_has_told_meanwhile_isnt_taken_back() -> None:
    cluster = Cluster(NODES, storage_class("fast"), claim("data", "fast"))
    plugin, new = VolumeBinding(cluster.handle), cluster.pending(pod("p", uses("data")))
    plugin.reserve(new, "n2")
    told = claim("data", "fast", annotations={"volume.kubernetes.io/selected-node": "n1"})
    cluster.listers.set(told)
    plugin.unreserve(new, "n2")
    assert cluster.listers.get("PersistentVolumeClaim", "data", "default") is told


def test_a_node_that_changes_is_judged_anew() -> None:
    volume = persistent_volume("vol", hosts=["n1"])
    cluster = Cluster(NODES, claim("data", volume="vol"), volume)
    plugin, new = VolumeBinding(cluster.handle), cluster.pending(pod("p", uses("data")))
    assert cluster.reasons(plugin.filter(new)) == {"n2": (CONFLICT,)}
    cluster.snapshot.set_node(node("n3"))
    assert set(cluster.reasons(plugin.filter(new))) == {"n2", "n3"}
