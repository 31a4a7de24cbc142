"""Lists, whole or by pages, of the objects as they are now or were at a revision.

Items come in the order of etcd's keys: by `namespace/name` as one text, so that namespace `a-b`
comes before `a`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.objects import Object
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.kind_index import KindIndex

Matches = Callable[[Object], bool]
_AFTER = "\0"


class Page(msgspec.Struct, frozen=True):
    """A list, or a part of it.

    Attributes:
        revision: as of which they are shown.
        continue_token: asks for the next page; empty if this is the last one.
        remaining: how many come after this page; None if it is the last one, or if only some
            objects were asked for.
    """

    items: Sequence[Object]
    revision: int
    continue_token: str = ""
    remaining: int | None = None


PageContent = tuple[Sequence[Object], str, int]
"""The objects on one page of a list, the key that the next page starts with, empty if there is
none, and how many objects come after this page."""


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


def list_segments(
    index: KindIndex, namespace: str | None, undone: Iterable[WatchEvent]
) -> Iterator[ListSegment]:
    """The objects in order, as they were before the last writes, which come oldest first."""
    before: dict[str, dict[str, Object | None]] = {}
    for event in undone:
        before.setdefault(event.namespace, {}).setdefault(event.name, event.previous)
    every = {*index.namespaces(), *before} if namespace is None else {namespace}
    for prefix, each in sorted((f"{n}/" if n else "", n) for n in every):
        changed = before.get(each)
        if changed is None:
            yield ListSegment(prefix, index.names(each), index.objects(each))
        else:
            past = {**index.objects(each), **changed}
            objects = {name: obj for name, obj in past.items() if obj is not None}
            yield ListSegment(prefix, sorted(objects), objects)


def find(
    parts: Iterable[ListSegment], start: str, limit: int, matches: Matches | None
) -> PageContent:
    """A page of a list from its parts in order, from a key on, with no more items than a limit."""
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
