"""Volumes and claims: where data lies doesn't change; a bound claim may grow.

The rules are those of v1.36's `core` and `storage` groups.
"""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, annotations, spec_of
from podium.api.quantity import nanos
from podium.apiserver.internals import difference, internal
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import (
    Faults,
    all_of,
    at,
    forbidden,
    immutable,
    immutable_value,
    valid,
    without,
)
from podium.apiserver.validation import nodes as node_checks
from podium.apiserver.validation import storage as checks

_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
_CLAIM_FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)
_SOURCE_FIXED = "spec.persistentvolumesource is immutable after creation"
_TOO_SMALL = "field can not be less than status.capacity"
_STORAGE = "spec.resources.requests.storage"
_ATTRIBUTES_CLASS = "spec.volumeAttributesClassName"


def _claim_spec(new: Object, old: Object) -> Faults:
    """Of a claim, a volume and a class are given once; size and attributes change when bound."""
    spec, before = dict(spec_of(new)), spec_of(old)
    known: dict[str, Any] = dict(before)
    if not before.get("volumeName"):
        known["volumeName"] = spec.get("volumeName")
    if _is_class_first_named(new, old):
        known["storageClassName"] = spec["storageClassName"]
    else:
        noted, was = annotations(new).get(_BETA_CLASS), annotations(old).get(_BETA_CLASS)
        if noted != was:
            path = f"metadata.annotations[{_BETA_CLASS}]"
            yield FieldError(path, noted or "", "field is immutable")
    if at(new, "status.phase") == "Bound":
        spec = _with_changeable_of(spec, before)
    shown, stored = (internal("PersistentVolumeClaimSpec", one) for one in (spec, known))
    if shown != stored:
        yield forbidden("spec", f"{_CLAIM_FIXED}\n{difference(stored, shown)}")
    yield from _size(new, old)
    now, then = spec_of(new).get("volumeMode"), before.get("volumeMode")
    yield from immutable_value(now, then, "volumeMode")
    yield from _attributes_class_stays(new, old, empty_too=True)


def _is_class_first_named(new: Object, old: Object) -> bool:
    """Whether a claim without class is given one, and it isn't another than it has noted."""
    name = at(new, "spec.storageClassName")
    noted = annotations(old).get(_BETA_CLASS)
    unnamed = at(old, "spec.storageClassName") is None
    return name is not None and unnamed and noted in (None, name)


def _with_changeable_of(spec: Mapping[str, Any], before: Object) -> dict[str, Any]:
    """The spec with the size and the class of attributes as they were."""
    changed = dict(spec)
    resources = spec.get("resources") or {}
    if resources.get("requests"):
        size = at(before, "resources.requests.storage")
        requests = {**resources["requests"], "storage": size or "0"}
        changed["resources"] = {**resources, "requests": requests}
    if spec.get("volumeAttributesClassName") is not None:
        changed["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
    return changed


def _size(new: Object, old: Object) -> Faults:
    """A claim that couldn't grow may ask for less again, but for more than it has."""
    wanted, before = (nanos(at(one, _STORAGE) or 0) for one in (new, old))
    if wanted < before and wanted <= nanos(at(old, "status.capacity.storage") or 0):
        yield forbidden(_STORAGE, _TOO_SMALL)


def _attributes_class_stays(new: Object, old: Object, *, empty_too: bool) -> Faults:
    now, before = at(new, _ATTRIBUTES_CLASS), at(old, _ATTRIBUTES_CLASS)
    if before is None or now == before:
        return
    if now is None:
        yield forbidden(_ATTRIBUTES_CLASS, "update from non-nil value to nil is forbidden")
    elif empty_too and not now:
        message = "update from non-nil value to an empty string is forbidden"
        yield forbidden(_ATTRIBUTES_CLASS, message)


def _volume_source(new: Object, old: Object) -> Faults:
    now, before = (internal("PersistentVolumeSource", spec_of(one)) for one in (new, old))
    if before["CSI"] and now["CSI"] and before["CSI"]["ControllerExpandSecretRef"] is None:
        now["CSI"]["ControllerExpandSecretRef"] = None
    if now != before:
        path = "spec.persistentvolumesource"
        yield forbidden(path, f"{_SOURCE_FIXED}\n{difference(before, now)}")


def _volume_node_affinity(new: Object, old: Object) -> Faults:
    """Where a volume can be reached is said once."""
    now, before = at(new, "spec.nodeAffinity"), at(old, "spec.nodeAffinity")
    if before is None:
        return
    shown = internal("VolumeNodeAffinity", now) if now is not None else None
    if shown != internal("VolumeNodeAffinity", before):
        message = "field is immutable, except for updating from beta label to GA"
        yield FieldError("nodeAffinity", "null" if shown is None else shown, message)


claim = all_of(metadata, valid(checks.persistent_volume_claim), _claim_spec)


def _claim_capacity(new: Object, _old: Object) -> Faults:
    if not at(new, "spec.accessModes"):
        yield FieldError("Spec.accessModes", None, "", ErrorKind.REQUIRED)
    for name, amount in (at(new, "status.capacity") or {}).items():
        if nanos(amount) < 0:
            path = f"status.capacity[{name}]"
            yield FieldError(path, amount, "must be a valid resource quantity")


claim_status = all_of(metadata, _claim_capacity)

volume = all_of(
    valid(checks.persistent_volume),
    _volume_source,
    immutable("spec.volumeMode", "volumeMode"),
    _volume_node_affinity,
    lambda new, old: _attributes_class_stays(new, old, empty_too=False),
)
volume_status = metadata


def _class_stays(new: Object, old: Object) -> Faults:
    for field in ("parameters", "provisioner", "reclaimPolicy"):
        if (new.get(field) or None) != (old.get(field) or None):
            yield forbidden(field, f"updates to {field} are forbidden.")


storage_class = all_of(
    valid(checks.storage_class),
    metadata,
    _class_stays,
    immutable("volumeBindingMode"),
)


def _attachment_spec(spec: Object) -> dict[str, Any]:
    return internal("VolumeAttachmentSpec", spec)


volume_attachment = immutable("spec", show=_attachment_spec)


def _known_drivers(new: Object, old: Object) -> Faults:
    """What a node says of a driver stays, but for how many volumes it can attach."""
    known = {driver.get("name"): driver for driver in at(old, "spec.drivers") or ()}
    for driver in at(new, "spec.drivers") or ():
        before = known.get(driver.get("name"))
        if before is not None and without(driver, ["allocatable"]) != without(
            before, ["allocatable"]
        ):
            shown = internal("CSINodeDriver", driver)
            yield FieldError("CSINodeDriver", shown, "field is immutable")


csi_node = all_of(valid(node_checks.csi_node), _known_drivers)
csi_driver = all_of(
    metadata,
    valid(node_checks.csi_driver, "spec"),
    immutable("spec.attachRequired", "spec.attachedRequired"),
    immutable("spec.volumeLifecycleModes"),
)
csi_storage_capacity = all_of(
    metadata,
    valid(node_checks.csi_storage_capacity),
    immutable("nodeTopology"),
    immutable("storageClassName"),
)
