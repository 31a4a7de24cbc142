"""The objects of one kind as one machine knows them.

As the informers of Kubernetes' clients: first a list, then a watch from the list's version on. When
the watch breaks, another list is compared with what was told before. What happened between is lost,
but not its result: an object that has gone is told as gone in the state it was last seen in, and
one of another uid under the same name is told as two objects, one gone and one new.
"""

from collections.abc import Iterable, Iterator, Mapping

from podium.api.objects import Object
from podium.machines.async_api import WatchEventLike
from podium.machines.events import Change

Place = tuple[str, str]


class InformerCache:
    """Keeps the objects of a kind that a machine knows, and computes the changes that it lacks."""

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
        return self._known

    def copy(self) -> "InformerCache":
        other = InformerCache(self.kind)
        other.revision, other._known = self.revision, dict(self._known)
        return other

    def listed(self, objects: Iterable[Object], revision: int) -> list[Change]:
        """Take in a list, the first or a later one.

        Returns:
            What has changed: what came and what changed in the list's order, then what went.
        """
        if not self._known:
            self._known = {_place_of(obj): obj for obj in objects}
            self.revision = revision
            return [Change(self.kind, None, obj) for obj in self._known.values()]
        before, self._known = self._known, {}
        changes: list[Change] = []
        for obj in objects:
            place = _place_of(obj)
            self._known[place] = obj
            changes += self._change(before.pop(place, None), obj)
        changes += [Change(self.kind, gone, None) for gone in before.values()]
        self.revision = revision
        return changes

    def watched(self, news: Iterable[WatchEventLike]) -> list[Change]:
        """Apply the events of a watch."""
        changes: list[Change] = []
        for one in news:
            self.revision = one.revision
            if one.type == "DELETED":
                if self._known.pop(_place_of(one.obj), None) is not None:
                    changes.append(Change(self.kind, one.obj, None))
            elif one.type != "BOOKMARK":
                place = _place_of(one.obj)
                old = self._known.get(place)
                self._known[place] = one.obj
                changes += self._change(old, one.obj)
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


def _place_of(obj: Object) -> Place:
    metadata = obj["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
