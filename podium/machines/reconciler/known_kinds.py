"""The kinds that a controller knows: built-in ones, and those of CustomResourceDefinitions."""

from collections.abc import Iterator

from podium.api.kinds.builtin_kinds import KINDS, Kind, kind_of
from podium.api.kinds.custom_kinds import DEFINITION, stored_kind
from podium.api.objects import Object
from podium.machines.events import Change


class KnownKinds:
    """The kinds that are built in, and those that definitions have brought."""

    def __init__(self) -> None:
        self._custom: dict[str, Kind] = {}
        self._called: dict[tuple[str, str], Kind] = {}

    def learn(self, change: Change) -> Kind | None:
        """The kind that a change of a definition has brought, if it is a new one."""
        if change.kind != DEFINITION.key or change.new is None:
            return None
        kind = stored_kind(change.new)
        is_new = kind.key not in self._custom
        self._custom[kind.key] = self._called[kind.group, kind.name] = kind
        return kind if is_new else None

    def of(self, obj: Object) -> Kind | None:
        """The kind of an object, or of a reference to one, whatever its version; None if unknown.

        Which kind it is hangs on the group: two definitions may call theirs alike.
        """
        group = str(obj.get("apiVersion", "")).rpartition("/")[0]
        return kind_of(obj) or self._called.get((group, str(obj.get("kind"))))

    def named(self, key: str) -> Kind:
        """A kind by its key; raises KeyError."""
        return KINDS[key] if key in KINDS else self._custom[key]

    def __iter__(self) -> Iterator[Kind]:
        yield from KINDS.values()
        yield from self._custom.values()
