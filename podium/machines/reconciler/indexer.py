"""The indexer: a controller's cache of watched objects, with indexes.

The indexer stores an object as soon as the controller's own write returns it, and ignores older
states from the watch. So no controller overlooks a pod that it has just created, and the
expectations of Kubernetes' controllers aren't needed.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from podium.api.kinds.builtin_kinds import KINDS, Kind, kind_of
from podium.api.kinds.custom_kinds import DEFINITION, stored_kind
from podium.api.objects import Object, Place, controller_of, place_of, uid_of, version_of
from podium.api.process.recent_values import Recent
from podium.machines.events import Change

Index = Callable[[Object], Collection[str]]
"""A function from an object to its keys in an index."""

Indexes = Sequence[tuple[str, str, Index]]
"""Rows of the kind, the name and the function of an index."""

Groups = dict[str, dict[Place, Object]]
"""The objects of an index by key, then by namespace and name."""

_GONE_MAX = 10_000
_NO_INDEXES: Mapping[str, Index] = {}


class Indexer:
    """A cache of objects by kind, namespace and name, with additional indexes."""

    def __init__(self, indexes: Indexes = ()) -> None:
        self._indexes: dict[str, dict[str, Index]] = {}
        for row in indexes:
            self.add_index(*row)
        self._objects: dict[str, dict[Place, Object]] = {}
        self._groups: dict[tuple[str, str], Groups] = {}
        self._gone: Recent[str, bool] = Recent(_GONE_MAX)

    def add_index(self, kind: str, name: str, index: Index) -> None:
        """Add an index to a kind; has to be called before an object of the kind is stored."""
        self._indexes.setdefault(kind, {})[name] = index

    def apply(self, change: Change) -> tuple[bool, Object | None]:
        """Store a change; return whether the cache changed, and the object's former state in it."""
        if change.new is not None:
            return self.observe(change.kind, change.new, change.old)
        before = None if change.old is None else self.remove(change.kind, change.old)
        return before is not None, before

    def take_in(self, kind: str, objects: Mapping[Place, Object]) -> None:
        """Store the initial list of a kind, of which no object may be stored yet."""
        self._objects[kind] = {**objects}
        for name, index in self._indexes.get(kind, _NO_INDEXES).items():
            groups = self._groups.setdefault((kind, name), {})
            for place, obj in objects.items():
                for key in index(obj):
                    groups.setdefault(key, {})[place] = obj

    def observe(
        self, kind: str, obj: Object, earlier: Object | None = None
    ) -> tuple[bool, Object | None]:
        """Store a state, as `apply`, unless a newer one or the deletion of the object is known."""
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
            groups = self._groups.get((kind, name))
            if groups is None:
                groups = self._groups[kind, name] = {}
            for key in former:
                if key not in keys:
                    _discard(groups, key, place)
            for key in keys:
                group = groups.get(key)
                if group is None:
                    group = groups[key] = {}
                # Removed and added: the object that changed last is the last of its group.
                group.pop(place, None)
                group[place] = obj
        return True, known

    def remove(self, kind: str, obj: Object) -> Object | None:
        """Remove a deleted object, and return its stored state; None if it wasn't stored."""
        uid = uid_of(obj)
        self._gone.put(uid, True)
        place = place_of(obj)
        known = self._objects.get(kind, {}).get(place)
        if known is None or uid_of(known) != uid:
            return None
        del self._objects[kind][place]
        for name, index in self._indexes.get(kind, _NO_INDEXES).items():
            for key in index(known):
                _discard(self._groups[kind, name], key, place)
        return known

    def get(self, kind: str, name: str, namespace: str = "") -> Object | None:
        """Return an object by its kind, name and namespace; None if it isn't stored."""
        return self._objects.get(kind, {}).get((namespace, name))

    def at(self, kind: str, key: Hashable) -> Object | None:
        """Return the object at a (namespace, name) key; None if it isn't stored."""
        assert isinstance(key, tuple)
        return self._objects.get(kind, {}).get(key)

    def all(self, kind: str) -> Iterable[Object]:
        """Return all objects of a kind in the order in which they were first stored."""
        return self._objects.get(kind, {}).values()

    def by(self, kind: str, index: str, key: str) -> Iterable[Object]:
        """Return the objects of a kind under a key of an index."""
        return self._groups.get((kind, index), {}).get(key, {}).values()

    def kinds_with(self, index: str, key: str) -> list[str]:
        """Return the kinds that have objects under a key of an index."""
        return [
            kind for (kind, name), groups in self._groups.items() if name == index and key in groups
        ]


def _discard(groups: Groups, key: str, place: Place) -> None:
    group = groups.get(key)
    if group is not None:
        group.pop(place, None)
        if not group:
            del groups[key]


def owner_uids(obj: Object) -> tuple[str, ...]:
    """Index function: the uid of an object's controller; no key without a controller."""
    owner = controller_of(obj)
    return () if owner is None else (str(owner.get("uid")),)


def orphan_namespaces(obj: Object) -> tuple[str, ...]:
    """Index function: the namespace of an object without a controller; no key for other objects."""
    return namespaces(obj) if controller_of(obj) is None else ()


def namespaces(obj: Object) -> tuple[str, ...]:
    """Index function: the namespace of an object."""
    return (place_of(obj)[0],)


def by_namespace(kind: str) -> tuple[str, str, Index]:
    """Return the definition of a kind's index `namespace`."""
    return kind, "namespace", namespaces


def by_owner(kind: str) -> tuple[str, str, Index]:
    """Return the definition of a kind's index `owner`, whose keys are the uids of controllers."""
    return kind, "owner", owner_uids


def by_owner_or_orphan(kind: str) -> Indexes:
    """Return the definitions of the indexes `owner` and `orphan`, for controllers that adopt."""
    return by_owner(kind), (kind, "orphan", orphan_namespaces)


class KnownKinds:
    """The built-in kinds, and the custom kinds of CustomResourceDefinitions."""

    def __init__(self) -> None:
        self._custom: dict[str, Kind] = {}
        self._by_name: dict[tuple[str, str], Kind] = {}

    def learn(self, change: Change) -> Kind | None:
        """Add the kind of a CustomResourceDefinition, and return it if it is new."""
        if change.kind != DEFINITION.key or change.new is None:
            return None
        kind = stored_kind(change.new)
        is_new = kind.key not in self._custom
        self._custom[kind.key] = self._by_name[kind.group, kind.name] = kind
        return kind if is_new else None

    def of(self, obj: Object) -> Kind | None:
        """Return the kind of an object or a reference by API group and `kind`; None if unknown."""
        group = str(obj.get("apiVersion", "")).rpartition("/")[0]
        return kind_of(obj) or self._by_name.get((group, str(obj.get("kind"))))

    def named(self, key: str) -> Kind:
        """Return the kind with a key; raises KeyError."""
        return KINDS[key] if key in KINDS else self._custom[key]

    def __iter__(self) -> Iterator[Kind]:
        yield from KINDS.values()
        yield from self._custom.values()
