"""Volumes as CSI drivers attach them: those of pods, those attached already, and how many may be.

The rules are those of NodeVolumeLimits in v1.36, which takes every in-tree plugin that has a CSI
driver of its own as migrated, whatever a CSINode says.
"""

from collections.abc import Iterator

from podium.api.objects import Object, key, name, part, spec_of
from podium.api.pod_specs import volumes_of
from podium.api.volumes.claims_and_volumes import claim_uses, volume_name
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.csi_migration import (
    Attachable,
    MigrationError,
    migrated_volume,
    provisioning_driver,
    zones_of,
)
from podium.scheduler.snapshot.volumes.pod_claims import claim_of, ownership_fault, storage_class_of

# No volume's handle begins so: it stands for a volume that isn't there yet.
_UNBOUND_PREFIX = "\0"


def attachable_volumes(listers: Listers, pod: PodInfo) -> frozenset[Attachable]:
    """The volumes that must be attached for a pod; what can't be made out is left out."""
    return frozenset((*_claimed(listers, pod), *_inline(pod.obj)))


def attached_volumes(listers: Listers) -> dict[str, frozenset[Attachable]]:
    """The volumes that VolumeAttachments attach to nodes, by name of the node."""
    attached: dict[str, set[Attachable]] = {}
    for attachment in listers.list("VolumeAttachment"):
        spec = spec_of(attachment)
        volume = part(spec, "source").get("persistentVolumeName")
        if volume and spec.get("attacher"):
            handle = _handle(listers.get("PersistentVolume", volume)) or volume
            attachable = Attachable(spec["attacher"], handle)
            attached.setdefault(spec.get("nodeName", ""), set()).add(attachable)
    return {node_name: frozenset(volumes) for node_name, volumes in attached.items()}


def attach_limits(listers: Listers) -> dict[str, dict[str, int]]:
    """How many volumes of a driver can be attached, by name of the node; unlimited if absent."""
    limits = {name(csi_node): limits_of(csi_node) for csi_node in listers.list("CSINode")}
    return {node_name: of_node for node_name, of_node in limits.items() if of_node}


def limits_of(csi_node: Object) -> dict[str, int]:
    """How many volumes can be attached to a node, by driver; unlimited if absent."""
    drivers = spec_of(csi_node).get("drivers") or ()
    counts = {driver["name"]: part(driver, "allocatable").get("count") for driver in drivers}
    return {driver: count for driver, count in counts.items() if count is not None}


def inline_fault(pod: Object) -> str:
    """Why an in-tree volume of the pod can't be translated for its CSI driver; empty if all can."""
    for volume in _volumes(pod):
        try:
            migrated_volume(volume)
        except MigrationError as error:
            return f"volume {volume.get('name')}: {error}"
    return ""


def _claimed(listers: Listers, pod: PodInfo) -> Iterator[Attachable]:
    for use in claim_uses(pod.obj):
        claim = claim_of(listers, pod, use)
        if claim is None or (use.is_ephemeral and ownership_fault(claim, pod)):
            continue
        volume = listers.get("PersistentVolume", volume_name(claim))
        found = _to_be_made(listers, claim) if volume is None else _existing(volume)
        if found is not None and found.driver and found.handle:
            yield found


def _existing(volume: Object) -> Attachable | None:
    spec = spec_of(volume)
    csi = spec.get("csi")
    if csi is not None:
        return Attachable(csi.get("driver") or "", csi.get("volumeHandle") or "")
    try:
        return migrated_volume(spec, zones_of(volume))
    except MigrationError:
        return None


def _to_be_made(listers: Listers, claim: Object) -> Attachable | None:
    storage_class = storage_class_of(listers, claim)
    if storage_class is None:
        return None
    driver = provisioning_driver(storage_class.get("provisioner") or "")
    return Attachable(driver, _UNBOUND_PREFIX + key(claim))


def _handle(volume: Object | None) -> str:
    found = _existing(volume) if volume is not None else None
    return found.handle if found is not None else ""


def _inline(pod: Object) -> Iterator[Attachable]:
    for volume in _volumes(pod):
        try:
            found = migrated_volume(volume)
        except MigrationError:
            continue
        if found is not None:
            yield found


def _volumes(pod: Object) -> list[Object]:
    return list(volumes_of(spec_of(pod)))
