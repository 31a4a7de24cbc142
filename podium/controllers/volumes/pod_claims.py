"""The claims of pods' ephemeral volumes, and the protection of claims and volumes in use.

The rules are those of v1.36's `ephemeral`, `pvc-protection` and `pv-protection` controllers. Pods
own the claims of their ephemeral volumes. Admission adds the protection finalizers; they are
removed from a terminating claim once no pod uses it, and from an unbound terminating volume.
"""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import (
    Object,
    controller_uid,
    finalizers_of,
    is_terminating,
    name,
    part,
    place_of,
    spec_of,
    uid_of,
)
from podium.api.objects import key as key_of
from podium.api.pods import node_name_of, phase_of, volumes_of
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.volumes.persistent_volumes import CLAIM, VOLUME, claim_key, claimed_by
from podium.machines.effects import Create, Effect, without_finalizer
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_POD_TYPE = {"apiVersion": "v1", "kind": "Pod"}


def _ephemeral(pod: Object) -> Iterator[Object]:
    for volume in volumes_of(spec_of(pod)):
        if part(volume, "ephemeral").get("volumeClaimTemplate"):
            yield volume


def _own_claims(pod: Object) -> list[str]:
    return [f"{'/'.join(place_of(pod))}-{volume['name']}" for volume in _ephemeral(pod)]


class EphemeralVolumeController(Reconciler):
    """Creates the claims of pods' ephemeral volumes."""

    name = "ephemeral-volume-controller"
    kinds = frozenset({"Pod", CLAIM})
    indexes = (("Pod", "claim", _own_claims),)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == CLAIM:
            if change.new is None:
                claim = "/".join(place_of(change.obj))
                yield from map(place_of, self.objects.by("Pod", "claim", claim))
        elif change.new is not None and before is None and any(_own_claims(change.new)):
            yield place_of(change.new)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        pod = self.objects.at("Pod", key)
        if pod is None or is_terminating(pod):
            return ()
        effects: list[Effect] = []
        for volume in _ephemeral(pod):
            claim_name = f"{name(pod)}-{volume['name']}"
            stored = self.objects.get(CLAIM, claim_name, place_of(pod)[0])
            if stored is None:
                template = volume["ephemeral"]["volumeClaimTemplate"]
                copied = {key: part(template, "metadata", key) for key in ("labels", "annotations")}
                metadata, owner = {"name": claim_name, **copied}, {**_POD_TYPE, **pod}
                claim = owned_object(owner, "v1", CLAIM, metadata, spec=template["spec"])
                effects.append(Create(kind=CLAIM, obj=claim))
            elif controller_uid(stored) != uid_of(pod):
                rest = f"was not created for pod {key_of(pod)} (pod is not owner)"
                note = f"PVC {key_of(stored)} {rest}"
                effects.append(self.event(pod, "Warning", "FailedBinding", note))
        return effects


_FINALIZERS = {CLAIM: "kubernetes.io/pvc-protection", VOLUME: "kubernetes.io/pv-protection"}


class VolumeProtectionController(Reconciler):
    """Removes the protection finalizers of terminating claims and volumes that aren't in use."""

    name = "pvc-protection-controller"
    kinds = frozenset({CLAIM, VOLUME, "Pod"})
    indexes = (("Pod", "claim", lambda pod: claimed_by(pod) if node_name_of(pod) else ()),)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind != "Pod":
            yield change.kind, *place_of(obj)
        elif change.new is None:
            yield from ((CLAIM, *claim.split("/")) for claim in claimed_by(obj))

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        kind, namespace, obj_name = key
        obj = self.objects.get(kind, obj_name, namespace)
        if obj is None or not is_terminating(obj):
            return ()
        if kind == VOLUME:
            is_used = phase_of(obj) == "Bound"
        else:
            is_used = any(True for _ in self.objects.by("Pod", "claim", claim_key(obj)))
        finalizer = _FINALIZERS[kind]
        if is_used or finalizer not in finalizers_of(obj):
            return ()
        return [without_finalizer(kind, obj, finalizer)]
