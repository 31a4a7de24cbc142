"""The volumes, claims and limits that keep a pod off a node."""

from collections import Counter
from collections.abc import Iterator

from podium.api.objects import Object, annotations, entries, labels, name, part, spec_of
from podium.api.pods import requests_of
from podium.api.selectors.labels import SelectorError, label_selector
from podium.api.values.message_words import count, listed
from podium.api.values.quantity import value
from podium.api.volumes.claims_and_volumes import (
    NO_PROVISIONER,
    READ_WRITE_ONCE_POD,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    access_modes,
    claim_uses,
    is_fully_bound,
    storage_class_name,
    volume_name,
)
from podium.api.well_known import REQUIRED
from podium.scheduler.explain.node_conditions import unmet_node_affinity
from podium.scheduler.plugins.volume_restrictions import share_a_disk
from podium.scheduler.plugins.volume_zone import unmet_labels
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot
from podium.scheduler.snapshot.volumes.attachable_volumes import (
    attach_limits,
    attachable_volumes,
    attached_volumes,
)
from podium.scheduler.snapshot.volumes.csi_migration import Attachable
from podium.scheduler.snapshot.volumes.pod_claims import storage_class_of, used_claims
from podium.scheduler.snapshot.volumes.volume_topology import VolumeTopology

_NAMED_MAX = 5


def limit_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which drivers' attach limits the pod's volumes would exceed, and what is attached."""
    node_name = snapshot.names[row]
    limits = attach_limits(listers).get(node_name, {})
    attached = attached_volumes(listers).get(node_name, frozenset())
    uses = {other.key: attachable_volumes(listers, other) for other in snapshot.pods_on[row]}
    used = frozenset[Attachable]().union(*uses.values())
    new = Counter(v.driver for v in attachable_volumes(listers, pod) if v not in used)
    for driver, wanted in sorted(new.items()):
        held = {volume for volume in used | attached if volume.driver == driver}
        if driver not in limits or len(held) + wanted <= limits[driver]:
            continue
        users = [one for one, volumes in uses.items() if not held.isdisjoint(volumes)]
        idle = sorted(volume.handle for volume in held - used)
        parts = [f"by {listed(sorted(users), _NAMED_MAX)}"] if users else []
        parts += [f"by VolumeAttachments alone: {listed(idle, _NAMED_MAX)}"] if idle else []
        how = f" ({'; '.join(parts)})" if parts else ""
        yield (
            f"{driver} attaches {count(limits[driver], 'volume')} at most, {len(held)} "
            f"{'is' if len(held) == 1 else 'are'} attached{how}; the pod needs {wanted} more"
        )


def binding_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which claims of a pod neither have nor can get a volume that the node reaches."""
    topology = VolumeTopology(snapshot)
    for use, claim in used_claims(listers, pod):
        if claim is None:
            continue
        called = f"claim {use.claim_name}"
        if is_fully_bound(claim):
            volume = listers.get("PersistentVolume", volume_name(claim))
            if volume is None:
                yield f"{called} is bound to volume {volume_name(claim)}, which isn't there"
            elif row not in topology.reach(volume):
                required = part(spec_of(volume), "nodeAffinity").get("required") or {}
                asking = {"spec": {"affinity": {"nodeAffinity": {REQUIRED: required}}}}
                marks, node_name = snapshot.labels_of(row), snapshot.names[row]
                unmet = "; ".join(unmet_node_affinity(asking, marks, node_name))
                yield f"volume {name(volume)} of {called} {unmet}"
        else:
            yield from _unbound(snapshot, listers, topology, claim, row)


def refusal_details(listers: Listers, pod: PodInfo) -> Iterator[str]:
    """Explain which unbound claims make VolumeBinding refuse a pod on all nodes."""
    for use, claim in used_claims(listers, pod):
        if claim is None or is_fully_bound(claim):
            continue
        storage_class = storage_class_of(listers, claim)
        if volume_name(claim):
            yield f"claim {use.claim_name} names volume {volume_name(claim)}, and isn't bound to it"
        elif storage_class is None:
            class_name = storage_class_name(claim)
            which = f"class {class_name} isn't there" if class_name else "it names no class"
            yield f"claim {use.claim_name} isn't bound to a volume; {which}"
        elif storage_class.get("volumeBindingMode") != WAIT_FOR_FIRST_CONSUMER:
            yield (
                f"claim {use.claim_name} isn't bound to a volume, as it should be at once by class "
                f"{name(storage_class)} (volumeBindingMode Immediate)"
            )


def _unbound(
    snapshot: Snapshot, listers: Listers, topology: VolumeTopology, claim: Object, row: int
) -> Iterator[str]:
    called, node_name = f"claim {name(claim)}", snapshot.names[row]
    selected = annotations(claim).get(SELECTED_NODE)
    if selected is not None and selected != node_name:
        yield f"{called} is to get its volume on {selected} (annotation {SELECTED_NODE})"
        return
    storage_class = storage_class_of(listers, claim) or {}
    wanted = requests_of(spec_of(claim)).get("storage")
    size = "" if wanted is None else f" of {wanted}"
    class_name, provisioner = name(storage_class), storage_class.get("provisioner")
    if not provisioner or provisioner == NO_PROVISIONER:
        yield (
            f"{called}{size} finds no free volume that the node reaches, and class {class_name} "
            "makes none"
        )
    elif not topology.allowed(storage_class.get("allowedTopologies"))[row]:
        terms = [
            " and ".join(
                f"{expression.get('key')} is {' or '.join(entries(expression, 'values'))}"
                for expression in term.get("matchLabelExpressions") or ()
            )
            for term in storage_class.get("allowedTopologies") or ()
        ]
        yield (
            f"{called}{size} finds no free volume that the node reaches, and class {class_name} "
            f"makes volumes only where {', or '.join(terms)}"
        )
    elif spec_of(listers.get("CSIDriver", provisioner) or {}).get("storageCapacity"):
        details: list[str] = []
        for segment in listers.list("CSIStorageCapacity"):
            limit = segment.get("maximumVolumeSize", segment.get("capacity"))
            if segment.get("storageClassName") != class_name or limit is None:
                continue
            try:
                reaches = topology.selected(label_selector(segment.get("nodeTopology")))[row]
            except SelectorError:
                continue
            if reaches:
                details.append(str(limit))
        largest = max(details, key=value, default=None)
        has = "no CSIStorageCapacity is for the node" if largest is None else f"at most {largest}"
        yield f"{called}{size} doesn't fit what class {class_name} can make for the node: {has}"


def zone_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which of the pod's volumes have zone or region labels that differ from the node's."""
    marks = snapshot.labels_of(row)
    for use, claim in used_claims(listers, pod):
        if claim is None or use.is_ephemeral:
            continue
        volume = listers.get("PersistentVolume", volume_name(claim))
        if volume is None:
            continue
        for label in unmet_labels(volume, marks):
            has = f"{label}={marks[label]}" if label in marks else f"no label {label}"
            yield (
                f"volume {name(volume)} of claim {use.claim_name} is in "
                f"{label}={labels(volume)[label]}; the node has {has}"
            )


def use_details(snapshot: Snapshot, listers: Listers, pod: PodInfo, row: int) -> Iterator[str]:
    """Explain which pods use the pod's disks on a node, or its ReadWriteOncePod claims anywhere."""
    for other in snapshot.pods_on[row]:
        if share_a_disk(pod.cls, other.cls):
            yield f"{other.key}, priority {other.priority}, uses the same disk"
    for use, claim in used_claims(listers, pod):
        if claim is None or use.is_ephemeral or READ_WRITE_ONCE_POD not in access_modes(claim):
            continue
        for other in (one for pods in snapshot.pods_on for one in pods):
            if other.namespace != pod.namespace or not any(
                theirs.claim_name == use.claim_name and not theirs.is_ephemeral
                for theirs in claim_uses(other.obj)
            ):
                continue
            yield (
                f"claim {use.claim_name} ({READ_WRITE_ONCE_POD}) is used by {other.key}, priority "
                f"{other.priority}, on {snapshot.names[other.row]}"
            )
