"""The ReplicaSet controller, and that of ReplicationControllers: as many pods as are wanted.

Rules and texts are those of v1.36's `replicaset` controller. All missing pods are asked for at
once; after a refusal one, to find out whether it would be refused again (upstream's slow start).
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.labels import Selector, equality_selector, label_selector
from podium.api.meta import controller_of, is_terminating, labels, name
from podium.api.times import NANOS_PER_SECOND, timestamp
from podium.control.effects import Create, Delete, Effect, Patch, Record
from podium.control.events import Change, Outcome
from podium.controllers.kit.claiming import claim
from podium.controllers.kit.new_pods import new_pod
from podium.controllers.kit.objects import Place, place_of, uid_of
from podium.controllers.kit.pods import (
    available_from_s,
    condition_of,
    is_active,
    is_ready,
    namespaces,
    orphan_namespaces,
    owner_uids,
)
from podium.controllers.kit.reconciler import Reconciler
from podium.controllers.ranking import scale_down_order

Object = Mapping[str, Any]

BURST_MAX = 500
_CONTROLLERS = {
    "ReplicaSet": "replicaset-controller",
    "ReplicationController": "replication-controller",
}


class ReplicaSetController(Reconciler):
    """Keeps ReplicaSets, or ReplicationControllers, at their size.

    Args:
        kind: which of the two.
    """

    def __init__(self, kind: str = "ReplicaSet") -> None:
        super().__init__(
            {
                "Pod": {"owner": owner_uids, "orphan": orphan_namespaces},
                kind: {"owner": owner_uids, "namespace": namespaces},
            }
        )
        self.kind = kind
        self.name = _CONTROLLERS[kind]
        self.kinds = frozenset({"Pod", kind})
        self._refusals: dict[Hashable, str] = {}

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.kind == self.kind:
            obj = change.new if change.new is not None else change.old
            if obj is not None:
                yield place_of(obj)
            return
        for pod in (before, change.new):
            if pod is not None:
                yield from self._owners_of(pod)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        namespace, called = key
        owner = self.objects.get(self.kind, called, namespace)
        if owner is None:
            self._refusals.pop(key, None)
            return ()
        claims = claim(owner, selector_of(owner), self.objects, "Pod")
        effects = list(claims.effects)
        active = [pod for pod in claims.owned if is_active(pod)]
        if not effects and not is_terminating(owner):
            effects += self._resize(key, owner, active, now_s)
        effects += self._status(key, owner, claims.owned, now_s)
        return effects

    def carried_out(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Tell of pods that were created and deleted."""
        effect, owner = outcome.effect, self._owner(key)
        if owner is None:
            return
        if isinstance(effect, Create) and outcome.obj is not None:
            self._refusals.pop(key, None)
            note = f"Created pod: {name(outcome.obj)}"
            yield self._record(owner, "Normal", "SuccessfulCreate", note)
        elif isinstance(effect, Delete):
            yield self._record(owner, "Normal", "SuccessfulDelete", f"Deleted pod: {effect.name}")

    def refused(self, key: Hashable, outcome: Outcome) -> Iterable[Effect]:
        """Remember why pods can't be created, for the condition ReplicaFailure."""
        owner, error = self._owner(key), outcome.error
        if error is None or owner is None or not isinstance(outcome.effect, Create):
            return
        if error.reason != "NotFound":
            self._refusals[key] = error.message
            note = f"Error creating: {error.message}"
            yield self._record(owner, "Warning", "FailedCreate", note)

    def _owners_of(self, pod: Object) -> Iterator[Place]:
        reference = controller_of(pod)
        place = pod["metadata"].get("namespace") or ""
        if reference is not None:
            if reference.get("kind") == self.kind:
                yield place, str(reference.get("name"))
            return
        for owner in self.objects.by(self.kind, "namespace", place):
            if selector_of(owner).matches(labels(pod)):
                yield place_of(owner)

    def _owner(self, key: Hashable) -> Object | None:
        assert isinstance(key, tuple)
        return self.objects.get(self.kind, key[1], key[0])

    def _resize(
        self, key: Hashable, owner: Object, active: Sequence[Object], now_s: float
    ) -> Iterator[Effect]:
        missing = _replicas(owner) - len(active)
        if missing > 0:
            count = 1 if key in self._refusals else min(missing, BURST_MAX)
            yield from (Create(kind="Pod", obj=new_pod(owner)) for _ in range(count))
        elif missing < 0:
            order = scale_down_order(active, self._related(owner), int(now_s * NANOS_PER_SECOND))
            for pod in order[: min(-missing, BURST_MAX)]:
                place, called = place_of(pod)
                yield Delete(kind="Pod", namespace=place, name=called, uid=uid_of(pod))

    def _related(self, owner: Object) -> list[Object]:
        """The pods of all ReplicaSets of the same Deployment."""
        above = controller_of(owner)
        siblings: Iterable[Object] = (owner,)
        if above is not None:
            siblings = self.objects.by(self.kind, "owner", str(above.get("uid")))
        return [
            pod for sibling in siblings for pod in self.objects.by("Pod", "owner", uid_of(sibling))
        ]

    def _status(
        self, key: Hashable, owner: Object, owned: Sequence[Object], now_s: float
    ) -> Iterator[Effect]:
        counted = self._counts(key, owner, owned, now_s)
        old = owner.get("status") or {}
        conditions = self._conditions(key, owner, now_s)
        changed: dict[str, Any] = {
            field: value for field, value in counted.items() if old.get(field, 0) != value
        }
        if conditions != list(old.get("conditions") or []):
            changed["conditions"] = conditions or None
        generation = owner["metadata"].get("generation")
        if old.get("observedGeneration") != generation:
            changed["observedGeneration"] = generation
        if changed:
            # The counts are always there once the controller has looked.
            place, called = place_of(owner)
            yield Patch(
                kind=self.kind,
                namespace=place,
                name=called,
                subresource="status",
                body={"metadata": {"uid": uid_of(owner)}, "status": {**counted, **changed}},
            )

    def _counts(
        self, key: Hashable, owner: Object, owned: Sequence[Object], now_s: float
    ) -> dict[str, int]:
        wanted = labels(owner["spec"].get("template") or {}).items()
        min_ready_s = int(owner["spec"].get("minReadySeconds") or 0)
        active = [pod for pod in owned if is_active(pod)]
        available = 0
        for pod in active:
            from_s = available_from_s(pod, min_ready_s)
            if from_s is not None and from_s <= now_s:
                available += 1
            elif from_s is not None:
                self.look_again(key, from_s)
        counts = {
            "replicas": len(active),
            "fullyLabeledReplicas": sum(wanted <= labels(pod).items() for pod in active),
            "readyReplicas": sum(map(is_ready, active)),
            "availableReplicas": available,
        }
        if self.kind == "ReplicaSet":
            counts["terminatingReplicas"] = sum(map(is_terminating, owned))
        return counts

    def _conditions(self, key: Hashable, owner: Object, now_s: float) -> list[Object]:
        kept = [
            condition
            for condition in (owner.get("status") or {}).get("conditions") or ()
            if condition.get("type") != "ReplicaFailure"
        ]
        message = self._refusals.get(key)
        if message is None:
            return kept
        known = condition_of(owner, "ReplicaFailure")
        if known is not None:
            return [*kept, known]
        failure = {
            "type": "ReplicaFailure",
            "status": "True",
            "lastTransitionTime": timestamp(now_s),
            "reason": "FailedCreate",
            "message": message,
        }
        return [*kept, failure]

    def _record(self, owner: Object, kind: str, reason: str, note: str) -> Record:
        return Record(
            regarding=owner,
            reporting_controller=self.name,
            type=kind,
            reason=reason,
            action="",
            note=note,
        )


def selector_of(owner: Object) -> Selector:
    """The selector of a workload; a ReplicationController's is a plain map."""
    raw = owner["spec"].get("selector")
    if owner["kind"] == "ReplicationController":
        return equality_selector(raw)
    return label_selector(raw)


def _replicas(owner: Object) -> int:
    replicas = owner["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)
