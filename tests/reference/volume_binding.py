"""VolumeBinding, one node at a time."""

from collections.abc import Mapping, Sequence

from podium.api.objects import Object
from podium.api.selectors.labels import label_selector
from podium.api.selectors.node_selector import node_selector
from podium.api.values.quantity import nanos, value
from tests.reference.verdict import UNRESOLVABLE, Verdict
from tests.reference.volume_world import (
    World,
    claim_name,
    class_of,
    is_owned_by,
    labels_of,
    volumes_of,
)

SELECTED_NODE = "volume.kubernetes.io/selected-node"
CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
PREFIXES = ["topology.kubernetes.io/", "failure-domain.beta.kubernetes.io/"]
IN_TREE = {
    "cinder": ("kubernetes.io/cinder", "topology.cinder.csi.openstack.org/zone"),
    "awsElasticBlockStore": ("kubernetes.io/aws-ebs", "topology.ebs.csi.aws.com/zone"),
}
MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


def pre_filter(world: World, pod: Object) -> Verdict:
    for volume in volumes_of(pod):
        name = claim_name(pod, volume)
        fault = "" if name is None else _fault(world, pod, name, "ephemeral" in volume)
        if fault:
            return UNRESOLVABLE, (fault,)
    for claim in _claims(world, pod):
        if not _is_bound(claim) and not _is_delayed(world, claim):
            return UNRESOLVABLE, ("pod has unbound immediate PersistentVolumeClaims",)
    return None


def _fault(world: World, pod: Object, name: str, ephemeral: bool) -> str:
    claim = world.claim(pod, name)
    if claim is None and ephemeral:
        controller = "waiting for ephemeral volume controller to create the"
        return f'{controller} persistentvolumeclaim "{name}"'
    if claim is None:
        return f'persistentvolumeclaim "{name}" not found'
    quoted = f'persistentvolumeclaim "{name}"'
    if claim.get("status", {}).get("phase") == "Lost":
        volume = claim["spec"].get("volumeName", "")
        return f'{quoted} bound to non-existent persistentvolume "{volume}"'
    if "deletionTimestamp" in claim["metadata"]:
        return f"{quoted} is being deleted"
    if ephemeral and not is_owned_by(claim, pod):
        namespace, owner = claim["metadata"]["namespace"], pod["metadata"]["name"]
        place = f"{namespace}/{name} was not created for pod {namespace}/{owner}"
        return f"PVC {place} (pod is not owner)"
    return ""


def _claims(world: World, pod: Object) -> list[Object]:
    names = [claim_name(pod, volume) for volume in volumes_of(pod)]
    claims = [world.claim(pod, name) for name in names if name is not None]
    return [claim for claim in claims if claim is not None]


def _is_bound(claim: Object) -> bool:
    annotations = claim["metadata"].get("annotations", {})
    return (
        bool(claim["spec"].get("volumeName")) and "pv.kubernetes.io/bind-completed" in annotations
    )


def _is_delayed(world: World, claim: Object) -> bool:
    storage_class = world.find("StorageClass", class_of(claim))
    if storage_class is None:
        return False
    waits = storage_class["volumeBindingMode"] == "WaitForFirstConsumer"
    return waits and not claim["spec"].get("volumeName")


def filter_node(world: World, pod: Object, node: Object) -> Verdict:
    claims = _claims(world, pod)
    bound = _bound_reason(world, [c for c in claims if _is_bound(c)], node)
    unbound = _unbound_reason(world, [c for c in claims if not _is_bound(c)], node)
    # Upstream's order: conflicts, volumes, space, and missing volumes last.
    order = (CONFLICT, NO_VOLUME, NO_SPACE, MISSING)
    reasons = tuple(reason for reason in order if reason in (bound, unbound))
    return (UNRESOLVABLE, reasons) if reasons else None


def _bound_reason(world: World, claims: Sequence[Object], node: Object) -> str:
    for claim in claims:
        pv = world.find("PersistentVolume", claim["spec"]["volumeName"])
        if pv is None:
            return MISSING
        if not _reaches(_translated(world, pv, node), node):
            return CONFLICT
    return ""


def _unbound_reason(world: World, claims: Sequence[Object], node: Object) -> str:
    if any(_selected(claim) not in (None, node["metadata"]["name"]) for claim in claims):
        return NO_VOLUME
    _, to_provision = _matches(world, claims, node)
    for claim in to_provision:
        reason = _provisioning_reason(world, claim, node)
        if reason:
            return reason
    return ""


def _matches(
    world: World, claims: Sequence[Object], node: Object
) -> tuple[list[tuple[Object, Object]], list[Object]]:
    """Claims with the volumes they would get on this node, and claims to be provisioned."""
    to_provision = [claim for claim in claims if _selected(claim) is not None]
    matches: list[tuple[Object, Object]] = []
    for claim in sorted((c for c in claims if _selected(c) is None), key=_size):
        pv = find_volume(world, claim, node, [chosen for _, chosen in matches])
        if pv is None:
            to_provision.append(claim)
        else:
            matches.append((claim, pv))
    return matches, to_provision


def _selected(claim: Object) -> str | None:
    annotations: Mapping[str, str] = claim["metadata"].get("annotations", {})
    return annotations.get(SELECTED_NODE)


def assume(world: World, pod: Object, node: Object) -> None:
    """What Reserve leaves for later pods to see: volumes with owners, claims with nodes."""
    unbound = [claim for claim in _claims(world, pod) if not _is_bound(claim)]
    matches, to_provision = _matches(world, unbound, node)
    for claim, pv in matches:
        reference = {name: claim["metadata"].get(name) for name in ("namespace", "name", "uid")}
        _replace(world, pv, {**pv, "spec": {**pv["spec"], "claimRef": reference}})
    for claim in to_provision:
        marks = {**claim["metadata"].get("annotations", {})}
        marks[SELECTED_NODE] = node["metadata"]["name"]
        metadata = {**claim["metadata"], "annotations": marks}
        _replace(world, claim, {**claim, "metadata": metadata})


def _replace(world: World, old: Object, new: Object) -> None:
    world.objects = [new if obj is old else obj for obj in world.objects]


def find_volume(
    world: World, claim: Object, node: Object, excluded: Sequence[Object]
) -> Object | None:
    """The volume that a claim would be bound to on this node."""
    best: Object | None = None
    pvs = world.of_kind("PersistentVolume")
    # Of several that are reserved for a claim, upstream takes whichever it comes upon first.
    for pv in sorted(pvs, key=_size_and_name):
        spec = pv["spec"]
        if class_of(pv) != class_of(claim) or pv in excluded:
            continue
        reserved = "claimRef" in spec
        if reserved and not _is_for(pv, claim):
            continue
        if nanos(spec["capacity"]["storage"]) < _size(claim):
            continue
        if spec.get("volumeMode", "Filesystem") != claim["spec"].get("volumeMode", "Filesystem"):
            continue
        attributes = "volumeAttributesClassName"
        if spec.get(attributes, "") != claim["spec"].get(attributes, ""):
            continue
        if "deletionTimestamp" in pv["metadata"]:
            continue
        if reserved:
            return pv if _reaches(spec, node) else None
        if pv["status"]["phase"] != "Available" or not _reaches(spec, node):
            continue
        selector = claim["spec"].get("selector", {})
        if not label_selector(selector).matches(labels_of(pv)):
            continue
        if not set(claim["spec"]["accessModes"]) <= set(spec["accessModes"]):
            continue
        best = best or pv
    return best


def _size_and_name(pv: Object) -> tuple[int, str]:
    return nanos(pv["spec"]["capacity"]["storage"]), str(pv["metadata"]["name"])


def _is_for(pv: Object, claim: Object) -> bool:
    reference, metadata = pv["spec"]["claimRef"], claim["metadata"]
    if reference["name"] != metadata["name"] or reference["namespace"] != metadata["namespace"]:
        return False
    return reference.get("uid") in (None, "", metadata.get("uid"))


def _provisioning_reason(world: World, claim: Object, node: Object) -> str:
    storage_class = world.find("StorageClass", class_of(claim))
    assert storage_class is not None
    if storage_class["provisioner"] in ("", "kubernetes.io/no-provisioner"):
        return NO_VOLUME
    if not _allows(storage_class.get("allowedTopologies", []), node):
        return NO_VOLUME
    driver = world.find("CSIDriver", storage_class["provisioner"])
    if driver is None or not driver["spec"].get("storageCapacity") or not _requests(claim):
        return ""
    wanted = value(_requests(claim)["storage"])
    for segment in world.of_kind("CSIStorageCapacity"):
        if segment["storageClassName"] != class_of(claim) or "nodeTopology" not in segment:
            continue
        limit = segment.get("maximumVolumeSize", segment.get("capacity"))
        if limit is None or value(limit) < wanted:
            continue
        if label_selector(segment["nodeTopology"]).matches(labels_of(node)):
            return ""
    return NO_SPACE


def _allows(terms: Sequence[Object], node: Object) -> bool:
    if not terms:
        return True
    for term in terms:
        expressions = term.get("matchLabelExpressions", [])
        if expressions and all(labels_of(node).get(e["key"]) in e["values"] for e in expressions):
            return True
    return False


def _requests(claim: Object) -> Object:
    requests: Object = claim["spec"].get("resources", {}).get("requests", {})
    return requests


def _size(claim: Object) -> int:
    return nanos(_requests(claim).get("storage", 0))


def _reaches(spec: Object, node: Object) -> bool:
    required = spec.get("nodeAffinity", {}).get("required")
    return required is None or node_selector(required).matches(labels_of(node), "")


def _translated(world: World, pv: Object, node: Object) -> Object:
    """The volume's specification, for nodes where its in-tree plugin has been migrated."""
    spec: Object = pv["spec"]
    csi_node = world.find("CSINode", node["metadata"]["name"])
    annotations = csi_node["metadata"].get("annotations", {}) if csi_node else {}
    migrated = annotations.get("storage.alpha.kubernetes.io/migrated-plugins", "").split(",")
    for field, (plugin, csi_zone) in IN_TREE.items():
        if field in spec and plugin in migrated:
            required = spec.get("nodeAffinity", {}).get("required", {})
            terms = _csi_terms(pv, required.get("nodeSelectorTerms", []), csi_zone)
            if terms or required:
                return {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}
    return spec


def _csi_terms(pv: Object, terms: Sequence[Object], csi_zone: str) -> list[Object]:
    expressions = [e for term in terms for e in term.get("matchExpressions", [])]
    prefixes = [p for p in PREFIXES if any(e["key"] == p + "zone" for e in expressions)]
    prefixes += [p for p in PREFIXES if p + "zone" in labels_of(pv)]
    zone = (prefixes or PREFIXES)[0] + "zone"
    if any(e["key"] == zone and e.get("values") for e in expressions):
        return [_rename(term, zone, csi_zone) for term in terms]
    zones = {z.strip() for z in labels_of(pv).get(zone, "").split("__")} - {""}
    if not zones:
        return list(terms)
    extra = {"key": csi_zone, "operator": "In", "values": sorted(zones)}
    return [
        {**term, "matchExpressions": [*term.get("matchExpressions", []), extra]}
        for term in terms or [{}]
    ]


def _rename(term: Object, old: str, new: str) -> Object:
    renamed = [
        {**e, "key": new if e["key"] == old else e["key"]} for e in term.get("matchExpressions", [])
    ]
    return {**term, "matchExpressions": renamed}
