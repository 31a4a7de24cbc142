"""What may help pods that were rejected for the sake of their volumes."""

from collections.abc import Mapping
from typing import Any

from podium.scheduler.framework.cluster_events import EventResource
from podium.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from podium.scheduler.plugins.volume_binding import VolumeBinding
from podium.scheduler.plugins.volume_restrictions import VolumeRestrictions
from podium.scheduler.plugins.volume_zone import VolumeZone
from tests.scheduler.plugins.asking import GONE, NEW, NODE, POD, QUEUE, SKIP, hint_table
from tests.scheduler.plugins.volumes import (
    EPHEMERAL,
    ZONE,
    claim,
    csi_node,
    in_zone,
    node,
    persistent_volume,
    pod,
    storage_class,
    uses,
)

CLAIM, VOLUME = EventResource.PERSISTENT_VOLUME_CLAIM, EventResource.PERSISTENT_VOLUME
CLASS, CSI_NODE = EventResource.STORAGE_CLASS, EventResource.CSI_NODE
DRIVER, CAPACITY = EventResource.CSI_DRIVER, EventResource.CSI_STORAGE_CAPACITY
ATTACHMENT = EventResource.VOLUME_ATTACHMENT

WITH_DATA = pod("p", uses("data"))
WITH_EPHEMERAL = pod("p", EPHEMERAL)
INLINE = pod("p", {"csi": {"driver": "csi.example.com"}})
ELSEWHERE = {"namespace": "team"}


def driver(counts_capacity: bool) -> Mapping[str, Any]:
    spec = {"storageCapacity": counts_capacity}
    return {"kind": "CSIDriver", "metadata": {"name": "csi.example.com"}, "spec": spec}


def capacity(amount: str | None, largest: str | None = None) -> Mapping[str, Any]:
    limits = {"capacity": amount, "maximumVolumeSize": largest}
    return {
        "kind": "CSIStorageCapacity",
        "metadata": {"name": "c"},
        "storageClassName": "fast",
        **{field: limit for field, limit in limits.items() if limit is not None},
    }


def migrated(*plugins: str) -> Mapping[str, Any]:
    annotation = {"storage.alpha.kubernetes.io/migrated-plugins": ",".join(plugins)}
    return {"kind": "CSINode", "metadata": {"name": "n", "annotations": annotation}}


def tainted(name: str) -> Mapping[str, Any]:
    return {**node(name), "spec": {"taints": [{"key": "keep", "effect": "NoSchedule"}]}}


def attachment(attacher: str) -> Mapping[str, Any]:
    source = {"persistentVolumeName": "v"}
    return {
        "kind": "VolumeAttachment",
        "metadata": {"name": "a"},
        "spec": {"attacher": attacher, "nodeName": "n", "source": source},
    }


test_volume_binding = hint_table(
    VolumeBinding,
    ("its claim came", WITH_DATA, CLAIM, NEW, claim("data"), QUEUE),
    ("its claim changed", WITH_DATA, CLAIM, claim("data"), claim("data", volume="v"), QUEUE),
    ("another claim came", WITH_DATA, CLAIM, NEW, claim("logs"), SKIP),
    ("one of that name elsewhere came", WITH_DATA, CLAIM, NEW, claim("data", **ELSEWHERE), SKIP),
    ("its own claim was made", WITH_EPHEMERAL, CLAIM, NEW, claim("p-v0"), QUEUE),
    ("a volume came", WITH_DATA, VOLUME, NEW, persistent_volume("v"), QUEUE),
    ("a volume went that was meant for it", WITH_DATA, VOLUME, persistent_volume("v"), GONE, SKIP),
    ("a node was tainted", WITH_DATA, NODE, node("n"), tainted("n"), QUEUE),
    ("a class came", WITH_DATA, CLASS, NEW, storage_class("fast"), QUEUE),
    (
        "a class allows more",
        WITH_DATA,
        CLASS,
        storage_class("fast", zones=["z1"]),
        storage_class("fast"),
        QUEUE,
    ),
    ("a class changed", WITH_DATA, CLASS, storage_class("fast"), storage_class("fast"), SKIP),
    ("a node came", WITH_DATA, NODE, NEW, node("n"), QUEUE),
    ("a node has another zone", WITH_DATA, NODE, node("n"), in_zone("n", "z1"), QUEUE),
    ("a CSINode came", WITH_DATA, CSI_NODE, NEW, csi_node("n"), QUEUE),
    ("a plugin was migrated", WITH_DATA, CSI_NODE, migrated(), migrated("one"), QUEUE),
    ("migration is noted anew", WITH_DATA, CSI_NODE, migrated("a", "b"), migrated("b", "a"), QUEUE),
    ("a CSINode changed", WITH_DATA, CSI_NODE, csi_node("n"), csi_node("n", one=1), SKIP),
    ("a CSINode went", WITH_DATA, CSI_NODE, migrated("a"), GONE, SKIP),
    ("capacity counts no more", INLINE, DRIVER, driver(True), driver(False), QUEUE),
    ("it counts no more for claims", WITH_DATA, DRIVER, driver(True), driver(False), SKIP),
    ("capacity begins to count", INLINE, DRIVER, driver(False), driver(True), SKIP),
    ("a driver came", INLINE, DRIVER, NEW, driver(False), SKIP),
    ("a driver went", INLINE, DRIVER, driver(True), GONE, SKIP),
    ("there is capacity", WITH_DATA, CAPACITY, NEW, capacity("1Gi"), QUEUE),
    ("there is more capacity", WITH_DATA, CAPACITY, capacity("1Gi"), capacity("2Gi"), QUEUE),
    ("there is less", WITH_DATA, CAPACITY, capacity("2Gi"), capacity("1Gi"), SKIP),
    (
        "there is more, though not for one volume",
        WITH_DATA,
        CAPACITY,
        capacity("1Gi", "1Gi"),
        capacity("2Gi", "1Gi"),
        SKIP,
    ),
    ("capacity is known now", WITH_DATA, CAPACITY, capacity(None), capacity("1Gi"), QUEUE),
)


def labelled(zone: str, **metadata: Any) -> Mapping[str, Any]:
    return persistent_volume("v", labels={ZONE: zone}, **metadata)


test_volume_zone = hint_table(
    VolumeZone,
    ("its claim was bound", WITH_DATA, CLAIM, claim("data"), claim("data", volume="v"), QUEUE),
    ("another claim was bound", WITH_DATA, CLAIM, claim("x"), claim("x", volume="v"), SKIP),
    ("a class that waits came", WITH_DATA, CLASS, NEW, storage_class("fast"), QUEUE),
    ("one that doesn't came", WITH_DATA, CLASS, NEW, storage_class("x", mode="Immediate"), SKIP),
    ("an ephemeral volume's claim came", WITH_EPHEMERAL, CLAIM, NEW, claim("p-v0"), SKIP),
    ("a volume came", WITH_DATA, VOLUME, NEW, persistent_volume("v"), QUEUE),
    ("a volume has moved", WITH_DATA, VOLUME, labelled("z1"), labelled("z2"), QUEUE),
    ("a volume changed", WITH_DATA, VOLUME, labelled("z1"), labelled("z1", size="2Gi"), SKIP),
    ("a node has another zone", WITH_DATA, NODE, node("n"), in_zone("n", "z1"), QUEUE),
)


DISK = {"awsElasticBlockStore": {"volumeID": "vol-1"}}
WITH_DISK = pod("p", DISK)
OTHER_DISK = {"awsElasticBlockStore": {"volumeID": "vol-2"}}


test_volume_restrictions = hint_table(
    VolumeRestrictions,
    ("its disk is free", pod("p", DISK), POD, pod("other", DISK), GONE, QUEUE),
    ("in another namespace", pod("p", DISK), POD, pod("other", DISK, **ELSEWHERE), GONE, SKIP),
    ("another disk is free", pod("p", DISK), POD, pod("other", OTHER_DISK), GONE, SKIP),
    ("its claim is free", WITH_DATA, POD, pod("other", uses("data")), GONE, QUEUE),
    ("another's is", WITH_DATA, POD, pod("other", uses("data"), **ELSEWHERE), GONE, SKIP),
    ("another claim is free", WITH_DATA, POD, pod("other", uses("logs")), GONE, SKIP),
    ("its claim came", WITH_DATA, CLAIM, NEW, claim("data"), QUEUE),
    ("its claim changed", WITH_DATA, CLAIM, claim("data"), claim("data", volume="v"), SKIP),
    ("an ephemeral volume's claim came", WITH_EPHEMERAL, CLAIM, NEW, claim("p-v0"), SKIP),
    ("a node came", WITH_DATA, NODE, NEW, node("n"), QUEUE),
)


test_node_volume_limits = hint_table(
    NodeVolumeLimits,
    ("one with a claim went", WITH_DATA, POD, pod("other", uses("logs")), GONE, QUEUE),
    ("one with a disk went", WITH_DATA, POD, pod("other", DISK), GONE, QUEUE),
    ("one without volumes went", WITH_DATA, POD, pod("other"), GONE, SKIP),
    ("a node came", WITH_DATA, NODE, NEW, node("n"), SKIP),
    ("a node was tainted", WITH_DATA, NODE, node("n"), tainted("n"), SKIP),
    ("a CSINode came", WITH_DATA, CSI_NODE, NEW, csi_node("n", one=1), QUEUE),
    ("a limit was raised", WITH_DATA, CSI_NODE, csi_node("n", one=1), csi_node("n", one=2), QUEUE),
    ("a driver with limits came", WITH_DATA, CSI_NODE, csi_node("n"), csi_node("n", one=1), QUEUE),
    ("a limit was lifted", WITH_DATA, CSI_NODE, csi_node("n", one=1), csi_node("n"), SKIP),
    ("one was lowered", WITH_DATA, CSI_NODE, csi_node("n", one=2), csi_node("n", one=1), SKIP),
    ("limits went", WITH_DATA, CSI_NODE, csi_node("n", one=1), GONE, SKIP),
    ("its claim came", WITH_DATA, CLAIM, NEW, claim("data"), QUEUE),
    ("its claim changed", WITH_DATA, CLAIM, claim("data"), claim("data", volume="v"), SKIP),
    ("another claim came", WITH_DATA, CLAIM, NEW, claim("logs"), SKIP),
    ("its own claim was made", WITH_EPHEMERAL, CLAIM, NEW, claim("p-v0"), QUEUE),
    ("its volume came", WITH_DATA, VOLUME, NEW, persistent_volume("v"), SKIP),
    ("any driver detached a volume", WITH_DATA, ATTACHMENT, attachment("csi.two"), GONE, QUEUE),
    ("its disk's driver did", WITH_DISK, ATTACHMENT, attachment("ebs.csi.aws.com"), GONE, QUEUE),
    ("another disk's driver did", WITH_DISK, ATTACHMENT, attachment("csi.two"), GONE, SKIP),
    ("one with a claim to be made waits", WITH_EPHEMERAL, ATTACHMENT, attachment("a"), GONE, SKIP),
    objects=(
        claim("data", volume="v"),
        persistent_volume("v", csi={"driver": "csi.one", "volumeHandle": "h"}),
    ),
)
