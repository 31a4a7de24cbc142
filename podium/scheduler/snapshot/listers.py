"""Objects other than nodes and pods that plugins look up, by kind and name."""

from collections.abc import Iterable, Mapping

from podium.api.kinds.builtin_kinds import ALL_KINDS
from podium.api.objects import Object, labels, name, namespace
from podium.api.values.integers import parse_count

Place = tuple[str, str]

_NAMESPACED = frozenset(key for key, kind in ALL_KINDS.items() if kind.namespaced)


class Listers:
    """The latest known objects by kind, with what plugins assume in place of them.

    As in upstream's assume caches, an assumed object is seen until it is restored or the API sends
    a newer version.

    Attributes:
        epoch: raised by every change from the API.
        assumed_epoch: raised by every object that is assumed or restored.
    """

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self.epoch = 0
        self.assumed_epoch = 0
        self._kinds: dict[str, dict[Place, Object]] = {}
        self._told: dict[tuple[str, Place], Object] = {}
        for obj in objects:
            self.set(obj)

    def set(self, obj: Object) -> None:
        """Add or replace an object; it must have a kind."""
        kind, place = str(obj["kind"]), _place(obj)
        if (kind, place) in self._told:
            if not _is_newer(obj, self._kinds[kind][place]):
                return
            del self._told[kind, place]
        self._kinds.setdefault(kind, {})[place] = obj
        self.epoch += 1

    def remove(self, obj: Object) -> None:
        kind, place = str(obj["kind"]), _place(obj)
        self._told.pop((kind, place), None)
        self._kinds.get(kind, {}).pop(place, None)
        self.epoch += 1

    def assume(self, obj: Object) -> None:
        """Show an object as it will be once a decision has been carried out.

        Raises:
            KeyError: there is no such object.
        """
        kind, place = str(obj["kind"]), _place(obj)
        self._told.setdefault((kind, place), self._kinds[kind][place])
        self._kinds[kind][place] = obj
        self.assumed_epoch += 1

    def restore(self, obj: Object) -> None:
        """Drop the assumed version of an object."""
        kind, place = str(obj["kind"]), _place(obj)
        told = self._told.pop((kind, place), None)
        if told is not None:
            self._kinds[kind][place] = told
            self.assumed_epoch += 1

    def get(self, kind: str, object_name: str, place: str = "") -> Object | None:
        """An object by name, and by namespace unless its kind is cluster-scoped."""
        return self._kinds.get(kind, {}).get((place, object_name))

    def stored(self, kind: str, object_name: str, place: str = "") -> Object | None:
        """The last version of an object that the API sent, whatever is assumed of it."""
        where = (place, object_name)
        return self._told.get((kind, where)) or self._kinds.get(kind, {}).get(where)

    def list(self, kind: str, place: str | None = None) -> list[Object]:
        """All objects of a kind, or those of one namespace, in the order they came."""
        known = self._kinds.get(kind, {})
        if place is None:
            return [*known.values()]
        return [obj for (where, _), obj in known.items() if where == place]

    def namespace_labels(self, namespace_name: str) -> Mapping[str, str]:
        """The labels of a namespace; none if it isn't known."""
        found = self.get("Namespace", namespace_name)
        return labels(found) if found is not None else {}


def _place(obj: Object) -> Place:
    return namespace(obj) if obj["kind"] in _NAMESPACED else "", name(obj)


def _is_newer(told: Object, assumed: Object) -> bool:
    """Whether the API tells of something else than the version that an assumption started from.

    A version that is told once more, as after a new list, doesn't undo what was assumed on it.
    """
    new, old = (parse_count(obj["metadata"].get("resourceVersion")) for obj in (told, assumed))
    return new is None or old is None or new > old
