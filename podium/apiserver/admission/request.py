"""What admission is asked about, and what it may look at."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

from podium.api.kinds import Kind
from podium.api.objects import Object

T = TypeVar("T")


class Operation(StrEnum):
    """What is to be done; posting a subresource, such as a binding, creates it."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


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


class Request(NamedTuple):
    """One write.

    Attributes:
        operation: what is to be done.
        kind: of the object, or of the one that the subresource belongs to.
        namespace: of the object; empty for a cluster-scoped one.
        name: as in the path; empty where the object is to be created, named or not.
        now_s: the time, in seconds since the epoch.
        old: the object as it is stored, if it is.
        subresource: such as `status`; empty for the object itself.
    """

    operation: Operation
    kind: Kind
    namespace: str
    now_s: float
    name: str = ""
    old: Object | None = None
    subresource: str = ""

    @property
    def resource(self) -> str:
        """The kind's name, with the subresource if there is one: `Pod`, `Pod/binding`."""
        return f"{self.kind.key}/{self.subresource}" if self.subresource else self.kind.key


def called(request: Request, obj: Object) -> str:
    """What a refusal calls the object, which may not have its name yet."""
    metadata = obj.get("metadata") or {}
    return str(request.name or metadata.get("name") or metadata.get("generateName") or "Unknown")


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
