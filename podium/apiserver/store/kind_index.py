"""The objects of one kind as they are now, and lists of them, whole or by pages, as of a revision.

Items come in the order of etcd's keys: by `namespace/name` as one text, so that namespace `a-b`
comes before `a`.
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
    """A list, or a page of it.

    Attributes:
        revision: as of which the objects are shown.
        continue_token: asks for the next page; empty if this is the last one.
        remaining: how many come after this page; None if it is the last one, or if only some
            objects were asked for.
    """

    items: Sequence[Object]
    revision: int
    continue_token: str = ""
    remaining: int | None = None

    @property
    def resource_version(self) -> str:
        """The revision as the API writes it."""
        return str(self.revision)


class ListSegment(msgspec.Struct, frozen=True):
    """A namespace's part of a list: sorted names, each key being `prefix` and a name."""

    prefix: str
    names: Sequence[str]
    objects: Mapping[str, Object]

    def since(self, start: str) -> "ListSegment":
        """What is left of it from the key `start` on."""
        if start.startswith(self.prefix):
            begin = bisect_left(self.names, start[len(self.prefix) :])
            return ListSegment(self.prefix, self.names[begin:], self.objects)
        return self if start < self.prefix else ListSegment(self.prefix, (), self.objects)


class KindIndex:
    """Objects by namespace ("" where kinds have none) and name, and how often one changed."""

    def __init__(self) -> None:
        self.changes = 0
        self._namespaces: dict[str, dict[str, Object]] = {}
        # Sorted when somebody lists, forgotten when a name comes or goes.
        self._names: dict[str, list[str]] = {}

    def copy(self) -> "KindIndex":
        """A copy, which shares the objects."""
        other = KindIndex()
        other.changes = self.changes
        other._namespaces = {place: {**objects} for place, objects in self._namespaces.items()}
        other._names = {**self._names}
        return other

    def get(self, namespace: str, name: str) -> Object | None:
        """The object, None if there is none."""
        return self._namespaces.get(namespace, _NOTHING).get(name)

    def put(self, namespace: str, name: str, obj: Object) -> None:
        """Set an object, whether there was one or not."""
        self.changes += 1
        objects = self._namespaces.setdefault(namespace, {})
        if name not in objects:
            self._names.pop(namespace, None)
        objects[name] = obj

    def remove(self, namespace: str, name: str) -> None:
        """Take an object away that is there."""
        self.changes += 1
        objects = self._namespaces[namespace]
        del objects[name]
        self._names.pop(namespace, None)
        if not objects:
            del self._namespaces[namespace]

    def names(self, namespace: str) -> Sequence[str]:
        """Names of the objects in a namespace, sorted."""
        names = self._names.get(namespace)
        if names is None:
            names = self._names[namespace] = sorted(self._namespaces.get(namespace, _NOTHING))
        return names

    def segments(
        self, namespace: str | None, undone: Iterable[WatchEvent]
    ) -> Iterator[ListSegment]:
        """The objects in order, as they were before the last writes, which come oldest first."""
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
    """The page of a list that begins with a key, from the list's parts in order.

    Returns:
        No more objects than the limit, 0 for any number; the key that the next page starts with,
        empty if there is none; how many objects come after this page.
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
