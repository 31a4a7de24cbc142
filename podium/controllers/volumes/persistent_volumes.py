"""The persistent volume controller: binds claims to volumes, by v1.36's rules and texts.

Binding takes four writes: the volume's claimRef, its phase, the claim's volumeName, its status. The
stored objects determine the next write, so that binding continues after a crash.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from podium.api.objects import Object, annotations, is_terminating, name, place_of, spec_of, uid_of
from podium.api.pods import node_name_of, phase_of
from podium.api.process.recent_values import Recent
from podium.api.selectors.labels import SelectorError
from podium.api.volumes.claims_and_volumes import (
    BOUND_BY_CONTROLLER,
    NO_PROVISIONER,
    NO_VOLUME,
    SELECTED_NODE,
    WAIT_FOR_FIRST_CONSUMER,
    Rows,
    access_modes,
    bound_to,
    choose_volumes,
    claim_uses,
    is_bound_to,
    is_fully_bound,
    is_reserved,
    requested_storage,
    same_kind,
    storage_capacity,
    storage_class_name,
    volume_name,
)
from podium.api.well_known import BIND_COMPLETED
from podium.controllers.kit.workload_fields import status_update
from podium.machines.effects import Effect, Patch, patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler, existence_check

CLAIM, VOLUME = "PersistentVolumeClaim", "PersistentVolume"
_YES = "yes"
_HERE: Rows = np.zeros(1, np.intp)


class _Anywhere:
    # A topology of one place, from which every volume can be reached.
    def reach(self, _volume: Object) -> Rows:
        return _HERE


def claim_key(claim: Object) -> str:
    """Return the index key of a claim, made of its namespace and name."""
    return "/".join(place_of(claim))


def claimed_by(pod: Object) -> list[str]:
    """Return the index keys of the claims that a pod uses."""
    return [f"{place_of(pod)[0]}/{use.claim_name}" for use in claim_uses(pod)]


def claim_of(volume: Object) -> Object:
    """Return a volume's `claimRef`; empty if it has none."""
    reference: Object = spec_of(volume).get("claimRef") or {}
    return reference


def _best_volume(claim: Object, volumes: Sequence[Object]) -> Object | None:
    if not volumes:
        return None
    try:
        (choice,) = choose_volumes([claim], volumes, _Anywhere(), 1)
    except SelectorError:
        return None
    return None if choice[0] == NO_VOLUME else volumes[choice[0]]


def _volume_fault(claim: Object, volume: Object) -> str:
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
    """Yield the next write that binds a claim and a volume."""
    reference = claim_of(volume)
    if reference.get("uid") != uid_of(claim):
        wanted = claim_of(bound_to(volume, claim))
        marks = {} if reference else {BOUND_BY_CONTROLLER: _YES}
        yield _patch(volume, {"claimRef": wanted}, marks)
    elif phase_of(volume) != "Bound":
        yield from status_update(volume, phase="Bound")
    elif not is_fully_bound(claim) or volume_name(claim) != name(volume):
        marks = {BIND_COMPLETED: _YES}
        if not volume_name(claim):
            marks[BOUND_BY_CONTROLLER] = _YES
        yield _patch(claim, {"volumeName": name(volume)}, marks)
    else:
        spec = volume["spec"]
        modes, capacity = spec.get("accessModes") or [], spec.get("capacity") or {}
        yield from status_update(claim, phase="Bound", accessModes=modes, capacity=capacity)


def _patch(obj: Object, spec: Mapping[str, Any], marks: Mapping[str, str | None]) -> Patch:
    metadata = {"annotations": marks} if marks else {}
    body = {"metadata": metadata, "spec": spec}
    return patch_of(obj["kind"], obj, body, if_unchanged=True)


PROVISIONER = "volume.kubernetes.io/storage-provisioner"
_PROVISIONER_MARKS = ("volume.beta.kubernetes.io/storage-provisioner", PROVISIONER)
_ABSENT_MAX = 10_000
_EXTERNAL = (
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by "
    "the system administrator. If volume creation is delayed, please verify that the provisioner "
    "is running and correctly registered."
)
_NO_CONSUMER = "waiting for first consumer to be created before binding"
_LOST = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
_MISBOUND = "Two claims are bound to the same volume, this one is bound incorrectly"


def _class_of_unbound(claim: Object) -> tuple[str, ...]:
    return () if volume_name(claim) or is_fully_bound(claim) else (storage_class_name(claim),)


def _claim_keys(volume: Object) -> tuple[str, ...]:
    reference = claim_of(volume)
    return (f"{reference.get('namespace')}/{reference.get('name')}",) if reference else ()


def _free_in_class(volume: Object) -> tuple[str, ...]:
    is_available = phase_of(volume) == "Available"
    return () if is_reserved(volume) or not is_available else (storage_class_name(volume),)


class PersistentVolumeController(Reconciler):
    """Binds claims to persistent volumes, and releases volumes whose claims were deleted."""

    name = "persistentvolume-controller"
    kinds = frozenset({CLAIM, VOLUME, "StorageClass", "Pod"})
    indexes = (
        (VOLUME, "claim", _claim_keys),
        (VOLUME, "free", _free_in_class),
        (CLAIM, "class", _class_of_unbound),
        (CLAIM, "volume", lambda claim: (volume_name(claim),) if volume_name(claim) else ()),
        ("Pod", "claim", claimed_by),
    )

    def __init__(self) -> None:
        super().__init__()
        self._absent: Recent[str, bool] = Recent(_ABSENT_MAX)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == CLAIM:
            if change.new is None:
                self._absent.put(uid_of(obj), True)
            yield CLAIM, *place_of(obj)
            for volume in self.objects.by(VOLUME, "claim", claim_key(obj)):
                yield VOLUME, "", name(volume)
        elif change.kind == VOLUME:
            yield VOLUME, "", name(obj)
            for reference in (claim_of(one) for one in (before, change.new) if one is not None):
                if reference:
                    yield CLAIM, str(reference.get("namespace")), str(reference.get("name"))
            for claim in self.objects.by(CLAIM, "volume", name(obj)):
                yield CLAIM, *place_of(claim)
            if change.new is not None and _free_in_class(change.new):
                yield from self._unbound_of(storage_class_name(change.new))
        elif change.kind == "StorageClass":
            yield from self._unbound_of(name(obj))
        elif before is None or node_name_of(before) != node_name_of(obj):
            yield from ((CLAIM, *claim.split("/")) for claim in claimed_by(obj))

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        assert isinstance(key, tuple)
        kind, namespace, obj_name = key
        obj = self.objects.get(kind, obj_name, namespace)
        if obj is None:
            return
        if kind == VOLUME:
            yield from self._sync_volume(obj)
        elif not is_fully_bound(obj):
            yield from self._sync_unbound(obj)
        elif (volume := self.objects.get(VOLUME, volume_name(obj))) is None:
            yield from self._mark_lost(obj, "ClaimLost", _LOST)
        elif is_reserved(volume) and not is_bound_to(volume, obj):
            yield from self._mark_lost(obj, "ClaimMisbound", _MISBOUND)
        else:
            yield from next_step(obj, volume)

    def checked(self, key: Hashable, asked: Effect, found_uid: str) -> None:
        # A claim may be absent although a volume refers to it.
        assert isinstance(key, tuple)
        volume = self.objects.get(VOLUME, key[2])
        wanted = str(claim_of(volume).get("uid") or "") if volume else ""
        if wanted != found_uid:
            self._absent.put(wanted, True)

    def _unbound_of(self, class_name: str) -> Iterator[Hashable]:
        for claim in self.objects.by(CLAIM, "class", class_name):
            yield CLAIM, *place_of(claim)

    def _sync_volume(self, volume: Object) -> Iterator[Effect]:
        reference = claim_of(volume)
        if not reference.get("uid"):
            # Free, or meant for a claim that hasn't come yet.
            yield from status_update(volume, phase="Available")
            return
        namespace, claim_name = str(reference.get("namespace")), str(reference.get("name"))
        claim = self.objects.get(CLAIM, claim_name, namespace)
        if claim is None or uid_of(claim) != reference["uid"]:
            if not self._absent.get(reference["uid"]):
                yield existence_check(CLAIM, claim_name, namespace)
            elif phase_of(volume) != "Failed":
                yield from status_update(volume, phase="Released")
        elif volume_name(claim) == name(volume):
            yield from status_update(volume, phase="Bound")
        elif volume_name(claim) and annotations(volume).get(BOUND_BY_CONTROLLER) == _YES:
            # The claim is bound to another volume.
            yield _patch(volume, {"claimRef": None}, {BOUND_BY_CONTROLLER: None})

    def _mark_lost(self, claim: Object, reason: str, note: str) -> Iterator[Effect]:
        if phase_of(claim) != "Lost":
            yield self.event(claim, "Warning", reason, note)
        yield from status_update(claim, phase="Lost")

    def _sync_unbound(self, claim: Object) -> Iterator[Effect]:
        if is_terminating(claim):
            return
        if volume_name(claim):
            # Bound to the volume that its user has chosen, once it is there.
            volume = self.objects.get(VOLUME, volume_name(claim))
            if volume is None:
                return
            if is_reserved(volume) and not is_bound_to(volume, claim):
                note = f'volume "{name(volume)}" already bound to a different claim.'
                yield self.event(claim, "Warning", "FailedBinding", note)
            elif fault := _volume_fault(claim, volume):
                note = f'Cannot bind to requested volume "{name(volume)}": {fault}'
                yield self.event(claim, "Warning", "VolumeMismatch", note)
            else:
                yield from next_step(claim, volume)
            return
        class_name = storage_class_name(claim)
        storage_class = self.objects.get("StorageClass", class_name)
        mode = storage_class and storage_class.get("volumeBindingMode")
        # The class may leave the choice to the scheduler.
        waits = mode == WAIT_FOR_FIRST_CONSUMER
        meant = [*self.objects.by(VOLUME, "claim", claim_key(claim))]
        free = () if waits else self.objects.by(VOLUME, "free", class_name)
        volume = _best_volume(claim, [*meant, *free])
        if volume is not None:
            yield from next_step(claim, volume)
        elif waits and SELECTED_NODE not in annotations(claim):
            users = self.objects.by("Pod", "claim", claim_key(claim))
            new = (user for user in users if not (node_name_of(user) or is_terminating(user)))
            reason, note = "WaitForFirstConsumer", _NO_CONSUMER
            if (pod := next(new, None)) is not None:
                reason = "WaitForPodScheduled"
                note = f"waiting for pod {name(pod)} to be scheduled"
            yield self.event(claim, "Normal", reason, note)
        elif not class_name:
            note = "no persistent volumes available for this claim and no storage class is set"
            yield self.event(claim, "Normal", "FailedBinding", note)
        elif storage_class is None:
            note = f'storageclass.storage.k8s.io "{class_name}" not found'
            yield self.event(claim, "Warning", "ProvisioningFailed", note)
        elif (provisioner := str(storage_class.get("provisioner"))) == NO_PROVISIONER:
            note = f"no volume plugin matched name: {provisioner}"
            yield self.event(claim, "Warning", "ProvisioningFailed", note)
        else:
            yield self.event(claim, "Normal", "ExternalProvisioning", _EXTERNAL.format(provisioner))
            if annotations(claim).get(PROVISIONER) != provisioner:
                marks = dict.fromkeys(_PROVISIONER_MARKS, provisioner)
                yield patch_of(CLAIM, claim, {"metadata": {"annotations": marks}})
