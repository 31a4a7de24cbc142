"""The objects of one kind as they are now."""

from collections.abc import Mapping, Sequence

from podium.api.objects import Object

_NOTHING: Mapping[str, Object] = {}


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
        objects = self._namespaces.get(namespace)
        if objects is None:
            objects = self._namespaces[namespace] = {}
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

    def namespaces(self) -> Sequence[str]:
        """The namespaces that hold any object, in no order."""
        return list(self._namespaces)

    def objects(self, namespace: str) -> Mapping[str, Object]:
        """A namespace's objects by name."""
        return self._namespaces.get(namespace, _NOTHING)

    def names(self, namespace: str) -> Sequence[str]:
        """Names of the objects in a namespace, sorted."""
        names = self._names.get(namespace)
        if names is None:
            names = self._names[namespace] = sorted(self.objects(namespace))
        return names
