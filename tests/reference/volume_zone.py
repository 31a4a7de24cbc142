"""VolumeZone, one node at a time."""

from podium.api.objects import Object
from tests.reference.verdict import UNRESOLVABLE, Verdict
from tests.reference.volume_world import World, class_of, labels_of, volumes_of

BETA = "failure-domain.beta.kubernetes.io/"
TOPOLOGY = "topology.kubernetes.io/"
LABELS = [BETA + "zone", BETA + "region", TOPOLOGY + "zone", TOPOLOGY + "region"]


def pre_filter(world: World, pod: Object) -> Verdict:
    for volume in volumes_of(pod):
        if "persistentVolumeClaim" in volume:
            fault = _claim_fault(world, pod, volume["persistentVolumeClaim"]["claimName"])
            if fault:
                return UNRESOLVABLE, (fault,)
    return None


def _claim_fault(world: World, pod: Object, name: str) -> str:
    if name == "":
        return "PersistentVolumeClaim had no name"
    claim = world.claim(pod, name)
    if claim is None:
        return f'persistentvolumeclaim "{name}" not found'
    volume_name = claim["spec"].get("volumeName", "")
    if volume_name != "":
        if world.find("PersistentVolume", volume_name) is None:
            return f'persistentvolume "{volume_name}" not found'
        return ""
    class_name = class_of(claim)
    if class_name == "":
        return "PersistentVolumeClaim had no pv name and storageClass name"
    storage_class = world.find("StorageClass", class_name)
    if storage_class is None:
        return f'storageclass.storage.k8s.io "{class_name}" not found'
    if "volumeBindingMode" not in storage_class:
        return f'VolumeBindingMode not set for StorageClass "{class_name}"'
    if storage_class["volumeBindingMode"] == "WaitForFirstConsumer":
        return ""
    return "PersistentVolume had no name"


def filter_node(world: World, pod: Object, node: Object) -> Verdict:
    node_labels = labels_of(node)
    if not any(label in node_labels for label in LABELS):
        return None
    for volume in volumes_of(pod):
        if "persistentVolumeClaim" not in volume:
            continue
        claim = world.claim(pod, volume["persistentVolumeClaim"]["claimName"])
        assert claim is not None
        pv = world.find("PersistentVolume", claim["spec"].get("volumeName", ""))
        if pv is None:
            continue
        for label in LABELS:
            if label not in labels_of(pv):
                continue
            zones = {zone.strip() for zone in labels_of(pv)[label].split("__")}
            if "" in zones:
                continue
            wanted = label
            if wanted not in node_labels:
                wanted = label.replace(BETA, TOPOLOGY)
            if node_labels.get(wanted) not in zones:
                return UNRESOLVABLE, ("node(s) had no available volume zone",)
    return None
