"""The StatefulSet controller: keeps numbered pods and their claims, by v1.36's rules and texts.

The order is that of updateStatefulSet: first pods that are missing or have ended, then surplus
pods, then pods of another revision. With `OrderedReady` there is one step at a time, and only while
all earlier pods are available; with `Parallel`, all steps are taken at once.

Claims are created before their pod. The owner of a claim determines when it is deleted: with its
pod, with the StatefulSet, or never.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from podium.api.objects import (
    Object,
    generation_of,
    is_terminating,
    labels,
    metadata_of,
    name,
    namespace,
    owner_references,
    part,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_finished, is_ready, phase_of, volumes_of
from podium.api.values.integers import INT32, parse_count
from podium.api.workloads import replicas_of, update_strategy_of
from podium.controllers.kit.controller_refs import claim, owner_reference, owners_around
from podium.controllers.kit.controller_revisions import (
    KIND,
    REVISION_LABEL,
    history_of,
    next_step,
    revision_hash_of,
    surplus,
    template_of,
)
from podium.controllers.kit.pod_control import new_pod
from podium.controllers.kit.workload_fields import (
    as_written,
    available_from_s,
    min_ready_s,
    status_update,
)
from podium.machines.effects import Create, Delete, Effect, Patch, deletion_of, event_of, patch_of
from podium.machines.events import Change, Outcome
from podium.machines.reconciler.indexer import Indexer, by_namespace, by_owner, by_owner_or_orphan
from podium.machines.reconciler.reconciler import Reconciler

INDEX_LABEL = "apps.kubernetes.io/pod-index"
NAME_LABEL = "statefulset.kubernetes.io/pod-name"
_NAME = "statefulset-controller"
_SET, _CLAIM = "StatefulSet", "PersistentVolumeClaim"
_HASH_LABEL = "controller.kubernetes.io/hash"
_ALWAYS_WRITTEN = ("replicas", "availableReplicas", "collisionCount")


def ordinal_of(owner: Object, pod: Object) -> int | None:
    """Return the ordinal in a pod's name; None if it isn't a name of this StatefulSet's pods."""
    parent, _, number = name(pod).rpartition("-")
    return parse_count(number, INT32) if parent == name(owner) else None


def _claim_name(template: Object, pod_name: str) -> str:
    return f"{name(template)}-{pod_name}"


def _goes_with_set(owner: Object) -> bool:
    policy = part(owner["spec"], "persistentVolumeClaimRetentionPolicy")
    return bool(policy.get("whenDeleted") == "Delete")


class StatefulSetControl(msgspec.Struct, frozen=True):
    """The decisions about the pods of one StatefulSet, as made by StatefulSetControl of v1.36."""

    owner: Object
    current: Object
    """Revision of pods that aren't to be updated yet."""
    update: Object
    """Revision of the StatefulSet's template."""
    pods: Mapping[int, Object]
    """Pods of the StatefulSet by ordinal."""
    objects: Indexer
    now_s: float

    @property
    def _is_ordered(self) -> bool:
        return bool(self.owner["spec"].get("podManagementPolicy") != "Parallel")

    @property
    def _start(self) -> int:
        return int(part(self.owner["spec"], "ordinals").get("start") or 0)

    def effects(self, *, rolls: bool = True) -> Iterator[Effect]:
        """Yield the next calls; pods of other revisions are replaced only if `rolls` is set."""
        wanted = range(self._start, self._start + replicas_of(self.owner))
        is_settled = True
        for ordinal in wanted:
            steps = list(self._process_replica(ordinal))
            yield from steps
            pod = self.pods.get(ordinal)
            if self._is_ordered:
                has_to_wait = pod is None or not self._serves(pod)
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
            ailing = [pod for pod in condemned if not self._serves(pod)]
            # A pod that doesn't serve is deleted only if all before it serve.
            if condemned[0] not in ailing or ailing[-1] is condemned[0]:
                yield from self._delete_pod(condemned[0])
        strategy = update_strategy_of(self.owner)
        is_held = condemned and self._is_ordered
        if not rolls or is_held or strategy.get("type") == "OnDelete":
            return
        # From the last one on, one at a time: MaxUnavailableStatefulSet is off in v1.36.
        lowest = wanted.start + int(part(strategy, "rollingUpdate").get("partition") or 0)
        for ordinal in range(wanted.stop - 1, lowest - 1, -1):
            pod = self.pods.get(ordinal)
            if pod is None:
                return
            if revision_hash_of(pod) != name(self.update) and not is_terminating(pod):
                yield deletion_of("Pod", pod)
                return
            if not self._serves(pod):
                return

    def _serves(self, pod: Object) -> bool:
        from_s = _available_from_s(self.owner, pod)
        return from_s is not None and from_s <= self.now_s and not is_terminating(pod)

    def _process_replica(self, ordinal: int) -> Iterator[Effect]:
        pod, pod_name = self.pods.get(ordinal), f"{name(self.owner)}-{ordinal}"
        identity = {INDEX_LABEL: str(ordinal), NAME_LABEL: pod_name}
        if pod is None:
            if any(stored and is_terminating(stored) for _, stored in self._claims(pod_name)):
                # A claim of the predecessor is being deleted.
                return
            claims = list(self._missing_claims(pod_name))
            yield from claims
            if not claims:
                yield Create(kind="Pod", obj=self._numbered_pod(ordinal, pod_name, identity))
        elif is_finished(pod):
            if not is_terminating(pod):
                word, reason, severity = "terminated", "RecreatingTerminatedPod", "Normal"
                if phase_of(pod) == "Failed":
                    word, reason, severity = "failed", "RecreatingFailedPod", "Warning"
                owner = "/".join(place_of(self.owner))
                note = f"StatefulSet {owner} is recreating {word} Pod {name(pod)}"
                yield event_of(self.owner, _NAME, severity, reason, note)
                yield deletion_of("Pod", pod)
        elif not is_terminating(pod):
            if phase_of(pod) == "Pending":
                yield from self._missing_claims(pod_name)
            if lacking := identity.items() - labels(pod).items():
                yield patch_of("Pod", pod, {"metadata": {"labels": dict(sorted(lacking))}})
            yield from self._ownership(pod, leaves=False)

    def _numbered_pod(self, ordinal: int, pod_name: str, identity: Mapping[str, str]) -> Object:
        # Pods below the partition, and those not yet updated, come back as they were.
        owner, spec, revision = self.owner, self.owner["spec"], self.update
        strategy = update_strategy_of(owner)
        if strategy.get("type") == "RollingUpdate":
            rolling = strategy.get("rollingUpdate")
            if rolling is None:
                kept = status_of(owner).get("currentReplicas")
            else:
                kept = rolling.get("partition")
            if ordinal < self._start + int(kept or 0):
                revision = self.current
        template, claims = template_of(revision), spec.get("volumeClaimTemplates") or ()
        claimed = {name(one) for one in claims}
        volumes: list[Object] = [
            {"name": name(one), "persistentVolumeClaim": {"claimName": _claim_name(one, pod_name)}}
            for one in claims
        ]
        volumes += [one for one in volumes_of(spec_of(template)) if one.get("name") not in claimed]
        # What differs from the template's spec: its address, and its own volumes.
        extra: dict[str, Any] = {"hostname": pod_name}
        if spec.get("serviceName"):
            extra["subdomain"] = spec["serviceName"]
        if volumes:
            extra["volumes"] = volumes
        return new_pod(
            {**owner, "spec": {**spec, "template": template}},
            pod_name=pod_name,
            extra_labels={**identity, REVISION_LABEL: name(revision)},
            extra_spec=extra,
        )

    def _delete_pod(self, pod: Object) -> Iterator[Effect]:
        claims = list(self._ownership(pod, leaves=True))
        yield from claims
        if not claims:
            yield deletion_of("Pod", pod)

    def _claims(self, pod_name: str) -> Iterator[tuple[Object, Object | None]]:
        # The templates of a pod's claims, each with the stored claim, if there is one.
        place = place_of(self.owner)[0]
        for template in self.owner["spec"].get("volumeClaimTemplates") or ():
            yield template, self.objects.get(_CLAIM, _claim_name(template, pod_name), place)

    def _missing_claims(self, pod_name: str) -> Iterator[Effect]:
        for template, stored in self._claims(pod_name):
            if stored is None:
                selected = part(self.owner["spec"], "selector", "matchLabels")
                metadata = {
                    **metadata_of(template),
                    "name": _claim_name(template, pod_name),
                    "namespace": namespace(self.owner),
                    "labels": {**labels(template), **selected},
                }
                if _goes_with_set(self.owner):
                    metadata["ownerReferences"] = [owner_reference(self.owner)]
                header = {"apiVersion": "v1", "kind": _CLAIM}
                obj = {**header, "metadata": metadata, "spec": spec_of(template)}
                yield Create(kind=_CLAIM, obj=obj)

    def _ownership(self, pod: Object, *, leaves: bool) -> Iterator[Effect]:
        """Yield patches of the owners of a pod's claims; `leaves`: the pod is scaled down."""
        owner = self.owner
        policy = part(owner["spec"], "persistentVolumeClaimRetentionPolicy")
        with_pod = leaves and policy.get("whenScaled") == "Delete"
        wanted = {uid_of(owner): _goes_with_set(owner) and not with_pod, uid_of(pod): with_pod}
        for _, stored in self._claims(name(pod)):
            if stored is None or is_terminating(stored):
                continue
            owners = {reference.get("uid") for reference in owner_references(stored)}
            changes: list[Object] = []
            for one in (owner, pod):
                uid = uid_of(one)
                if wanted[uid] and uid not in owners:
                    header = {"apiVersion": "v1", "kind": "Pod"}
                    changes.append(owner_reference({**header, **one}))
                elif not wanted[uid] and uid in owners:
                    changes.append({"$patch": "delete", "uid": uid})
            if changes:
                yield patch_of(_CLAIM, stored, {"metadata": {"ownerReferences": changes}})


def _available_from_s(owner: Object, pod: Object) -> float | None:
    return available_from_s(pod, min_ready_s(owner)) if phase_of(pod) == "Running" else None


class StatefulSetController(Reconciler):
    """Creates, updates and deletes the numbered pods of StatefulSets and their claims."""

    name = _NAME
    kinds = frozenset({"Pod", _CLAIM, KIND, _SET})
    tends = frozenset({_SET})
    replaces_pods = True
    indexes = (*by_owner_or_orphan("Pod"), by_owner(KIND), by_namespace(_SET))

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _SET:
            yield place_of(obj)
        elif change.kind == _CLAIM:
            if change.new is None:
                # Pods may have waited for the deletion of the claim.
                for owner in self.objects.by(_SET, "namespace", place_of(obj)[0]):
                    for template in owner["spec"].get("volumeClaimTemplates") or ():
                        if name(obj).startswith(f"{name(template)}-{name(owner)}-"):
                            yield place_of(owner)
        else:
            adopts = change.kind == "Pod"
            yield from owners_around(change, before, _SET, self.objects, adopts=adopts)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        owner = self.objects.at(_SET, key)
        if owner is None:
            return
        # Its selector may match pods that it didn't number.
        owned, claims = claim(
            owner, self.objects, "Pod", is_member=lambda pod: ordinal_of(owner, pod) is not None
        )
        if claims:
            yield from claims
            return
        history = history_of(owner, self.objects.by(KIND, "owner", uid_of(owner)))
        step = next_step(owner, history, self.objects, _HASH_LABEL)
        if step is not None:
            yield step
        update, status = history.current, status_of(owner)
        if step is not None or update is None:
            return
        known = status.get("currentRevision")
        current = next((one for one in history.old if name(one) == known), update)
        pods = {number: pod for pod in owned if (number := ordinal_of(owner, pod)) is not None}
        if not is_terminating(owner):
            control = StatefulSetControl(owner, current, update, pods, self.objects, now_s)
            # One that was loaded amid a rollout goes on with it once something happens to it.
            is_rolling = name(current) != name(update) == status.get("updateRevision")
            yield from control.effects(rolls=is_rolling or not self.is_as_loaded(key))
        available_s = [_available_from_s(owner, pod) for pod in pods.values()]
        staying = [revision_hash_of(pod) for pod in pods.values() if not is_terminating(pod)]
        running = (pod for pod in pods.values() if phase_of(pod) == "Running")
        counts = {
            "replicas": len(pods),
            "readyReplicas": sum(map(is_ready, running)),
            "availableReplicas": sum(at_s is not None and at_s <= now_s for at_s in available_s),
            "currentReplicas": staying.count(name(current)),
            "updatedReplicas": staying.count(name(update)),
        }
        is_complete = all(
            counts[field] == replicas_of(owner)
            for field in ("updatedReplicas", "readyReplicas", "replicas")
        )
        known_current = current
        if is_complete and update_strategy_of(owner).get("type") != "OnDelete":
            # A rolling update has reached all pods, and they are ready.
            counts["currentReplicas"], known_current = counts["updatedReplicas"], update
        counts["collisionCount"] = int(status.get("collisionCount") or 0)
        yield from status_update(
            owner,
            **as_written(counts, _ALWAYS_WRITTEN),
            currentRevision=name(known_current),
            updateRevision=name(update),
            observedGeneration=generation_of(owner) or None,
        )
        live = {name(current), name(update), *map(revision_hash_of, pods.values())}
        unused = [one for one in history.old if name(one) not in live]
        yield from surplus(owner, unused, unused)
        later_s = (at_s for at_s in available_s if at_s is not None and at_s > now_s)
        if next_s := min(later_s, default=None):
            self.look_again(key, next_s)

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        # Once claims are there, their pod follows.
        if getattr(outcome.effect, "kind", "") == _CLAIM:
            self.look_again(key, self._now_s)
        return self._events(key, outcome)

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        return self._events(key, outcome)

    def _events(self, key: Hashable, outcome: Outcome) -> Iterator[Effect]:
        owner, effect, error = self.objects.at(_SET, key), outcome.effect, outcome.error
        if owner is None or not isinstance(effect, Create | Delete | Patch):
            return
        if effect.kind not in ("Pod", _CLAIM) or (error is not None and error.reason == "NotFound"):
            return
        verb = type(effect).__name__.lower().replace("patch", "update")
        obj_name = name(effect.obj) if isinstance(effect, Create) else effect.name
        subject = f"{'Claim' if effect.kind == _CLAIM else 'Pod'} {obj_name}"
        kind, reason, end = "Normal", "Successful", "successful"
        if error is not None:
            kind, reason, end = "Warning", "Failed", f"failed error: {error.message}"
        note = f"{verb} {subject} in StatefulSet {name(owner)} {end}"
        yield self.event(owner, kind, f"{reason}{verb.capitalize()}", note)
