"""VolumeRestrictions, one node at a time, with its state as upstream keeps it in a dry run."""

from collections.abc import Sequence
from dataclasses import dataclass

from podium.api.objects import Object
from tests.reference.verdict import UNRESOLVABLE, UNSCHEDULABLE, Verdict
from tests.reference.volume_world import World, volumes_of

DISK = "node(s) had no available disk"
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
    "already in-use by another pod"
)
KINDS = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")


@dataclass
class State:
    """What PreFilter leaves behind; skipped if Filter has nothing to do."""

    claims: set[str]
    count: int
    skipped: bool

    def change(self, pod: Object, sign: int) -> None:
        self.count += sign * sum(name in self.claims for name in _claim_names(pod))


def pre_filter(world: World, pod: Object) -> Verdict:
    for name in _claim_names(pod):
        if world.claim(pod, name) is None:
            return UNRESOLVABLE, (f'persistentvolumeclaim "{name}" not found',)
    return None


def prepare(world: World, pod: Object) -> State:
    claims = set()
    for name in _claim_names(pod):
        claim = world.claim(pod, name)
        assert claim is not None
        if "ReadWriteOncePod" in claim["spec"].get("accessModes", []):
            claims.add(name)
    count = sum(_is_used(world, pod["metadata"]["namespace"], name) for name in claims)
    has_disks = any(kind in volume for volume in volumes_of(pod) for kind in KINDS)
    return State(claims, count, skipped=not has_disks and count == 0)


def _is_used(world: World, namespace: str, name: str) -> bool:
    for node in world.nodes:
        for pod in world.pods.get(node["metadata"]["name"], ()):
            if pod["metadata"]["namespace"] == namespace and name in _claim_names(pod):
                return True
    return False


def _claim_names(pod: Object) -> list[str]:
    sources = [v["persistentVolumeClaim"] for v in volumes_of(pod) if "persistentVolumeClaim" in v]
    return [source["claimName"] for source in sources]


def filter_node(
    world: World,
    pod: Object,
    node: Object,
    removed: Sequence[Object] = (),
    added: Sequence[Object] = (),
) -> Verdict:
    """Judge a node, without some of its pods and with others."""
    state = prepare(world, pod)
    if state.skipped:
        return None
    on_node = [p for p in world.pods.get(node["metadata"]["name"], ()) if p not in removed]
    for other in removed:
        state.change(other, -1)
    for other in added:
        state.change(other, 1)
    for other in [*on_node, *added]:
        if _conflict(pod, other):
            return UNSCHEDULABLE, (DISK,)
    return (UNSCHEDULABLE, (IN_USE,)) if state.count > 0 else None


def _conflict(pod: Object, other: Object) -> bool:
    return any(_clash(v, w) for v in volumes_of(pod) for w in volumes_of(other))


def _clash(volume: Object, other: Object) -> bool:
    for kind in KINDS:
        if kind not in volume or kind not in other:
            continue
        one, two = volume[kind], other[kind]
        readers = one.get("readOnly", False) and two.get("readOnly", False)
        if kind == "gcePersistentDisk" and one["pdName"] == two["pdName"] and not readers:
            return True
        if kind == "awsElasticBlockStore" and one["volumeID"] == two["volumeID"]:
            return True
        if kind == "iscsi" and one["iqn"] == two["iqn"] and not readers:
            return True
        if kind == "rbd" and not readers:
            monitors = set(one["monitors"]) & set(two["monitors"])
            if monitors and one.get("pool") == two.get("pool") and one["image"] == two["image"]:
                return True
    return False
