"""What is stored, as admission may look at it."""

from collections.abc import Sequence

from podium.api.objects import Object
from podium.store.store import Store


class StoredView:
    """The store, to read from."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """An object, if it is there."""
        return self._store.get(kind, namespace, name)

    def list(self, kind: str, namespace: str = "") -> Sequence[Object]:
        """All objects of a kind, or those of one namespace, by namespace and name."""
        return self._store.list(kind, namespace or None).items

    def version(self, kind: str) -> int:
        """A number that is another one whenever any object of the kind has changed."""
        return self._store.changes(kind)
