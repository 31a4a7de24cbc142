"""The one protocol of admission plugins."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

import msgspec

from podium.api.objects import Object
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.store.store import Store

T = TypeVar("T")


class View:
    """What is stored, to look at; cluster-scoped objects are in the namespace with no name."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.get = store.get
        self.version = store.changes

    def list(self, kind: str, namespace: str = "") -> Sequence[Object]:
        """All objects of a kind, or those of one namespace, by namespace and name."""
        return self._store.list(kind, namespace or None).items


class Derived(Generic[T]):
    """Something worked out from all objects of a kind, once for as long as none changes."""

    def __init__(self, view: View, kind: str, derive: Callable[[Sequence[Object]], T]) -> None:
        self._view, self._kind, self._derive = view, kind, derive
        self._version = -1
        self._value: T

    def __call__(self) -> T:
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
    """Pods that need a quota: without one that covers the scope, they are refused.

    It is one of the `matchScopes` of the configuration of ResourceQuota; its operator is `In`,
    `NotIn`, `Exists` or `DoesNotExist`.
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
    """Flags and admission configuration of kube-apiserver.

    Attributes:
        enabled: names of plugins that are off by default.
        disabled: names of plugins that are on by default.
        limited_scopes: which pods need a quota.
    """

    enabled: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()
    not_ready_toleration_s: int = 300
    unreachable_toleration_s: int = 300
    limited_scopes: tuple[LimitedScope, ...] = ()


class Plugin:
    """An admission plugin, named by its class; each method does nothing unless it is overridden.

    Attributes:
        handles: the operations that it wants to see, by resource: a kind, such as `Pod`, a kind
            with a subresource, such as `Pod/binding`, or ALL_NAMESPACED.
    """

    handles: ClassVar[Mapping[str, frozenset[Operation]]]
    on_by_default: ClassVar[bool] = True

    def __init__(self, view: View, options: AdmissionOptions) -> None:
        self.view = view
        self.options = options

    def admit(self, request: Attributes, obj: Object) -> Object:
        """The object to go on with, before it is validated; raises RefusedError."""
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        """Judge the object as it would be stored; raises RefusedError."""

    def charge(self, request: Attributes, obj: Object) -> Sequence[Object]:
        """Other objects to be stored with this one, when all others agree; raises RefusedError."""
        return ()
