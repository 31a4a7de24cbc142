"""What admission may look at, and what it works out from it."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from podium.api.objects import Object
from podium.store.store import Store

T = TypeVar("T")


class View(Protocol):
    """What is stored, to look at; cluster-scoped objects are in the namespace with no name."""

    def get(self, kind: str, namespace: str, name: str) -> Object | None:
        """An object, if it is there."""
        ...

    def list(self, kind: str, namespace: str = "") -> Sequence[Object]:
        """All objects of a kind, or those of one namespace, by namespace and name."""
        ...

    def version(self, kind: str) -> int:
        """A number that is another one whenever any object of the kind has changed.

        It is 0 as long as there has never been one.
        """
        ...


class StoredView:
    """A `View` of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.get = store.get
        self.version = store.changes

    def list(self, kind: str, namespace: str = "") -> Sequence[Object]:
        return self._store.list(kind, namespace or None).items


class Derived(Generic[T]):
    """Something worked out from all objects of a kind, once for as long as none changes."""

    def __init__(self, view: View, kind: str, derive: Callable[[Sequence[Object]], T]) -> None:
        self._view, self._kind, self._derive = view, kind, derive
        self._version = -1
        self._value: T

    def __call__(self) -> T:
        """The value, by what is stored now."""
        version = self._view.version(self._kind)
        if version != self._version:
            self._value = self._derive(self._view.list(self._kind))
            self._version = version
        return self._value
