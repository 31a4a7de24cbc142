"""The one protocol of admission plugins."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

import msgspec

from podium.api.objects import Object
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.store.store import Store

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


ALL_NAMESPACED = "*"
"""Stands for all kinds that live in namespaces, and their subresources."""

CREATE = frozenset({Operation.CREATE})
UPDATE = frozenset({Operation.UPDATE})
WRITE = CREATE | UPDATE
DELETE = frozenset({Operation.DELETE})


class LimitedScope(msgspec.Struct, frozen=True):
    """Pods that need a quota: without one that covers the scope, they aren't let in.

    It is one of the `matchScopes` of the configuration of ResourceQuota.

    Attributes:
        scope: the name of the scope, such as `PriorityClass`.
        operator: `In`, `NotIn`, `Exists` or `DoesNotExist`.
        values: that it is about.
    """

    scope: str
    operator: str
    values: tuple[str, ...] = ()

    @property
    def requirement(self) -> Object:
        """The same as it would stand in a quota."""
        return {"scopeName": self.scope, "operator": self.operator, "values": self.values}

    def __str__(self) -> str:
        return f"{{{self.scope} {self.operator} [{' '.join(self.values)}]}}"


class AdmissionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What kube-apiserver's flags and admission configuration say.

    Attributes:
        enabled: names of plugins that are off unless asked for.
        disabled: names of plugins that are on unless asked not to be.
        not_ready_toleration_s: how long pods stay on a node that isn't ready.
        unreachable_toleration_s: how long pods stay on a node that can't be reached.
        limited_scopes: which pods need a quota.
    """

    enabled: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()
    not_ready_toleration_s: int = 300
    unreachable_toleration_s: int = 300
    limited_scopes: tuple[LimitedScope, ...] = ()


class Plugin:
    """An admission plugin; one that only checks leaves `admit` as it is, and so on.

    Attributes:
        name: as kube-apiserver names it.
        handles: the operations that it wants to see, by resource: a kind, such as `Pod`, a kind
            with a subresource, such as `Pod/binding`, or ALL_NAMESPACED.
        on_by_default: whether it is asked unless it is disabled.
    """

    name: ClassVar[str]
    handles: ClassVar[Mapping[str, frozenset[Operation]]]
    on_by_default: ClassVar[bool] = True

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        self.view = view
        self.options = options

    def admit(self, request: Attributes, obj: Object) -> Object:
        """The object to go on with, before it is validated.

        Raises:
            RefusedError: it isn't let in.
        """
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        """Judge the object as it would be stored.

        Raises:
            RefusedError: it isn't let in.
        """

    def charge(self, request: Attributes, obj: Object) -> Sequence[Object]:
        """The other objects that are to be stored with this one, when all others agree.

        Raises:
            RefusedError: it isn't let in.
        """
        return ()
