"""Objects other than nodes and pods that plugins look up, by kind and name.

Upstream's word for these is listers. `epoch` is raised by every change, since results that were
made with the objects of an older epoch may no longer hold.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.meta import labels, name, namespace

Object = Mapping[str, Any]

CLUSTER_SCOPED = frozenset(
    {"Namespace", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver", "PriorityClass"}
)


class Listers:
    """Objects by kind.

    Attributes:
        epoch: raised by every change.
    """

    def __init__(self, objects: Iterable[Object] = ()) -> None:
        self.epoch = 0
        self._kinds: dict[str, dict[tuple[str, str], Object]] = {}
        for obj in objects:
            self.set(obj)

    def set(self, obj: Object) -> None:
        """Add or replace an object; it must have a kind."""
        kind = str(obj["kind"])
        self._kinds.setdefault(kind, {})[_place(kind, obj), name(obj)] = obj
        self.epoch += 1

    def remove(self, obj: Object) -> None:
        """Remove an object, if it is there."""
        kind = str(obj["kind"])
        self._kinds.get(kind, {}).pop((_place(kind, obj), name(obj)), None)
        self.epoch += 1

    def get(self, kind: str, object_name: str, place: str = "") -> Object | None:
        """An object by name, and by namespace unless its kind is cluster-scoped."""
        return self._kinds.get(kind, {}).get((place, object_name))

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


def _place(kind: str, obj: Object) -> str:
    return "" if kind in CLUSTER_SCOPED else namespace(obj)
