"""The StatefulSet controller: keeps numbered pods and their claims, by v1.36's rules and texts.

The order is that of updateStatefulSet: first pods that are missing or have ended, then surplus
pods, then those of another revision. Ordered sets do one thing at a time, and only while all pods
before are well; parallel ones do all at once.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.objects import Object, is_terminating, labels, name, place_of, status_of, uid_of
from podium.api.pods import is_finished, is_ready, phase_of
from podium.api.workloads import replicas_of, update_strategy_of
from podium.controllers.kit.controller_refs import claim, owners_of
from podium.controllers.kit.controller_revisions import (
    KIND,
    history_of,
    next_step,
    revision_hash_of,
    surplus,
)
from podium.controllers.kit.workload_fields import as_written, status_update
from podium.controllers.stateful_set.pod_identity import (
    CLAIM,
    available_since_s,
    identity_of,
    is_stale,
    missing_claims,
    numbered_pod,
    ordinal_of,
    ownership,
    serves,
    start_of,
)
from podium.machines.effects import (
    Create,
    Delete,
    Effect,
    Patch,
    deletion_of,
    event_of,
    patch_of,
)
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import Indexer, by_namespace, by_owner, by_owner_or_orphan
from podium.machines.reconciler.reconciler import Reconciler

NAME = "statefulset-controller"
_SET = "StatefulSet"
_HASH_LABEL = "controller.kubernetes.io/hash"
_ALWAYS_THERE = ("replicas", "availableReplicas", "collisionCount")


class StatefulSetControl(msgspec.Struct, frozen=True):
    """Decides what to do about the pods of one StatefulSet, as StatefulSetControl of v1.36.

    Attributes:
        current: the revision of pods that aren't to be updated yet.
    """

    owner: Object
    current: Object
    update: Object
    pods: Mapping[int, Object]
    objects: Indexer
    now_s: float

    def effects(self, *, rolls: bool = True) -> Iterator[Effect]:
        """The next steps; `rolls` says whether pods of other revisions are replaced."""
        wanted = range(start_of(self.owner), start_of(self.owner) + replicas_of(self.owner))
        is_settled = True
        for ordinal in wanted:
            steps = list(self._process_replica(ordinal))
            yield from steps
            pod = self.pods.get(ordinal)
            if self._is_ordered:
                has_to_wait = pod is None or not serves(self.owner, pod, self.now_s)
            else:
                has_to_wait = pod is not None and is_finished(pod)
            is_settled = is_settled and not has_to_wait
            if self._is_ordered and (has_to_wait or steps):
                return
        if not is_settled:
            return
        # Surplus pods are deleted, those with the highest numbers first.
        ordinals = sorted((one for one in self.pods if one not in wanted), reverse=True)
        condemned = [self.pods[ordinal] for ordinal in ordinals]
        if not self._is_ordered:
            for pod in condemned:
                if not is_terminating(pod):
                    yield from self._delete_pod(pod)
        elif condemned and not is_terminating(condemned[0]):
            ailing = [pod for pod in condemned if not serves(self.owner, pod, self.now_s)]
            # A pod that doesn't serve is deleted only if all before it serve.
            if condemned[0] not in ailing or ailing[-1] is condemned[0]:
                yield from self._delete_pod(condemned[0])
        if rolls and not (condemned and self._is_ordered):
            yield from self._update_pods(wanted)

    @property
    def _is_ordered(self) -> bool:
        return bool(self.owner["spec"].get("podManagementPolicy") != "Parallel")

    def _process_replica(self, ordinal: int) -> Iterator[Effect]:
        pod, called = self.pods.get(ordinal), f"{name(self.owner)}-{ordinal}"
        if pod is None:
            if is_stale(self.owner, called, self.objects):
                return
            claims = list(missing_claims(self.owner, called, self.objects))
            yield from claims
            if not claims:
                new = numbered_pod(self.owner, ordinal, self._revision_for(ordinal))
                yield Create(kind="Pod", obj=new)
        elif is_finished(pod):
            if not is_terminating(pod):
                word, reason, severity = "terminated", "RecreatingTerminatedPod", "Normal"
                if phase_of(pod) == "Failed":
                    word, reason, severity = "failed", "RecreatingFailedPod", "Warning"
                owner = "/".join(place_of(self.owner))
                note = f"StatefulSet {owner} is recreating {word} Pod {name(pod)}"
                yield event_of(self.owner, NAME, severity, reason, note)
                yield deletion_of("Pod", pod)
        elif not is_terminating(pod):
            if phase_of(pod) == "Pending":
                yield from missing_claims(self.owner, called, self.objects)
            lacking = identity_of(self.owner, ordinal).items() - labels(pod).items()
            if lacking:
                yield patch_of("Pod", pod, {"metadata": {"labels": dict(sorted(lacking))}})
            yield from ownership(self.owner, pod, self.objects, leaves=False)

    def _revision_for(self, ordinal: int) -> Object:
        # Pods below the partition, and those not yet updated, come back as they were.
        strategy = update_strategy_of(self.owner)
        if strategy.get("type") != "RollingUpdate":
            return self.update
        rolling, status = strategy.get("rollingUpdate"), status_of(self.owner)
        count = status.get("currentReplicas") if rolling is None else rolling.get("partition")
        kept = int(count or 0)
        return self.current if ordinal < start_of(self.owner) + kept else self.update

    def _delete_pod(self, pod: Object) -> Iterator[Effect]:
        claims = list(ownership(self.owner, pod, self.objects, leaves=True))
        yield from claims
        if not claims:
            yield deletion_of("Pod", pod)

    def _update_pods(self, wanted: range) -> Iterator[Effect]:
        # From the last one on, one at a time: MaxUnavailableStatefulSet is off in v1.36.
        strategy = update_strategy_of(self.owner)
        if strategy.get("type") == "OnDelete":
            return
        rolling = strategy.get("rollingUpdate") or {}
        lowest = wanted.start + int(rolling.get("partition") or 0)
        for ordinal in range(wanted.stop - 1, lowest - 1, -1):
            pod = self.pods.get(ordinal)
            if pod is None:
                return
            if revision_hash_of(pod) != name(self.update) and not is_terminating(pod):
                yield deletion_of("Pod", pod)
                return
            if not serves(self.owner, pod, self.now_s):
                return


class StatefulSetController(Reconciler):
    """Keeps the numbered pods of StatefulSets and their claims."""

    name = NAME
    kinds = frozenset({"Pod", CLAIM, KIND, _SET})
    tends = frozenset({_SET})
    replaces_pods = True
    indexes = (*by_owner_or_orphan("Pod"), by_owner(KIND), by_namespace(_SET))

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _SET:
            yield place_of(obj)
        elif change.kind == CLAIM:
            if change.new is None:
                # Pods may have waited for the deletion of the claim.
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
        owned, claims = claim(owner, self.objects, "Pod")
        if claims:
            yield from claims
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
        pods = {ordinal: pod for pod in owned if (ordinal := ordinal_of(owner, pod)) is not None}
        if not is_terminating(owner):
            control = StatefulSetControl(owner, current, update, pods, self.objects, now_s)
            # One that was loaded amid a rollout goes on with it once something happens to it.
            is_rolling = name(current) != name(update) == status_of(owner).get("updateRevision")
            yield from control.effects(rolls=is_rolling or not self.is_as_loaded(key))
        yield from _status(owner, current, update, [*pods.values()], now_s)
        live = {name(current), name(update), *map(revision_hash_of, pods.values())}
        unused = [one for one in history.old if name(one) not in live]
        yield from surplus(owner, unused, unused)
        moments_s = (available_since_s(owner, pod) or 0.0 for pod in pods.values())
        if later_s := min((at_s for at_s in moments_s if at_s > now_s), default=None):
            self.look_again(key, later_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        # Once claims are there, their pod follows.
        if getattr(outcome.effect, "kind", "") == CLAIM:
            self.look_again(key, self._now_s)
        return self._events(key, outcome)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        return self._events(key, outcome)

    def _events(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        owner, effect, error = self.objects.at(_SET, key), outcome.effect, outcome.error
        if owner is None or not isinstance(effect, Create | Delete | Patch):
            return
        if effect.kind not in ("Pod", CLAIM) or (error is not None and error.reason == "NotFound"):
            return
        verb = type(effect).__name__.lower().replace("patch", "update")
        called = name(effect.obj) if isinstance(effect, Create) else effect.name
        what = f"{'Claim' if effect.kind == CLAIM else 'Pod'} {called}"
        kind, reason, end = "Normal", "Successful", "successful"
        if error is not None:
            kind, reason, end = "Warning", "Failed", f"failed error: {error.message}"
        note = f"{verb} {what} in StatefulSet {name(owner)} {end}"
        yield self.event(owner, kind, f"{reason}{verb.capitalize()}", note)


def _status(
    owner: Object, current: Object, update: Object, pods: Sequence[Object], now_s: float
) -> Iterator[Patch]:
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
    counts["collisionCount"] = int(status_of(owner).get("collisionCount") or 0)
    yield from status_update(
        owner,
        **as_written(counts, _ALWAYS_THERE),
        currentRevision=name(current),
        updateRevision=name(update),
        observedGeneration=owner["metadata"].get("generation"),
    )
