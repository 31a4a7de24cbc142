"""NodeVolumeLimits, one node at a time."""

from collections.abc import Sequence

from podium.api.objects import Object
from tests.reference.verdict import UNSCHEDULABLE, Verdict
from tests.reference.volume_world import World, claim_name, class_of, is_owned_by, volumes_of

TOO_MANY = "node(s) exceed max volume count"


def filter_node(world: World, pod: Object, node: Object, pods: Sequence[Object]) -> Verdict:
    """Judge a node with these pods on it."""
    node_name = node["metadata"]["name"]
    limits = _limits(world, node_name)
    used = {volume for other in pods for volume in _volumes(world, other)}
    new = _volumes(world, pod) - used
    attached = used | _attached(world, node_name)
    for driver, limit in limits.items():
        count = sum(1 for volume in attached if volume[0] == driver)
        more = sum(1 for volume in new if volume[0] == driver)
        if more and count + more > limit:
            return UNSCHEDULABLE, (TOO_MANY,)
    return None


def _limits(world: World, node_name: str) -> dict[str, int]:
    csi_node = world.find("CSINode", node_name)
    drivers = csi_node["spec"]["drivers"] if csi_node else []
    return {d["name"]: d["allocatable"]["count"] for d in drivers if "allocatable" in d}


def _attached(world: World, node_name: str) -> set[tuple[str, str]]:
    result = set()
    for attachment in world.of_kind("VolumeAttachment"):
        spec = attachment["spec"]
        if spec["nodeName"] == node_name:
            name = spec["source"]["persistentVolumeName"]
            pv = world.find("PersistentVolume", name)
            known = _of_source(pv["spec"]) if pv else None
            result.add((spec["attacher"], known[1] if known else name))
    return result


def _volumes(world: World, pod: Object) -> set[tuple[str, str]]:
    result = set()
    for volume in volumes_of(pod):
        name = claim_name(pod, volume)
        if name is None:
            found = _of_source(volume)
        else:
            claim = world.claim(pod, name)
            if claim is None or ("ephemeral" in volume and not is_owned_by(claim, pod)):
                continue
            found = _of_claim(world, claim)
        if found is not None:
            result.add(found)
    return result


def _of_claim(world: World, claim: Object) -> tuple[str, str] | None:
    pv = world.find("PersistentVolume", claim["spec"].get("volumeName", ""))
    if pv is not None:
        return _of_source(pv["spec"])
    storage_class = world.find("StorageClass", class_of(claim))
    if storage_class is None or not storage_class["provisioner"]:
        return None
    driver = storage_class["provisioner"]
    if driver == "kubernetes.io/azure-file":
        return None
    if driver == "kubernetes.io/cinder":
        driver = "cinder.csi.openstack.org"
    metadata = claim["metadata"]
    return driver, f"unbound {metadata['namespace']}/{metadata['name']}"


def _of_source(source: Object) -> tuple[str, str] | None:
    if "csi" in source:
        return source["csi"]["driver"], source["csi"]["volumeHandle"]
    if "awsElasticBlockStore" in source:
        volume_id = source["awsElasticBlockStore"]["volumeID"]
        return "ebs.csi.aws.com", volume_id.split("/")[-1]
    if "cinder" in source:
        return "cinder.csi.openstack.org", source["cinder"]["volumeID"]
    if "gcePersistentDisk" in source:
        disk = source["gcePersistentDisk"]["pdName"]
        return "pd.csi.storage.gke.io", f"projects/UNSPECIFIED/zones/UNSPECIFIED/disks/{disk}"
    return None
