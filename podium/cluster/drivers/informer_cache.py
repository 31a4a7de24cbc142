"""The informer cache of one kind, with the objects that a state machine has been sent.

As in Kubernetes' clients, an informer lists first, then watches from the list's revision on. After
a watch breaks, the next list is compared with the cache. The changes in between are lost, but not
their result: a deleted object is reported in its last cached state, and an object with another uid
than before as a deletion and an addition.
"""

from collections.abc import Iterable, Iterator, Mapping

from podium.api.objects import Object, Place, place_of
from podium.machines.async_api import WatchEventLike
from podium.machines.events import Change


class InformerCache:
    """Caches the objects of a kind, and computes changes from lists and watch events."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.revision = 0
        self._known: dict[Place, Object] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Object]:
        return iter(self._known.values())

    def get(self, namespace: str, name: str) -> Object | None:
        return self._known.get((namespace, name))

    @property
    def objects(self) -> Mapping[Place, Object]:
        """The cached objects by namespace and name."""
        return self._known

    def copy(self) -> "InformerCache":
        """Return an independent cache with the same objects and revision."""
        other = InformerCache(self.kind)
        other.revision, other._known = self.revision, dict(self._known)
        return other

    def listed(self, objects: Iterable[Object], revision: int) -> list[Change]:
        """Replace the cached objects; return additions and changes in order, then deletions."""
        self.revision = revision
        before, self._known = self._known, {}
        if not before:
            self._known = {place_of(obj): obj for obj in objects}
            return [Change(self.kind, None, obj) for obj in self._known.values()]
        changes: list[Change] = []
        for obj in objects:
            place = place_of(obj)
            self._known[place] = obj
            changes += self._change(before.pop(place, None), obj)
        return changes + [Change(self.kind, gone, None) for gone in before.values()]

    def watched(self, events: Iterable[WatchEventLike]) -> list[Change]:
        """Apply the events of a watch, and return the changes."""
        changes: list[Change] = []
        for event in events:
            self.revision = event.revision
            if event.type == "DELETED":
                if self._known.pop(place_of(event.obj), None) is not None:
                    changes.append(Change(self.kind, event.obj, None))
            elif event.type != "BOOKMARK":
                place = place_of(event.obj)
                old = self._known.get(place)
                self._known[place] = event.obj
                changes += self._change(old, event.obj)
        return changes

    def _change(self, old: Object | None, new: Object) -> list[Change]:
        if old is None:
            return [Change(self.kind, None, new)]
        before, after = old["metadata"], new["metadata"]
        if before["uid"] != after["uid"]:
            return [Change(self.kind, old, None), Change(self.kind, None, new)]
        if before["resourceVersion"] == after["resourceVersion"]:
            return []
        return [Change(self.kind, old, new)]
