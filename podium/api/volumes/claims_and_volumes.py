"""Claims, persistent volumes and storage classes: what they ask for and offer, how they are bound.

The rules are those of component-helpers' `storage/volume` and `storage/ephemeral` in v1.36.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from podium.api.objects import (
    Object,
    annotated,
    annotations,
    entries,
    name,
    namespace,
    part,
    spec_of,
    uid,
)
from podium.api.pod_specs import requests_of, volumes_of
from podium.api.values.quantity import nanos
from podium.api.well_known import BIND_COMPLETED

SELECTED_NODE = "volume.kubernetes.io/selected-node"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
ZONES_DELIMITER = "__"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_FILESYSTEM = "Filesystem"

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
"""Named the class when there was no field for it, and still counts more than the field."""

_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """A volume of a pod that is a claim; an ephemeral one must be owned by the pod."""

    claim_name: str
    is_ephemeral: bool = False


def claim_uses(pod: Object) -> Iterator[ClaimUse]:
    """The claims among a pod's volumes, in order; a claim used twice comes twice."""
    for volume in volumes_of(spec_of(pod)):
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            yield ClaimUse(source.get("claimName") or "")
        elif volume.get("ephemeral") is not None:
            yield ClaimUse(f"{name(pod)}-{volume.get('name')}", is_ephemeral=True)


def volume_name(claim: Object) -> str:
    """The persistent volume that a claim names; empty if none."""
    return str(spec_of(claim).get("volumeName") or "")


def is_fully_bound(claim: Object) -> bool:
    """Whether the binding of a claim to its volume is complete, as opposed to only wished for."""
    return bool(volume_name(claim)) and BIND_COMPLETED in annotations(claim)


def access_modes(obj: Object) -> frozenset[str]:
    """The access modes of a claim or a persistent volume."""
    return frozenset(entries(spec_of(obj), "accessModes"))


def requested_storage(claim: Object) -> int | None:
    """The storage that a claim asks for, in nanos of a byte; None if it doesn't say."""
    requests = requests_of(spec_of(claim))
    return nanos(requests["storage"]) if "storage" in requests else None


def storage_capacity(volume: Object) -> int:
    """The size of a persistent volume, in nanos of a byte."""
    return nanos(part(spec_of(volume), "capacity").get("storage") or 0)


def is_reserved(volume: Object) -> bool:
    """Whether a persistent volume is bound to some claim, or meant for it."""
    return spec_of(volume).get("claimRef") is not None


def is_bound_to(volume: Object, claim: Object) -> bool:
    """Whether a persistent volume is bound to this claim, or meant for it."""
    reference = spec_of(volume).get("claimRef")
    return (
        reference is not None
        and reference.get("name") == name(claim)
        and (reference.get("namespace") or "") == namespace(claim)
        and (reference.get("uid") or uid(claim)) == uid(claim)
    )


def bound_to(volume: Object, claim: Object) -> Object:
    """The persistent volume as it is once the scheduler has bound it to a claim.

    A mark tells it from a volume that a user has meant for the claim (GetBindVolumeToClaim).
    """
    if not is_bound_to(volume, claim) and BOUND_BY_CONTROLLER not in annotations(volume):
        volume = annotated(volume, {BOUND_BY_CONTROLLER: "yes"})
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace(claim),
        "name": name(claim),
        "uid": uid(claim),
    }
    return {**volume, "spec": {**spec_of(volume), "claimRef": reference}}


def selecting_node(claim: Object, node_name: str) -> Object:
    """The claim as it is once the scheduler has asked for a volume for this node."""
    return annotated(claim, {SELECTED_NODE: node_name})


def same_kind(volume: Object, claim: Object) -> bool:
    """Whether volume mode and VolumeAttributesClass of volume and claim agree."""
    return _kind(volume) == _kind(claim)


def _kind(obj: Object) -> tuple[str, str]:
    spec = spec_of(obj)
    return spec.get("volumeMode") or _FILESYSTEM, spec.get("volumeAttributesClassName") or ""


def storage_class_name(obj: Object) -> str:
    """The storage class of a claim or a persistent volume; empty if it has none."""
    noted = annotations(obj).get(CLASS_ANNOTATION)
    return str(spec_of(obj).get("storageClassName") or "") if noted is None else noted


def is_default_class(storage_class: Object) -> bool:
    """Whether claims that name no class are of this one."""
    marks = annotations(storage_class)
    return any(marks.get(mark) == "true" for mark in _DEFAULT)
