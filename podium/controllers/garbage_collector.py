"""The garbage collector: deletes objects that have lost their owners, as in v1.36.

- An object is deleted after the last of its owners.
- An owner with the finalizer `foregroundDeletion` waits for those of its dependents that block it.
- An owner with the finalizer `orphan` waits until no dependent refers to it.

Owners are identified by uid. A watch may not have reported an owner yet, so before an object is
deleted because its owner is absent, an empty patch checks whether the owner exists.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.api.kinds.custom_kinds import DEFINITION
from podium.api.objects import (
    Object,
    finalizers_of,
    is_terminating,
    owner_references,
    place_of,
    uid_of,
)
from podium.api.process.recent_values import Recent
from podium.machines.effects import Effect, Patch, deletion_of, patch_of, without_finalizer
from podium.machines.events import Change
from podium.machines.reconciler.indexer import KnownKinds
from podium.machines.reconciler.reconciler import Reconciler, existence_check

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"

# Events have no owners and no dependents, and there are too many of them to follow.
_KINDS = frozenset(KINDS) - {"Event"}
_DEFINITION = DEFINITION.key
_ABSENT_MAX = 10_000
_POLICIES = {ORPHAN: "Orphan", FOREGROUND: "Foreground"}


def _references(obj: Object | None) -> Sequence[Object]:
    return () if obj is None else owner_references(obj)


def _owner_uids(obj: Object) -> tuple[str, ...]:
    return tuple(str(reference.get("uid")) for reference in _references(obj))


class _Item(msgspec.Struct, frozen=True):
    kind: str
    namespace: str
    name: str


class GarbageCollector(Reconciler):
    """Deletes objects that have lost their owners, and owners after dependents that block them."""

    name = "generic-garbage-collector"
    kinds = _KINDS
    # An object that was loaded without its owner had one in the cluster that it comes from.
    tends = frozenset[str]()
    indexes = tuple((kind, "owner", _owner_uids) for kind in _KINDS)

    def __init__(self) -> None:
        super().__init__()
        self._known = KnownKinds()
        self._absent: Recent[str, bool] = Recent(_ABSENT_MAX)

    def heeds(self, change: Change) -> bool:
        # Most changes have nothing to do with owning and being owned.
        return change.kind == _DEFINITION or not _same_ownership(change.old, change.new)

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        kind = self._known.learn(change)
        if kind is not None:
            # The objects of a kind that has just been defined are followed, too.
            self.objects.add_index(kind.key, "owner", _owner_uids)
            self.kinds |= {kind.key}
        item = _Item(change.kind, *place_of(change.obj))
        now = self.objects.get(item.kind, item.name, item.namespace)
        if _same_ownership(change.old, change.new) and _same_ownership(before, now):
            return
        if now is not None and (_references(now) or _is_held(now)):
            yield item
        for state in (before,) if before is change.old else (change.old, before):
            if state is not None and (now is None or uid_of(now) != uid_of(state)):
                dependents = [*self._dependents_of(state)]
                if dependents:
                    self._absent.put(uid_of(state), True)
                yield from (_Item(kind, *place_of(obj)) for kind, obj in dependents)
        if now is not None and _waits(now):
            yield from (_Item(kind, *place_of(obj)) for kind, obj in self._dependents_of(now))
        for state in (before, now):
            for reference in _references(state):
                owner_kind, owner = self._look_up(reference, state)
                if owner_kind is not None and owner is not None and _is_held(owner):
                    yield _Item(owner_kind.key, *place_of(owner))

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        assert isinstance(key, _Item)
        obj = self.objects.get(key.kind, key.name, key.namespace)
        if obj is None:
            return
        if not is_terminating(obj):
            yield from self._judge(key, obj)
            return
        finalizers, dependents = finalizers_of(obj), [*self._dependents_of(obj)]
        if ORPHAN in finalizers:
            gone = [{"uid": uid_of(obj)}]
            yield from (_without_owners(kind, dependent, gone) for kind, dependent in dependents)
            if not dependents:
                yield without_finalizer(key.kind, obj, ORPHAN)
        elif FOREGROUND in finalizers and not any(
            reference.get("uid") == uid_of(obj) and reference.get("blockOwnerDeletion")
            for _, dependent in dependents
            for reference in _references(dependent)
        ):
            yield without_finalizer(key.kind, obj, FOREGROUND)

    def checked(self, key: Hashable, asked: Effect, found_uid: str) -> None:
        assert isinstance(key, _Item)
        assert isinstance(asked, Patch)
        obj = self.objects.get(key.kind, key.name, key.namespace)
        for reference in _references(obj):
            kind = self._known.of(reference)
            is_asked = kind and (kind.key, reference.get("name")) == (asked.kind, asked.name)
            if is_asked and reference.get("uid") != found_uid:
                self._absent.put(str(reference.get("uid")), True)

    def _dependents_of(self, owner: Object) -> Iterator[tuple[str, Object]]:
        for kind in self.objects.kinds_with("owner", uid_of(owner)):
            yield from ((kind, obj) for obj in self.objects.by(kind, "owner", uid_of(owner)))

    def _look_up(
        self, reference: Object, dependent: Object | None
    ) -> tuple[Kind | None, Object | None]:
        kind = self._known.of(reference)
        if kind is None or dependent is None:
            return None, None
        place = _place_of_owner(kind, dependent)
        owner = self.objects.get(kind.key, str(reference.get("name")), place)
        if owner is None or uid_of(owner) != reference.get("uid"):
            return kind, None
        return kind, owner

    def _judge(self, key: _Item, obj: Object) -> Iterator[Effect]:
        # References to owners that stay, that wait for their dependents, and that are gone.
        solid: list[Object] = []
        waiting: list[Object] = []
        dangling: list[Object] = []
        checks: list[Effect] = []
        for reference in _references(obj):
            kind, owner = self._look_up(reference, obj)
            if owner is not None:
                (waiting if _waits(owner) else solid).append(reference)
            elif (
                kind is None
                or kind.key not in self.kinds
                # The owner of a cluster-scoped object would stand in some namespace.
                or (kind.namespaced and not obj["metadata"].get("namespace"))
            ):
                solid.append(reference)
            elif self._absent.get(str(reference.get("uid"))):
                dangling.append(reference)
            else:
                # No watch has reported it yet.
                place = _place_of_owner(kind, obj)
                checks.append(existence_check(kind.key, str(reference.get("name")), place))
        yield from checks
        lost = [*dangling, *waiting]
        if checks or not lost:
            return
        if solid:
            yield _without_owners(key.kind, obj, lost)
            return
        finalizers, dependents = finalizers_of(obj), [*self._dependents_of(obj)]
        policy = next((_POLICIES[one] for one in _POLICIES if one in finalizers), "Background")
        if waiting and dependents:
            # Foreground deletion goes on downwards; of owners in a circle one has to begin.
            if any(_waits(dependent) for _, dependent in dependents):
                unblocked = [
                    {**reference, "blockOwnerDeletion": False}
                    for reference in _references(obj)
                    if reference.get("blockOwnerDeletion")
                ]
                yield patch_of(key.kind, obj, {"metadata": {"ownerReferences": unblocked}})
            policy = "Foreground"
        yield deletion_of(key.kind, obj, propagation=policy)


def _place_of_owner(kind: Kind, dependent: Object) -> str:
    return str(dependent["metadata"].get("namespace") or "") if kind.namespaced else ""


def _same_ownership(old: Object | None, new: Object | None) -> bool:
    if old is None or new is None:
        return old is new
    before, after = old["metadata"], new["metadata"]
    if before.get("uid") != after.get("uid"):
        return False
    references, finalizers = after.get("ownerReferences"), after.get("finalizers")
    if before.get("ownerReferences") != references or before.get("finalizers") != finalizers:
        return False
    # Whether it terminates matters only to its owners, and to what it holds up.
    if not (references or finalizers):
        return True
    return bool(before.get("deletionTimestamp") == after.get("deletionTimestamp"))


def _is_held(owner: Object) -> bool:
    finalizers = finalizers_of(owner)
    return is_terminating(owner) and (FOREGROUND in finalizers or ORPHAN in finalizers)


def _waits(owner: Object) -> bool:
    return is_terminating(owner) and FOREGROUND in finalizers_of(owner)


def _without_owners(kind: str, obj: Object, references: Iterable[Object]) -> Patch:
    gone = [{"$patch": "delete", "uid": reference.get("uid")} for reference in references]
    return patch_of(kind, obj, {"metadata": {"ownerReferences": gone}})
