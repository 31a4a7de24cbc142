"""Which volume a claim gets, and the writes that bind the two, as v1.36 does it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from podium.api.objects import (
    Object,
    annotations,
    is_terminating,
    name,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import phase_of
from podium.api.selectors.labels import SelectorError
from podium.api.volumes.claims_and_volumes import (
    BOUND_BY_CONTROLLER,
    access_modes,
    bound_to,
    is_fully_bound,
    requested_storage,
    same_kind,
    storage_capacity,
    storage_class_name,
    volume_name,
)
from podium.api.volumes.volume_matching import NO_VOLUME, Rows, choose_volumes
from podium.api.well_known import BIND_COMPLETED
from podium.machines.effects import Effect, Patch, patch_of, status_patch_of

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"
_YES = "yes"
_HERE: Rows = np.zeros(1, np.intp)


class _Anywhere:
    """A topology of one place, from which every volume can be reached."""

    def reach(self, _volume: Object) -> Rows:
        return _HERE


def claim_key(claim: Object) -> str:
    """Namespace and name, as the key of an index."""
    return "/".join(place_of(claim))


def claim_of(volume: Object) -> Object:
    """A volume's reference to its claim; empty if it has none."""
    reference: Object = spec_of(volume).get("claimRef") or {}
    return reference


def claim_bound(claim: Object) -> bool:
    """Whether a claim has a volume, as far as the claim knows."""
    return bool(volume_name(claim)) or is_fully_bound(claim)


def is_bound_by_controller(volume: Object) -> bool:
    """Whether it was the controller that chose the volume's claim, and not a user."""
    return annotations(volume).get(BOUND_BY_CONTROLLER) == _YES


def best_volume(claim: Object, volumes: Sequence[Object]) -> Object | None:
    """The volume that a claim gets, wherever it can be reached from; None if none fits."""
    if not volumes:
        return None
    try:
        (choice,) = choose_volumes([claim], volumes, _Anywhere(), 1)
    except SelectorError:
        return None
    return None if choice[0] == NO_VOLUME else volumes[choice[0]]


def volume_fault(claim: Object, volume: Object) -> str:
    """Why a claim can't have the volume that it names; empty if it can."""
    if is_terminating(volume):
        return "the volume is marked for deletion"
    if storage_capacity(volume) < (requested_storage(claim) or 0):
        return "requested PV is too small"
    if storage_class_name(volume) != storage_class_name(claim):
        return "storageClassName does not match"
    if not same_kind(volume, claim):
        return "incompatible volumeMode"
    if not access_modes(claim) <= access_modes(volume):
        return "incompatible accessMode"
    return ""


def next_step(claim: Object, volume: Object) -> Iterator[Effect]:
    """The next write on the way to a claim and a volume that are bound to each other."""
    reference = claim_of(volume)
    if reference.get("uid") != uid_of(claim):
        wanted = claim_of(bound_to(volume, claim))
        marks = {} if reference else {BOUND_BY_CONTROLLER: _YES}
        yield _patch(volume, {"claimRef": wanted}, marks)
    elif phase_of(volume) != "Bound":
        yield from status_patch(volume, {"phase": "Bound"})
    elif not is_fully_bound(claim) or volume_name(claim) != name(volume):
        marks = {BIND_COMPLETED: _YES}
        if not volume_name(claim):
            marks[BOUND_BY_CONTROLLER] = _YES
        yield _patch(claim, {"volumeName": name(volume)}, marks)
    else:
        spec = volume["spec"]
        status = {
            "phase": "Bound",
            "accessModes": spec.get("accessModes") or [],
            "capacity": spec.get("capacity") or {},
        }
        yield from status_patch(claim, status)


def unbound(volume: Object) -> Effect:
    """A write that frees a volume whose claim has got another one."""
    return _patch(volume, {"claimRef": None}, {BOUND_BY_CONTROLLER: None})


def status_patch(obj: Object, status: Mapping[str, Any]) -> Iterator[Effect]:
    """A write of the status, if that says anything new."""
    known = status_of(obj)
    if any(known.get(field) != value for field, value in status.items()):
        yield status_patch_of(obj["kind"], obj, status)


def _patch(obj: Object, spec: Mapping[str, Any], marks: Mapping[str, str | None]) -> Patch:
    metadata = {"annotations": marks} if marks else {}
    body = {"metadata": metadata, "spec": spec}
    return patch_of(obj["kind"], obj, body, if_unchanged=True)
