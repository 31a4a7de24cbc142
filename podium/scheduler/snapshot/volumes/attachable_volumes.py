"""Volumes as CSI drivers attach them (NodeVolumeLimits of v1.36).

Every in-tree plugin that has a CSI driver counts as migrated, whatever a CSINode says.
"""

from contextlib import suppress

from podium.api.objects import Object, key, name, part, spec_of
from podium.api.pods import volumes_of
from podium.api.volumes.claims_and_volumes import volume_name
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.volumes.csi_migration import (
    Attachable,
    MigrationError,
    migrated_volume,
    provisioning_driver,
    zones_of,
)
from podium.scheduler.snapshot.volumes.pod_claims import (
    ownership_fault,
    storage_class_of,
    used_claims,
)

# No real handle begins like this: marks a claim whose volume doesn't exist yet.
_UNBOUND_PREFIX = "\0"


def attachable_volumes(listers: Listers, pod: PodInfo) -> frozenset[Attachable]:
    """Return the volumes to attach for a pod, as far as its claims and volumes exist."""
    volumes: set[Attachable | None] = set()
    for use, claim in used_claims(listers, pod):
        if claim is None or (use.is_ephemeral and ownership_fault(claim, pod)):
            continue
        volume = listers.get("PersistentVolume", volume_name(claim))
        if volume is not None:
            volumes.add(_existing(volume))
        elif storage_class := storage_class_of(listers, claim):
            driver = provisioning_driver(storage_class.get("provisioner") or "")
            volumes.add(Attachable(driver, _UNBOUND_PREFIX + key(claim)))
    volumes = {one for one in volumes if one is not None and one.driver and one.handle}
    for inline in volumes_of(spec_of(pod.obj)):
        with suppress(MigrationError):
            volumes.add(migrated_volume(inline))
    return frozenset(attachable for attachable in volumes if attachable is not None)


def attached_volumes(listers: Listers) -> dict[str, frozenset[Attachable]]:
    """Return the volumes that VolumeAttachments attach, by node name."""
    attached: dict[str, set[Attachable]] = {}
    for attachment in listers.list("VolumeAttachment"):
        spec = spec_of(attachment)
        volume = part(spec, "source").get("persistentVolumeName")
        if volume and spec.get("attacher"):
            stored = listers.get("PersistentVolume", volume)
            existing = None if stored is None else _existing(stored)
            handle = (existing.handle if existing else "") or volume
            attachable = Attachable(spec["attacher"], handle)
            attached.setdefault(spec.get("nodeName", ""), set()).add(attachable)
    return {node_name: frozenset(volumes) for node_name, volumes in attached.items()}


def attach_limits(listers: Listers) -> dict[str, dict[str, int]]:
    """Return the number of volumes that can be attached, by node name and driver."""
    limits = {name(csi_node): limits_of(csi_node) for csi_node in listers.list("CSINode")}
    return {node_name: of_node for node_name, of_node in limits.items() if of_node}


def limits_of(csi_node: Object) -> dict[str, int]:
    """Return the number of volumes that a node can attach, by driver that has a limit."""
    drivers = spec_of(csi_node).get("drivers") or ()
    counts = {driver["name"]: part(driver, "allocatable").get("count") for driver in drivers}
    return {driver: count for driver, count in counts.items() if count is not None}


def inline_fault(pod: Object) -> str:
    """Explain why an in-tree volume of a pod can't be translated for CSI; empty if all can be."""
    for volume in volumes_of(spec_of(pod)):
        try:
            migrated_volume(volume)
        except MigrationError as error:
            return f"volume {volume.get('name')}: {error}"
    return ""


def _existing(volume: Object) -> Attachable | None:
    spec = spec_of(volume)
    csi = spec.get("csi")
    if csi is not None:
        return Attachable(csi.get("driver") or "", csi.get("volumeHandle") or "")
    try:
        return migrated_volume(spec, zones_of(volume))
    except MigrationError:
        return None
