"""Accessors of claims, volumes and storage classes, and the binding of claims, as in v1.36.

Volumes for unbound claims are chosen by the rules of FindMatchingVolume and of VolumeBinding's
search. Among matching ones of a size, Kubernetes takes any; here, that with the smallest name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from podium.api.objects import (
    Object,
    annotated,
    annotations,
    entries,
    is_terminating,
    labels,
    name,
    namespace,
    part,
    spec_of,
    uid,
)
from podium.api.pods import phase_of, requests_of, volumes_of
from podium.api.selectors.labels import EVERYTHING, Selector, label_selector
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
"""The annotation with the storage class, which has precedence over the field."""

_DEFAULT = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """The name of a claim that a pod's volume uses; an ephemeral claim must be owned by the pod."""

    claim_name: str
    is_ephemeral: bool = False


def claim_uses(pod: Object) -> Iterator[ClaimUse]:
    """Yield the claims that a pod's volumes use, in order."""
    for volume in volumes_of(spec_of(pod)):
        source = volume.get("persistentVolumeClaim")
        if source is not None:
            yield ClaimUse(source.get("claimName") or "")
        elif volume.get("ephemeral") is not None:
            yield ClaimUse(f"{name(pod)}-{volume.get('name')}", is_ephemeral=True)


def volume_name(claim: Object) -> str:
    """Return the name of a claim's persistent volume; empty if it has none."""
    return str(spec_of(claim).get("volumeName") or "")


def is_fully_bound(claim: Object) -> bool:
    """Return whether the binding of a claim to its volume is complete."""
    return bool(volume_name(claim)) and BIND_COMPLETED in annotations(claim)


def access_modes(obj: Object) -> frozenset[str]:
    """Return the access modes of a claim or a persistent volume."""
    return frozenset(entries(spec_of(obj), "accessModes"))


def requested_storage(claim: Object) -> int | None:
    """Return the requested storage of a claim in nanos of a byte; None if it requests none."""
    requests = requests_of(spec_of(claim))
    return nanos(requests["storage"]) if "storage" in requests else None


def storage_capacity(volume: Object) -> int:
    """Return the capacity of a persistent volume in nanos of a byte."""
    return nanos(part(spec_of(volume), "capacity").get("storage") or 0)


def is_reserved(volume: Object) -> bool:
    """Return whether a persistent volume is bound to, or reserved for, any claim."""
    return spec_of(volume).get("claimRef") is not None


def is_bound_to(volume: Object, claim: Object) -> bool:
    """Return whether a persistent volume is bound to, or reserved for, the claim."""
    reference = spec_of(volume).get("claimRef")
    return (
        reference is not None
        and reference.get("name") == name(claim)
        and (reference.get("namespace") or "") == namespace(claim)
        and (reference.get("uid") or uid(claim)) == uid(claim)
    )


def bound_to(volume: Object, claim: Object) -> Object:
    """Return the volume bound to a claim (GetBindVolumeToClaim), marked unless it was reserved."""
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
    """Return the claim with the annotation that requests a volume for a node."""
    return annotated(claim, {SELECTED_NODE: node_name})


def same_kind(volume: Object, claim: Object) -> bool:
    """Return whether a volume and a claim have equal volumeMode and VolumeAttributesClass."""
    return _kind(volume) == _kind(claim)


def _kind(obj: Object) -> tuple[str, str]:
    spec = spec_of(obj)
    return spec.get("volumeMode") or _FILESYSTEM, spec.get("volumeAttributesClassName") or ""


def storage_class_name(obj: Object) -> str:
    """Return the storage class of a claim or a persistent volume; empty if it has none."""
    noted = annotations(obj).get(CLASS_ANNOTATION)
    return str(spec_of(obj).get("storageClassName") or "") if noted is None else noted


def is_default_class(storage_class: Object) -> bool:
    """Return whether the storage class is marked as the default."""
    marks = annotations(storage_class)
    return any(marks.get(mark) == "true" for mark in _DEFAULT)


Choice = NDArray[np.int64]
Rows = NDArray[np.intp]

NO_VOLUME = -1


class Topology(Protocol):
    """Protocol of the topology: the nodes from which volumes can be reached."""

    def reach(self, volume: Object) -> Rows:
        """Return the rows of nodes that can reach a persistent volume: int[n], ascending."""


def by_size(claims: Sequence[Object]) -> list[Object]:
    """Sort claims by requested size, as small claims get their volumes first."""
    return sorted(claims, key=lambda claim: requested_storage(claim) or 0)


def choose_volumes(
    claims: Sequence[Object], volumes: Sequence[Object], topology: Topology, node_count: int
) -> list[Choice]:
    """Choose a different volume for each claim, in order, and independently for each node.

    A choice is int64[nodes]: an index into `volumes`, or `NO_VOLUME`.
    """
    choices: list[Choice] = []
    for claim in claims:
        raw = spec_of(claim).get("selector")
        selector = EVERYTHING if raw is None else label_selector(raw)
        fitting = [i for i, volume in enumerate(volumes) if _fits(volume, claim)]
        fitting.sort(key=lambda i: (storage_capacity(volumes[i]), name(volumes[i])))
        choice = np.full(node_count, NO_VOLUME, np.int64)
        undecided = np.ones(node_count, bool)
        # A volume that is meant for the claim is taken wherever it is, or else the smallest.
        for index in (i for i in fitting if is_bound_to(volumes[i], claim)):
            available = undecided.copy()
            for earlier in choices:
                available &= earlier != index
            undecided &= ~available
            rows = topology.reach(volumes[index])
            choice[rows[available[rows]]] = index
        for index in (i for i in fitting if _is_free(volumes[i], claim, selector)):
            rows = topology.reach(volumes[index])
            rows = rows[undecided[rows]]
            for earlier in choices:
                rows = rows[earlier[rows] != index]
            choice[rows] = index
            undecided[rows] = False
        choices.append(choice)
    return choices


def _fits(volume: Object, claim: Object) -> bool:
    return (
        storage_class_name(volume) == storage_class_name(claim)
        and storage_capacity(volume) >= (requested_storage(claim) or 0)
        and same_kind(volume, claim)
        and not is_terminating(volume)
    )


def _is_free(volume: Object, claim: Object, selector: Selector) -> bool:
    # Whether a fitting volume that isn't reserved can be taken.
    return (
        not is_reserved(volume)
        and phase_of(volume) == "Available"
        and selector.matches(labels(volume))
        and access_modes(claim) <= access_modes(volume)
    )
