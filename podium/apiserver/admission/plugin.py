"""The one protocol of admission plugins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from podium.api.objects import Object
from podium.apiserver.admission.view import View
from podium.apiserver.attributes import Attributes, Operation

ALL_NAMESPACED = "*"
"""Stands for all kinds that live in namespaces, and their subresources."""

CREATE = frozenset({Operation.CREATE})
UPDATE = frozenset({Operation.UPDATE})
WRITE = CREATE | UPDATE
DELETE = frozenset({Operation.DELETE})


@dataclass(frozen=True, slots=True)
class LimitedScope:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionOptions:
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
