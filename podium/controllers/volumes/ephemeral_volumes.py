"""The ephemeral volume controller: creates the claims of pods' ephemeral volumes.

The rules are those of v1.36's `ephemeral` volume controller. The pods own their claims.
"""

from collections.abc import Hashable, Iterator, Sequence

from podium.api.objects import (
    Object,
    controller_uid,
    is_terminating,
    name,
    part,
    place_of,
    spec_of,
    uid_of,
)
from podium.api.objects import key as key_of
from podium.api.pod_specs import volumes_of
from podium.controllers.kit.controller_refs import owned_object
from podium.controllers.volumes.persistent_volumes import CLAIM
from podium.machines.effects import Create, Effect
from podium.machines.events import Change
from podium.machines.reconciler.reconciler import Reconciler


def _ephemeral(pod: Object) -> Iterator[Object]:
    for volume in volumes_of(spec_of(pod)):
        if part(volume, "ephemeral").get("volumeClaimTemplate"):
            yield volume


def _own_claims(pod: Object) -> list[str]:
    place = f"{place_of(pod)[0]}/{name(pod)}"
    return [f"{place}-{volume['name']}" for volume in _ephemeral(pod)]


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
        place = place_of(pod)[0]
        for volume in _ephemeral(pod):
            called = f"{name(pod)}-{volume['name']}"
            known = self.objects.get(CLAIM, called, place)
            if known is None:
                template = volume["ephemeral"]["volumeClaimTemplate"]
                copied = {key: part(template, "metadata", key) for key in ("labels", "annotations")}
                owner, metadata = {**pod, "apiVersion": "v1", "kind": "Pod"}, {"name": called}
                spec = template["spec"]
                claim = owned_object(owner, "v1", CLAIM, {**metadata, **copied}, spec=spec)
                effects.append(Create(kind=CLAIM, obj=claim))
            elif controller_uid(known) != uid_of(pod):
                note = (
                    f"PVC {key_of(known)} was not created for pod {key_of(pod)} (pod is not owner)"
                )
                effects.append(self.event(pod, "Warning", "FailedBinding", note))
        return effects
