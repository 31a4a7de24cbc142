"""The machine of StatefulSets: what it looks at, in which order, and what it tells.

Rules and texts are those of v1.36's `statefulset` controller.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from podium.api.objects import Object, is_terminating, name, place_of, status_of, uid_of
from podium.api.pods import is_ready, phase_of
from podium.api.workloads import replicas_of, selector_of, update_strategy_of
from podium.controllers.kit.controller_refs import claim, owners_of
from podium.controllers.kit.controller_revisions import (
    KIND,
    history_of,
    next_step,
    revision_hash_of,
    surplus,
)
from podium.controllers.stateful_set.pod_identity import CLAIM, available_since_s, ordinal_of
from podium.controllers.stateful_set.stateful_set_control import NAME, StatefulSetControl
from podium.machines.effects import Create, Delete, Effect, Patch, status_patch_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import namespaces, orphan_namespaces, owner_uids
from podium.machines.reconciler.reconciler import Reconciler

_SET = "StatefulSet"
_HASH_LABEL = "controller.kubernetes.io/hash"


class StatefulSetController(Reconciler):
    """Keeps the numbered pods of StatefulSets and their claims."""

    name = NAME
    kinds = frozenset({"Pod", CLAIM, KIND, _SET})
    tends = frozenset({_SET})
    replaces_pods = True

    def __init__(self) -> None:
        super().__init__(
            {
                "Pod": {"owner": owner_uids, "orphan": orphan_namespaces},
                KIND: {"owner": owner_uids},
                _SET: {"namespace": namespaces},
            }
        )

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _SET:
            yield place_of(obj)
        elif change.kind == CLAIM:
            if change.new is None:
                # Pods may have waited for the claim to be gone.
                for owner in self.objects.by(_SET, "namespace", place_of(obj)[0]):
                    for template in owner["spec"].get("volumeClaimTemplates") or ():
                        if name(obj).startswith(f"{name(template)}-{name(owner)}-"):
                            yield place_of(owner)
        else:
            for one in (before, change.new):
                if one is not None:
                    yield from owners_of(one, _SET, self.objects, adopts=change.kind == "Pod")

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        owner = self.objects.at(_SET, key)
        if owner is None:
            return
        claims = claim(owner, selector_of(owner), self.objects, "Pod")
        if claims.effects:
            yield from claims.effects
            return
        history = history_of(owner, self.objects.by(KIND, "owner", uid_of(owner)))
        step = next_step(owner, history, self.objects, _HASH_LABEL)
        if step is not None:
            yield step
        update = history.current
        if step is not None or update is None:
            return
        known = status_of(owner).get("currentRevision")
        current = next((one for one in history.old if name(one) == known), update)
        pods = {
            ordinal: pod for pod in claims.owned if (ordinal := ordinal_of(owner, pod)) is not None
        }
        if not is_terminating(owner):
            control = StatefulSetControl(owner, current, update, pods, self.objects, now_s)
            # One that was loaded amid a rollout goes on with it once something happens to it.
            is_rolling = name(current) != name(update) == status_of(owner).get("updateRevision")
            yield from control.effects(rolls=is_rolling or not self.is_as_loaded(key))
        patch = status_patch(owner, current, update, [*pods.values()], now_s)
        if patch is not None:
            yield patch
        live = {name(current), name(update), *map(revision_hash_of, pods.values())}
        unused = [one for one in history.old if name(one) not in live]
        yield from surplus(owner, unused, frozenset)
        moments = (available_since_s(owner, pod) for pod in pods.values())
        later_s = min((s for s in moments if s is not None and s > now_s), default=None)
        if later_s is not None:
            self.look_again(key, later_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        """Tell of pods and claims, and go on when the claims are there."""
        if getattr(outcome.effect, "kind", "") == CLAIM:
            self.look_again(key, self._now_s)
        return self._told(key, outcome)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Tell why pods or claims can't be created or deleted."""
        return self._told(key, outcome)

    def _told(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        owner, effect, error = self.objects.at(_SET, key), outcome.effect, outcome.error
        if owner is None or not isinstance(effect, Create | Delete | Patch):
            return
        if effect.kind not in ("Pod", CLAIM) or (error is not None and error.reason == "NotFound"):
            return
        verb = type(effect).__name__.lower().replace("patch", "update")
        called = name(effect.obj) if isinstance(effect, Create) else effect.name
        what = f"{'Claim' if effect.kind == CLAIM else 'Pod'} {called}"
        if error is None:
            note = f"{verb} {what} in StatefulSet {name(owner)} successful"
            yield self.event(owner, "Normal", f"Successful{verb.capitalize()}", note)
        else:
            note = f"{verb} {what} in StatefulSet {name(owner)} failed error: {error.message}"
            yield self.event(owner, "Warning", f"Failed{verb.capitalize()}", note)


_ALWAYS_THERE = ("replicas", "availableReplicas", "collisionCount")


def status_patch(
    owner: Object, current: Object, update: Object, pods: Sequence[Object], now_s: float
) -> Patch | None:
    """The change of the status; None if it is as it should be."""
    old = status_of(owner)
    running = [pod for pod in pods if phase_of(pod) == "Running"]
    moments = [available_since_s(owner, pod) for pod in running]
    staying = [revision_hash_of(pod) for pod in pods if not is_terminating(pod)]
    counts = {
        "replicas": len(pods),
        "readyReplicas": sum(is_ready(pod) for pod in running),
        "availableReplicas": sum(at_s is not None and at_s <= now_s for at_s in moments),
        "currentReplicas": staying.count(name(current)),
        "updatedReplicas": staying.count(name(update)),
    }
    if update_strategy_of(owner).get("type") != "OnDelete" and all(
        counts[field] == replicas_of(owner)
        for field in ("updatedReplicas", "readyReplicas", "replicas")
    ):
        # A rolling update has reached all pods, and they are ready.
        counts["currentReplicas"] = counts["updatedReplicas"]
        current = update
    fields: dict[str, Any] = {
        **counts,
        "collisionCount": int(old.get("collisionCount") or 0),
        "currentRevision": name(current),
        "updateRevision": name(update),
        "observedGeneration": owner["metadata"].get("generation"),
    }
    wanted = {f: value if value or f in _ALWAYS_THERE else None for f, value in fields.items()}
    if all(old.get(f) == value for f, value in wanted.items()):
        return None
    return status_patch_of("StatefulSet", owner, wanted)
