"""The protocol of admission plugins, with their options and what they derive from the store."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

import msgspec

from podium.api.objects import Object
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.store.store import Store

T = TypeVar("T")


class Derived(Generic[T]):
    """A value computed from all objects of a kind, and recomputed after each change."""

    def __init__(self, store: Store, kind: str, derive: Callable[[Sequence[Object]], T]) -> None:
        self._store, self._kind, self._derive = store, kind, derive
        self._version = -1
        self._value: T

    def __call__(self) -> T:
        version = self._store.changes(self._kind)
        if version != self._version:
            self._value = self._derive(self._store.list(self._kind).items)
            self._version = version
        return self._value


ALL_NAMESPACED = "*"
"""Key of `handles` for all namespaced kinds and their subresources."""

CREATE = frozenset({Operation.CREATE})
UPDATE = frozenset({Operation.UPDATE})
WRITE = CREATE | UPDATE
DELETE = frozenset({Operation.DELETE})


class LimitedScope(msgspec.Struct, frozen=True):
    """A quota scope: pods in the scope are refused unless a quota covers it.

    It is an item of `matchScopes` in the configuration of ResourceQuota; operators are `In`,
    `NotIn`, `Exists` and `DoesNotExist`.
    """

    scope: str
    operator: str
    values: tuple[str, ...] = ()

    @property
    def requirement(self) -> Object:
        """The scope in the form of a quota's requirement."""
        return {"scopeName": self.scope, "operator": self.operator, "values": self.values}

    def __str__(self) -> str:
        return f"{{{self.scope} {self.operator} [{' '.join(self.values)}]}}"


class AdmissionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Admission flags of kube-apiserver: plugins by name, and scopes that a quota has to cover."""

    enabled: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()
    not_ready_toleration_s: int = 300
    unreachable_toleration_s: int = 300
    limited_scopes: tuple[LimitedScope, ...] = ()


class AdmissionPlugin:
    """An admission plugin, with the name of its class; methods do nothing by default."""

    handles: ClassVar[Mapping[str, frozenset[Operation]]]
    """Operations by resource, such as `Pod` or `Pod/binding`, or ALL_NAMESPACED."""
    on_by_default: ClassVar[bool] = True

    def __init__(self, store: Store, options: AdmissionOptions) -> None:
        self.store = store
        self.options = options

    def admit(self, request: Attributes, obj: Object) -> Object:
        """Return the completed object, before validation; raises RefusedError."""
        return obj

    def validate(self, request: Attributes, obj: Object) -> None:
        """Check an object that is ready to be stored; raises RefusedError."""

    def charge(self, request: Attributes, obj: Object) -> Sequence[Object]:
        """Return objects to store together with this one, after all checks; raises RefusedError."""
        return ()
