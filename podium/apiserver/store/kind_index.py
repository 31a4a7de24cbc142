"""The current objects of one kind, and lists of them as of a revision.

Lists are sorted by etcd's keys, `namespace/name` compared as text, so that namespace `a-b` precedes
`a`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.objects import Object
from podium.apiserver.store.history import WatchEvent

Matches = Callable[[Object], bool]

_NOTHING: Mapping[str, Object] = {}
_AFTER = "\0"


class Page(msgspec.Struct, frozen=True):
    """A list, or one page of it, as of a revision; the last page has no continue token."""

    items: Sequence[Object]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    """Number of objects after this page; None on the last page, and with selectors."""

    @property
    def resource_version(self) -> str:
        """The revision as a resourceVersion."""
        return str(self.revision)


class ListSegment(msgspec.Struct, frozen=True):
    """The objects of one namespace in a list; a key is `prefix` and one of the sorted names."""

    prefix: str
    names: Sequence[str]
    objects: Mapping[str, Object]

    def since(self, start: str) -> "ListSegment":
        """Return the part of the segment from a key on."""
        if start.startswith(self.prefix):
            begin = bisect_left(self.names, start[len(self.prefix) :])
            return ListSegment(self.prefix, self.names[begin:], self.objects)
        return self if start < self.prefix else ListSegment(self.prefix, (), self.objects)


class KindIndex:
    """The objects of one kind by namespace (empty if cluster-scoped) and name."""

    def __init__(self) -> None:
        self.changes = 0
        self._namespaces: dict[str, dict[str, Object]] = {}
        # Sorted names by namespace: made by the first list after a name was added or removed.
        self._names: dict[str, list[str]] = {}

    def copy(self) -> "KindIndex":
        """Return a copy that shares the objects."""
        other = KindIndex()
        other.changes = self.changes
        other._namespaces = {place: {**objects} for place, objects in self._namespaces.items()}
        other._names = {**self._names}
        return other

    def get(self, namespace: str, name: str) -> Object | None:
        """Return an object; None if there is none."""
        return self._namespaces.get(namespace, _NOTHING).get(name)

    def put(self, namespace: str, name: str, obj: Object) -> None:
        """Add or replace an object."""
        self.changes += 1
        objects = self._namespaces.setdefault(namespace, {})
        if name not in objects:
            self._names.pop(namespace, None)
        objects[name] = obj

    def remove(self, namespace: str, name: str) -> None:
        """Remove an existing object."""
        self.changes += 1
        objects = self._namespaces[namespace]
        del objects[name]
        self._names.pop(namespace, None)
        if not objects:
            del self._namespaces[namespace]

    def names(self, namespace: str) -> Sequence[str]:
        """Return the sorted names of the objects in a namespace."""
        names = self._names.get(namespace)
        if names is None:
            names = self._names[namespace] = sorted(self._namespaces.get(namespace, _NOTHING))
        return names

    def segments(
        self, namespace: str | None, undone: Iterable[WatchEvent]
    ) -> Iterator[ListSegment]:
        """Yield the objects by namespace as they were before the writes `undone` (oldest first)."""
        before: dict[str, dict[str, Object | None]] = {}
        for event in undone:
            before.setdefault(event.namespace, {}).setdefault(event.name, event.previous)
        every = {*self._namespaces, *before} if namespace is None else {namespace}
        for prefix, each in sorted((f"{n}/" if n else "", n) for n in every):
            objects = self._namespaces.get(each, _NOTHING)
            if each not in before:
                yield ListSegment(prefix, self.names(each), objects)
                continue
            past = {**objects, **before[each]}
            objects = {name: obj for name, obj in past.items() if obj is not None}
            yield ListSegment(prefix, sorted(objects), objects)


def find(
    parts: Iterable[ListSegment], start: str, limit: int, matches: Matches | None
) -> tuple[Sequence[Object], str, int]:
    """Return one page of a list, from the segments of the list in order.

    A page has the objects from the key `start` on, at most `limit` if that isn't 0. It is followed
    by the key of the next page, empty on the last page, and the number of objects after this page.
    """
    left = [part.since(start) for part in parts]
    if not limit:
        every = [part.objects[name] for part in left for name in part.names]
        return every if matches is None else [*filter(matches, every)], "", 0
    total = sum(len(part.names) for part in left)
    items: list[Object] = []
    seen = 0
    for part in left:
        for name in part.names:
            seen += 1
            obj = part.objects[name]
            if matches is None or matches(obj):
                items.append(obj)
                if len(items) == limit and seen < total:
                    return items, part.prefix + name + _AFTER, total - seen
    return items, "", 0
