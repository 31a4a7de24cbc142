"""The controller of ReplicaSets and ReplicationControllers: keeps the wanted number of pods.

Rules and texts are those of v1.36's `replicaset` controller. Counts of pods are updated at each
change, so that the cost of a change doesn't grow with the number of pods.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from podium.api.conditions import set_condition
from podium.api.objects import (
    Object,
    Place,
    condition_of,
    conditions_of,
    controller_of,
    controller_uid,
    is_terminating,
    labels,
    place_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_active, is_finished, is_ready
from podium.api.values.times import NANOS_PER_SECOND
from podium.api.workloads import pod_template_of, replicas_of, selector_of
from podium.controllers.kit.controller_refs import adoption, owners_of, release
from podium.controllers.kit.pod_control import PodOwnerReconciler, new_pod
from podium.controllers.kit.pod_deletion_order import scale_down_order
from podium.controllers.kit.workload_fields import (
    as_written,
    available_from_s,
    min_ready_s,
    status_update,
)
from podium.machines.effects import Create, Effect, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.indexer import by_namespace, by_owner, by_owner_or_orphan


class _PodCounts(msgspec.Struct, frozen=True):
    # What one pod adds to the counts of `ReplicaCounts`; a time only if it is active and ready.
    active: bool
    fully_labeled: bool
    terminating: bool
    available_from_s: float | None


class ReplicaCounts:
    """The counts of the pods that a ReplicaSet or ReplicationController controls and selects.

    Attributes:
        active: number of pods that are neither finished nor terminating.
        fully_labeled: number of active pods with all labels of the template.
        terminating: number of terminating pods that haven't finished.
        ready: number of active pods that are ready.
        mismatched: places of controlled pods that the selector doesn't match, to be released.
        orphans: places of pods without a controller that the selector matched, to be adopted.
    """

    def __init__(self, owner: Object) -> None:
        self.basis = _basis(owner)
        self.selector = selector_of(owner)
        self._wanted = labels(pod_template_of(owner)).items()
        self._min_ready_s = min_ready_s(owner)
        self._counted: dict[Place, _PodCounts] = {}
        self._maturing: dict[Place, float] = {}
        self.active = self.fully_labeled = self.ready = self.terminating = 0
        self.mismatched: dict[Place, None] = {}
        self.orphans: dict[Place, None] = {}

    def put(self, pod: Object) -> _PodCounts | None:
        """Count a new pod, and return its contribution; None if the selector doesn't match it."""
        place = place_of(pod)
        if not self.selector.matches(labels(pod)):
            self.mismatched[place] = None
            return None
        active = is_active(pod)
        counted = _PodCounts(
            active,
            active and self._wanted <= labels(pod).items(),
            is_terminating(pod) and not is_finished(pod),
            available_from_s(pod, self._min_ready_s) if active else None,
        )
        self._counted[place] = counted
        self._add(counted, 1)
        if counted.available_from_s:
            self._maturing[place] = counted.available_from_s
        return counted

    def drop(self, place: Place) -> _PodCounts | None:
        """Stop counting a pod, and return its former contribution; None if it wasn't counted."""
        self.mismatched.pop(place, None)
        self._maturing.pop(place, None)
        counted = self._counted.pop(place, None)
        if counted is not None:
            self._add(counted, -1)
        return counted

    def available(self, now_s: float) -> int:
        """Return the number of pods that have been ready for `minReadySeconds`."""
        for place in [place for place, from_s in self._maturing.items() if from_s <= now_s]:
            del self._maturing[place]
        return self.ready - len(self._maturing)

    def next_available_s(self) -> float | None:
        """Return when the next ready pod becomes available; None if no pod will by itself."""
        return min(self._maturing.values(), default=None)

    def places(self) -> Iterator[Place]:
        return (place for place, counted in self._counted.items() if counted.active)

    def _add(self, counted: _PodCounts, count: int) -> None:
        self.active += count * counted.active
        self.fully_labeled += count * counted.fully_labeled
        self.ready += count * (counted.available_from_s is not None)
        self.terminating += count * counted.terminating


def _basis(owner: Object) -> tuple[Any, ...]:
    spec = owner["spec"]
    return (spec.get("selector"), labels(pod_template_of(owner)), min_ready_s(owner))


BURST_MAX = 500
_ALWAYS_WRITTEN = ("replicas", "terminatingReplicas")
_CONTROLLERS = {
    "ReplicaSet": "replicaset-controller",
    "ReplicationController": "replication-controller",
}


class ReplicaSetController(PodOwnerReconciler):
    """Keeps the pods of ReplicaSets, or of ReplicationControllers, at their wanted number."""

    takes_lists = True

    def __init__(self, kind: str = "ReplicaSet") -> None:
        self.indexes = (*by_owner_or_orphan("Pod"), by_owner(kind), by_namespace(kind))
        super().__init__()
        self.owner_kind = kind
        self.name = _CONTROLLERS[kind]
        self.kinds = frozenset({"Pod", kind})
        self.tends = frozenset({kind})
        self._counts: dict[str, ReplicaCounts] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == self.owner_kind:
            yield place_of(change.obj)
            if change.new is None:
                self._counts.pop(uid_of(change.obj), None)
            return
        counts_alike = self.follow(before, change.new)
        if counts_alike and not self.stirs(change, before):
            # Only an owner that was refused something is looked at for every change.
            for owner in self._owners_of(change.obj):
                if owner in self.refusals or self.has_failed(owner):
                    yield owner
            return
        for pod in (before, change.new):
            if pod is not None:
                yield from self._owners_of(pod)

    def counts_of(self, owner: Object) -> ReplicaCounts:
        """Return the counts of an owner's pods, computed anew if the owner's spec has changed."""
        known = self._counts.get(uid_of(owner))
        if known is not None and known.basis == _basis(owner):
            return known
        counts = self._counts[uid_of(owner)] = ReplicaCounts(owner)
        for pod in self.objects.by("Pod", "owner", uid_of(owner)):
            counts.put(pod)
        for pod in self.objects.by("Pod", "orphan", place_of(owner)[0]):
            if counts.selector.matches(labels(pod)):
                counts.orphans[place_of(pod)] = None
        return counts

    def follow(self, before: Object | None, after: Object | None) -> bool:
        """Recount a changed pod; return True if neither its owner nor any count changed."""
        former = None if before is None else self._counts.get(controller_uid(before))
        latter = None if after is None else self._counts.get(controller_uid(after))
        was = None if before is None or former is None else former.drop(place_of(before))
        now = None if after is None or latter is None else latter.put(after)
        return former is latter and was is not None and was == now

    def stirs(self, change: Change, before: Object | None) -> bool:
        # If the owner lacks no pods, a change of their readiness ends its rest, too.
        if super().stirs(change, before):
            return True
        if change.kind != "Pod" or before is None or change.new is None:
            return False
        if is_ready(before) == is_ready(change.new):
            return False
        owners = (
            self.owner_of(key) for key in owners_of(change.new, self.owner_kind, self.objects)
        )
        return any(
            owner is not None and status_of(owner).get("replicas") == replicas_of(owner)
            for owner in owners
        )

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        owner = self.owner_of(key)
        if owner is None:
            self.refusals.pop(key, None)
            return ()
        counts = self.counts_of(owner)
        effects: list[Effect] = []
        if not is_terminating(owner):
            effects += self._claims(owner, counts) or self._resize(key, owner, counts, now_s)
        counted = {
            "replicas": counts.active,
            "fullyLabeledReplicas": counts.fully_labeled,
            "readyReplicas": counts.ready,
            "availableReplicas": counts.available(now_s),
        }
        if self.owner_kind == "ReplicaSet":
            counted["terminatingReplicas"] = counts.terminating
        if (next_s := counts.next_available_s()) is not None:
            self.look_again(key, next_s)
        conditions = [one for one in conditions_of(owner) if one.get("type") != "ReplicaFailure"]
        if (message := self.refusals.get(key)) is not None:
            failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}
            failure = set_condition(None, {**failure, "message": message}, now_s)
            conditions.append(condition_of(owner, "ReplicaFailure") or failure)
        effects += status_update(
            owner,
            **as_written(counted, _ALWAYS_WRITTEN),
            conditions=conditions or None,
            observedGeneration=owner["metadata"].get("generation"),
        )
        return effects

    def _owners_of(self, pod: Object) -> Iterator[Place]:
        for place in owners_of(pod, self.owner_kind, self.objects):
            owner = self.objects.at(self.owner_kind, place)
            counts = None if owner is None else self._counts.get(uid_of(owner))
            if counts is not None and controller_of(pod) is None:
                counts.orphans[place_of(pod)] = None
            yield place

    def _claims(self, owner: Object, counts: ReplicaCounts) -> list[Effect]:
        mismatched = self._found(counts.mismatched)
        claims = [release(owner, pod, "Pod") for pod in mismatched if not is_terminating(pod)]
        for place in list(counts.orphans):
            orphan = self.objects.at("Pod", place)
            is_free = orphan is not None and controller_of(orphan) is None
            if orphan is None or not (is_free and counts.selector.matches(labels(orphan))):
                del counts.orphans[place]
            elif not is_terminating(orphan):
                claims.append(adoption(owner, orphan, "Pod"))
        return claims

    def _found(self, places: Iterable[Place]) -> list[Object]:
        pods = (self.objects.at("Pod", place) for place in places)
        return [pod for pod in pods if pod is not None]

    def _resize(
        self, key: Hashable, owner: Object, counts: ReplicaCounts, now_s: float
    ) -> list[Effect]:
        missing = replicas_of(owner) - counts.active
        if missing >= 0:
            count = 1 if missing and key in self.refusals else min(missing, BURST_MAX)
            return [Create(kind="Pod", obj=new_pod(owner)) for _ in range(count)]
        siblings: Iterable[Object] = (owner,)
        if controller_of(owner) is not None:
            siblings = self.objects.by(self.owner_kind, "owner", controller_uid(owner))
        related = [
            pod for sibling in siblings for pod in self.objects.by("Pod", "owner", uid_of(sibling))
        ]
        active = self._found(counts.places())
        order = scale_down_order(active, related, int(now_s * NANOS_PER_SECOND))
        return [deletion_of("Pod", pod) for pod in order[: min(-missing, BURST_MAX)]]
