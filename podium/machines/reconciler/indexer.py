"""What a controller knows of the objects it watches, with indexes to find them by.

A controller's own writes are taken in as soon as their outcome is known, and what a watch tells
later of an older state is passed over. So no controller counts twice a pod that it has just
created, and no bookkeeping of expected events is needed.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

from podium.api.objects import Object, Place, controller_of, place_of, uid_of, version_of
from podium.api.process.recent_values import Recent
from podium.machines.events import Change

Index = Callable[[Object], Collection[str]]
"""From an object to the keys under which it is to be found."""

Indexes = Sequence[tuple[str, str, Index]]
"""Indexes by kind and name."""

Found = dict[str, dict[Place, Object]]
"""What an index has found: objects by key, and by place."""

_GONE_MAX = 10_000
_NO_INDEXES: Mapping[str, Index] = {}


class Indexer:
    """Keeps objects by kind, namespace and name, and finds them by indexes."""

    def __init__(self, indexes: Indexes = ()) -> None:
        self._indexes: dict[str, dict[str, Index]] = {}
        for row in indexes:
            self.add_index(*row)
        self._objects: dict[str, dict[Place, Object]] = {}
        self._found: dict[tuple[str, str], Found] = {}
        self._gone: Recent[str, bool] = Recent(_GONE_MAX)

    def add_index(self, kind: str, name: str, index: Index) -> None:
        """Have the objects of a kind found by an index, before the first of them is known."""
        self._indexes.setdefault(kind, {})[name] = index

    def apply(self, change: Change) -> tuple[bool, Object | None]:
        """Take in a change; whether it is news, and the object as known before, if it was."""
        if change.new is not None:
            return self.observe(change.kind, change.new, change.old)
        before = None if change.old is None else self.remove(change.kind, change.old)
        return before is not None, before

    def take_in(self, kind: str, objects: Mapping[Place, Object]) -> None:
        """Take in all objects of a kind, of which none is known yet."""
        self._objects[kind] = {**objects}
        for name, index in self._indexes.get(kind, _NO_INDEXES).items():
            found = self._found.setdefault((kind, name), {})
            for place, obj in objects.items():
                for key in index(obj):
                    found.setdefault(key, {})[place] = obj

    def observe(
        self, kind: str, obj: Object, earlier: Object | None = None
    ) -> tuple[bool, Object | None]:
        """Take in a state of an object, as `apply`, unless a newer one, or its end, is known."""
        place = place_of(obj)
        objects = self._objects.get(kind)
        if objects is None:
            objects = self._objects[kind] = {}
        known = objects.get(place)
        if known is None:
            if uid_of(obj) in self._gone:
                return False, None
        elif known is not earlier:
            version, known_version = int(version_of(obj) or 0), int(version_of(known) or 0)
            is_same = version == known_version and uid_of(obj) == uid_of(known)
            if version < known_version or is_same:
                return False, known
        objects[place] = obj
        for name, index in self._indexes.get(kind, _NO_INDEXES).items():
            former, keys = () if known is None else index(known), index(obj)
            if not (former or keys):
                continue
            found = self._found.get((kind, name))
            if found is None:
                found = self._found[kind, name] = {}
            for key in former:
                if key not in keys:
                    _take_out(found, key, place)
            for key in keys:
                group = found.get(key)
                if group is None:
                    group = found[key] = {}
                # Out and in again: the last to change is the last in its group.
                group.pop(place, None)
                group[place] = obj
        return True, known

    def remove(self, kind: str, obj: Object) -> Object | None:
        """Forget an object that is gone for good; as it was known, or None if it wasn't."""
        uid = uid_of(obj)
        self._gone.put(uid, True)
        place = place_of(obj)
        known = self._objects.get(kind, {}).get(place)
        if known is None or uid_of(known) != uid:
            return None
        del self._objects[kind][place]
        for name, index in self._indexes.get(kind, _NO_INDEXES).items():
            for key in index(known):
                _take_out(self._found[kind, name], key, place)
        return known

    def get(self, kind: str, name: str, namespace: str = "") -> Object | None:
        """An object by name."""
        return self._objects.get(kind, {}).get((namespace, name))

    def at(self, kind: str, key: Hashable) -> Object | None:
        """The object at a place, which is the key that a controller looks at."""
        assert isinstance(key, tuple)
        return self._objects.get(kind, {}).get(key)

    def all(self, kind: str) -> Iterable[Object]:
        """All objects of a kind, in the order in which they became known."""
        return self._objects.get(kind, {}).values()

    def by(self, kind: str, index: str, key: str) -> Iterable[Object]:
        """The objects of a kind that an index has under a key."""
        return self._found.get((kind, index), {}).get(key, {}).values()

    def kinds_with(self, index: str, key: str) -> list[str]:
        """The kinds of whose objects an index has any under a key."""
        return [
            kind for (kind, name), found in self._found.items() if name == index and key in found
        ]


def _take_out(found: Found, key: str, place: Place) -> None:
    group = found.get(key)
    if group is not None:
        group.pop(place, None)
        if not group:
            del found[key]


def owner_uids(obj: Object) -> tuple[str, ...]:
    """The uid of an object's controller, as the key of an index."""
    owner = controller_of(obj)
    return () if owner is None else (str(owner.get("uid")),)


def orphan_namespaces(obj: Object) -> tuple[str, ...]:
    """The namespace of an object without a controller, as the key of an index."""
    return namespaces(obj) if controller_of(obj) is None else ()


def namespaces(obj: Object) -> tuple[str, ...]:
    """An object's namespace, as the key of an index."""
    return (place_of(obj)[0],)


def by_namespace(kind: str) -> tuple[str, str, Index]:
    """The index `namespace` of a kind."""
    return kind, "namespace", namespaces


def by_owner(kind: str) -> tuple[str, str, Index]:
    """The index `owner` of a kind, by the uid of an object's controller."""
    return kind, "owner", owner_uids


def by_owner_or_orphan(kind: str) -> Indexes:
    """The indexes `owner` and `orphan` of a kind, by which an owner finds what it may claim."""
    return by_owner(kind), (kind, "orphan", orphan_namespaces)
