"""Built-in kinds, and those of the CustomResourceDefinitions that a controller has seen."""

from collections.abc import Iterator

from podium.api.kinds.builtin_kinds import KINDS, Kind, kind_of
from podium.api.kinds.custom_kinds import DEFINITION, stored_kind
from podium.api.objects import Object
from podium.machines.events import Change


class KnownKinds:
    """The built-in kinds, and the custom kinds of CustomResourceDefinitions."""

    def __init__(self) -> None:
        self._custom: dict[str, Kind] = {}
        self._by_name: dict[tuple[str, str], Kind] = {}

    def learn(self, change: Change) -> Kind | None:
        """Add the kind of a CustomResourceDefinition, and return it if it is new."""
        if change.kind != DEFINITION.key or change.new is None:
            return None
        kind = stored_kind(change.new)
        is_new = kind.key not in self._custom
        self._custom[kind.key] = self._by_name[kind.group, kind.name] = kind
        return kind if is_new else None

    def of(self, obj: Object) -> Kind | None:
        """Return the kind of an object or a reference by API group and `kind`; None if unknown."""
        group = str(obj.get("apiVersion", "")).rpartition("/")[0]
        return kind_of(obj) or self._by_name.get((group, str(obj.get("kind"))))

    def named(self, key: str) -> Kind:
        """Return the kind with a key; raises KeyError."""
        return KINDS[key] if key in KINDS else self._custom[key]

    def __iter__(self) -> Iterator[Kind]:
        yield from KINDS.values()
        yield from self._custom.values()
