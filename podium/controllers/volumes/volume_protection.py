"""Protection of claims and volumes in use, by v1.36's `pvc-protection` and `pv-protection`.

Admission adds the finalizers. Those of a deleted claim are removed once no pod uses it, those of a
volume once it isn't bound.
"""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import Object, finalizers_of, is_terminating, place_of
from podium.api.pods import node_name_of, phase_of
from podium.api.volumes.claims_and_volumes import claim_uses
from podium.controllers.volumes.persistent_volumes import CLAIM, VOLUME, claim_key, claimed_by
from podium.machines.effects import Effect, patch_of
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler

_FINALIZERS = {CLAIM: "kubernetes.io/pvc-protection", VOLUME: "kubernetes.io/pv-protection"}


def _claims_in_use(pod: Object) -> list[str]:
    return claimed_by(pod) if node_name_of(pod) else []


class VolumeProtectionController(Reconciler):
    """Removes the finalizers of deleted claims and volumes once no pod uses them."""

    name = "pvc-protection-controller"
    kinds = frozenset({CLAIM, VOLUME, "Pod"})
    indexes = (("Pod", "claim", _claims_in_use),)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind != "Pod":
            yield change.kind, *place_of(obj)
        elif change.new is None:
            place = place_of(obj)[0]
            for use in claim_uses(obj):
                yield CLAIM, place, use.claim_name

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        kind, place, called = key
        obj = self.objects.get(kind, called, place)
        if obj is None or not is_terminating(obj):
            return ()
        if kind == VOLUME:
            is_used = phase_of(obj) == "Bound"
        else:
            is_used = any(True for _ in self.objects.by("Pod", "claim", claim_key(obj)))
        finalizer = _FINALIZERS[kind]
        if is_used or finalizer not in finalizers_of(obj):
            return ()
        metadata = {"$deleteFromPrimitiveList/finalizers": [finalizer]}
        return [patch_of(kind, obj, {"metadata": metadata})]
