"""Random small clusters with volumes of all sorts, where names and labels often coincide.

They are drawn from a seed rather than from strategies field by field: so they cost so little that
each example of a property can look at many of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import strategies as st

from podium.api.objects import Object
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.status import Status
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod, placed_pod
from podium.scheduler.snapshot.snapshot import Snapshot
from tests.objects import HOST, ZONE
from tests.reference.verdict import Verdict
from tests.reference.volume_world import World

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
CINDER_ZONE = "topology.cinder.csi.openstack.org/zone"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED = "storage.alpha.kubernetes.io/migrated-plugins"

NODES = ("n0", "n1", "n2")
ZONES = ("z1", "z2")
ZONE_LISTS = ("z1", "z2", "z1__z2", " z1 __z2", "z1__", "z3")
MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")
SIZES = ("1Gi", "1073741824", "2Gi", "3Gi")
HANDLES = ("h0", "h1", "h2")
DRIVERS = ("csi.one", "csi.two", "ebs.csi.aws.com", "cinder.csi.openstack.org")
VOLUMES = tuple(f"vol-{index}" for index in range(5))
NAMESPACES = ("team-a", "team-b")
CLAIMS = ("data", "logs", "more")
TIME = "2026-01-01T00:00:00Z"
SCENES_PER_SEED = 20


class Dice:
    """Draws of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent

    def some(self, choices: Sequence[Any], most: int | None = None) -> list[Any]:
        """Several different ones, maybe none."""
        count = self._random.randint(0, len(choices) if most is None else most)
        return self._random.sample(list(choices), count)

    def many(self, make: Callable[[], Any], most: int) -> list[Any]:
        return [make() for _ in range(self._random.randint(0, most))]

    def fields(self, percent: int, **fields: Any) -> dict[str, Any]:
        """Each field with this chance."""
        return {field: value for field, value in fields.items() if self.chance(percent)}


def node(dice: Dice, name: str) -> Object:
    labels = {key: dice.one(*ZONES) for key in (ZONE, BETA_ZONE, CINDER_ZONE) if dice.chance(60)}
    region = {REGION: "r1"} if dice.chance(30) else {}
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, **labels, **region}},
        "spec": {},
        "status": {"allocatable": {"pods": "10"}},
    }


def expression(dice: Dice) -> Object:
    zones, hosts = dice.some(ZONES) or ["z1"], dice.some(NODES, 2) or ["n0"]
    return dice.one(
        {"key": dice.one(ZONE, BETA_ZONE, CINDER_ZONE), "operator": "In", "values": zones},
        {"key": HOST, "operator": "In", "values": hosts},
        {"key": ZONE, "operator": dice.one("Exists", "DoesNotExist", "Odd")},
    )


def term(dice: Dice) -> Object:
    on_name = [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
    expressions = {"matchExpressions": dice.many(lambda: expression(dice), 2)}
    return {**(expressions if dice.chance(90) else {}), **dice.fields(15, matchFields=on_name)}


def source(dice: Dice) -> Object:
    return dice.one(
        {"csi": {"driver": dice.one(*DRIVERS), "volumeHandle": dice.one(*HANDLES)}},
        {"cinder": {"volumeID": dice.one(*HANDLES)}},
        {"awsElasticBlockStore": {"volumeID": dice.one("vol-1", "aws://z1/vol-1", "aws:///vol-2")}},
    )


def persistent_volume(dice: Dice, name: str) -> Object:
    labels = {key: dice.one(*ZONE_LISTS) for key in (ZONE, BETA_ZONE) if dice.chance(30)}
    affinity = {"required": {"nodeSelectorTerms": dice.many(lambda: term(dice), 2)}}
    reference = {"name": dice.one(*CLAIMS), "namespace": dice.one(*NAMESPACES)}
    uid = dice.fields(50, uid=dice.one("uid-data", "uid-logs"))
    return {
        "kind": "PersistentVolume",
        "metadata": {
            "name": name,
            "labels": labels,
            **dice.fields(10, annotations={BETA_CLASS: "fast"}, deletionTimestamp=TIME),
        },
        "spec": {
            "capacity": {"storage": dice.one(*SIZES)},
            "accessModes": dice.some(MODES) or ["ReadWriteOnce"],
            "storageClassName": dice.one("fast", "local", "local"),
            **source(dice),
            **dice.fields(10, volumeMode="Block", volumeAttributesClassName="gold"),
            **dice.fields(60, nodeAffinity=dice.one({}, affinity, affinity)),
            **dice.fields(20, claimRef={**reference, **uid}),
        },
        "status": {"phase": dice.one("Available", "Available", "Available", "Bound")},
    }


def claim(dice: Dice, namespace: str, name: str) -> Object:
    bound = dice.chance(40)
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}
    annotations = {
        **({BIND_COMPLETED: "yes"} if bound and dice.chance(95) else {}),
        **({SELECTED_NODE: dice.one("n0", "n1")} if dice.chance(15) else {}),
        **({BETA_CLASS: dice.one("", "fast")} if dice.chance(5) else {}),
    }
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{name}",
            "annotations": annotations,
            "ownerReferences": [owner] if dice.chance(80) else [],
            **dice.fields(3, deletionTimestamp=TIME),
        },
        "spec": {
            "accessModes": dice.some(MODES, 2) or ["ReadWriteOncePod"],
            **({"volumeName": dice.one(*VOLUMES)} if bound else {}),
            **dice.fields(95, storageClassName=dice.one(*["fast", "local"] * 5, "slow", "gone")),
            **dice.fields(10, volumeMode="Block", volumeAttributesClassName="gold"),
            **dice.fields(15, selector=dice.one({}, {"matchLabels": {ZONE: "z1"}})),
            **dice.fields(80, resources={"requests": {"storage": dice.one(*SIZES)}}),
        },
        "status": {"phase": dice.one(*["Pending"] * 20, "Lost")},
    }


def storage_class(dice: Dice, name: str) -> Object:
    def allowed() -> Object:
        expressions = [{"key": ZONE, "values": dice.some(ZONES)}]
        return {"matchLabelExpressions": expressions} if dice.chance(80) else {}

    provisioners = ("csi.one", "csi.one", "kubernetes.io/no-provisioner", "kubernetes.io/cinder")
    return {
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": dice.one(*provisioners, "kubernetes.io/azure-file", ""),
        "volumeBindingMode": "Immediate" if name == "slow" else "WaitForFirstConsumer",
        **dice.fields(40, allowedTopologies=dice.many(allowed, 2)),
    }


def csi_node(dice: Dice, name: str) -> Object:
    drivers = [
        {"name": driver, **dice.fields(80, allocatable={"count": dice.one(0, 1, 1, 2)})}
        for driver in dice.some(DRIVERS)
    ]
    migrated = {MIGRATED: "kubernetes.io/aws-ebs,kubernetes.io/cinder"}
    return {
        "kind": "CSINode",
        "metadata": {"name": name, **dice.fields(60, annotations=migrated)},
        "spec": {"drivers": drivers},
    }


def storage_capacity(dice: Dice, name: str) -> Object:
    topology = dice.one({}, {"matchLabels": {ZONE: "z1"}}, {"matchLabels": {HOST: "n2"}})
    return {
        "kind": "CSIStorageCapacity",
        "metadata": {"name": name},
        "storageClassName": dice.one("fast", "local"),
        **dice.fields(70, capacity=dice.one(*SIZES), nodeTopology=topology),
        **dice.fields(30, maximumVolumeSize=dice.one(*SIZES)),
    }


def attachment(dice: Dice, name: str) -> Object:
    source = {"persistentVolumeName": dice.one(*VOLUMES, "vol-9")}
    spec = {"attacher": dice.one(*DRIVERS), "nodeName": dice.one(*NODES), "source": source}
    return {"kind": "VolumeAttachment", "metadata": {"name": name}, "spec": spec}


def volume(dice: Dice) -> Object:
    """A claim, more often than not, or a disk."""
    access = dice.fields(60, readOnly=dice.one(True, True, False))
    monitors = dice.some(["m1", "m2", "m3"], 2)
    claim = {"persistentVolumeClaim": {"claimName": dice.one(*CLAIMS)}}
    return dice.one(
        *[claim] * 5,
        {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
        {"gcePersistentDisk": {"pdName": "disk", **access}},
        {"awsElasticBlockStore": {"volumeID": "vol-1", **access}},
        {"iscsi": {"iqn": dice.one("i1", "i2"), **access}},
        {"rbd": {"monitors": monitors, "image": "img", "pool": "rbd", **access}},
    )


def pod(dice: Dice, name: str) -> Object:
    volumes = [
        {"name": f"v{index}", **drawn}
        for index, drawn in enumerate(dice.many(lambda: volume(dice), 3))
    ]
    namespace = dice.one(*NAMESPACES)
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {"containers": [{"name": "c"}], "volumes": volumes},
        "status": {},
    }


@dataclass
class Scene:
    """A world, the same as columns, and a pod to schedule; dice for what the test draws."""

    world: World
    handle: Handle
    pod: Object
    info: PodInfo
    placed: dict[str, list[PodInfo]]
    dice: Dice

    @property
    def snapshot(self) -> Snapshot:
        return self.handle.snapshot

    @property
    def everybody(self) -> list[PodInfo]:
        return [info for infos in self.placed.values() for info in infos]

    def row(self, node_object: Object) -> int:
        return self.snapshot.row_of[node_object["metadata"]["name"]]


def scene(dice: Dice) -> Scene:
    nodes = [node(dice, name) for name in NODES]
    names = [f"{prefix}-{index}" for prefix in ("one", "two") for index in range(2)]
    objects = [
        *(persistent_volume(dice, name) for name in dice.some(VOLUMES)),
        *(claim(dice, place, name) for place in NAMESPACES for name in CLAIMS if dice.chance(95)),
        *(claim(dice, place, f"p-v{index}") for place in NAMESPACES for index in range(3)),
        *(storage_class(dice, name) for name in ("fast", "local", "slow")),
        *(csi_node(dice, name) for name in NODES if dice.chance(80)),
        *(storage_capacity(dice, name) for name in dice.some(names, 3)),
        *(attachment(dice, name) for name in dice.some(names, 2)),
    ]
    if dice.chance(60):
        spec = {"storageCapacity": dice.chance(80)}
        objects.append({"kind": "CSIDriver", "metadata": {"name": "csi.one"}, "spec": spec})
    pods = {name: [pod(dice, f"{name}-{i}") for i in range(dice.one(0, 1, 2))] for name in NODES}
    new = pod(dice, "p")
    snapshot = Snapshot()
    snapshot.set_nodes(nodes)
    placed = {name: [placed_pod(p, snapshot.classes) for p in pods[name]] for name in NODES}
    for name, infos in placed.items():
        for info in infos:
            snapshot.add_pod(info, name)
    handle = Handle(snapshot, Listers(objects))
    pending = pending_pod(new, snapshot.classes)
    return Scene(World(nodes, pods, objects), handle, new, pending, placed, dice)


def scenes() -> st.SearchStrategy[Iterator[Scene]]:
    """Scenes of one seed."""

    def of_seed(seed: int) -> Iterator[Scene]:
        dice = Dice(seed)
        return (scene(dice) for _ in range(SCENES_PER_SEED))

    return st.integers(0, 2**64 - 1).map(of_seed)


def in_words(status: Status) -> Verdict:
    """A status as the scalar twins put it."""
    return None if status.is_success else (str(status.code), status.reasons)
