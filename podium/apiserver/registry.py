"""The kinds that a server serves, also of CustomResourceDefinitions, and their versions.

Only Events have two versions with different fields, in v1 and events.k8s.io/v1. Custom objects are
equal in all versions, as conversion webhooks aren't called.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from podium.api.kinds.builtin_kinds import KINDS, Kind, kind_of
from podium.api.kinds.custom_kinds import CustomKind, custom_kinds, is_established
from podium.api.objects import Object
from podium.apiserver.refusals import no_such_resource
from podium.apiserver.schema.struct_types import REVIEWS

GroupVersion = tuple[str, str]


class Registry:
    """Immutable registry of the served kinds.

    Args:
        definitions: CustomResourceDefinitions, which are served if established.
        unstored: further kinds, whose objects aren't stored.
        optional: optional kinds to serve; definitions may override them.
    """

    def __init__(
        self,
        definitions: Iterable[Object] = (),
        unstored: Iterable[Kind] = (),
        optional: Sequence[Kind] = (),
    ) -> None:
        established = filter(is_established, definitions)
        customs = [kind for definition in established for kind in custom_kinds(definition)]
        stored = [kind for kind in customs if kind.version == kind.stored_version]
        self._by_key: Mapping[str, Kind] = {
            **KINDS,
            **{kind.key: kind for kind in (*optional, *stored)},
        }
        served = (*optional, *(kind for kind in customs if kind.is_served))
        self._called = {(kind.api_version, kind.name): kind for kind in served}
        self.by_plural = {**_BUILT_IN, **_by_plural(unstored), **_by_plural(self._called.values())}
        """Kinds by (group, version), and then by plural, in order."""
        self.groups: Mapping[str, tuple[str, ...]] = {
            group: tuple(version for other, version in self.by_plural if other == group)
            for group, _ in self.by_plural
        }
        """Versions of each group, the preferred version first."""

    def named(self, key: str) -> Kind:
        """Return the kind with a key; raises RefusedError (404)."""
        kind = self._by_key.get(key)
        if kind is None:
            raise no_such_resource()
        return kind

    def called(self, name: str) -> Kind | None:
        """Return the kind with this key, name or plural; None if there is none."""
        return self._by_key.get(name) or next(
            (kind for kind in self._by_key.values() if name in (kind.name, kind.plural)), None
        )

    def of(self, obj: Object) -> Kind | None:
        """Return the kind of an object; None if it isn't served in the object's version."""
        api_version = str(obj.get("apiVersion"))
        kind = self._called.get((api_version, str(obj.get("kind")))) or kind_of(obj)
        group, _, version = api_version.rpartition("/")
        return kind if kind and (group, version) in _group_versions(kind) else None

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_key.values())


def _group_versions(kind: Kind) -> Iterator[GroupVersion]:
    yield kind.group, kind.version
    yield from kind.also


def _built_in() -> dict[GroupVersion, Mapping[str, Kind]]:
    kinds = sorted((*KINDS.values(), *REVIEWS.values()), key=lambda kind: kind.plural)
    own = {(kind.group, kind.version) for kind in kinds}
    served = {group_version for kind in kinds for group_version in _group_versions(kind)}

    # Of each group the version in which objects are stored comes first.
    ordered = sorted(served, key=lambda one: (one[0], one not in own, one[1]))
    return {
        one: {kind.plural: kind for kind in kinds if one in _group_versions(kind)}
        for one in ordered
    }


def _by_plural(customs: Iterable[Kind]) -> dict[GroupVersion, Mapping[str, Kind]]:
    by_plural: dict[GroupVersion, dict[str, Kind]] = {}
    for kind in sorted(customs, key=lambda kind: (kind.group, kind.plural)):
        by_plural.setdefault((kind.group, kind.version), {})[kind.plural] = kind
    return {key: {**kinds, **_BUILT_IN.get(key, {})} for key, kinds in by_plural.items()}


_BUILT_IN: Mapping[GroupVersion, Mapping[str, Kind]] = _built_in()

BUILT_IN = Registry()


_RENAMED = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_RENAMED_BACK = {theirs: ours for ours, theirs in _RENAMED.items()}


def stored_version(kind: Kind, obj: Object) -> Object:
    """Convert an object to its stored version; a missing apiVersion means the kind's own."""
    api_version = obj.get("apiVersion") or kind.api_version
    if api_version == kind.stored_api_version and obj.get("kind") == kind.name:
        return obj
    header = {"apiVersion": kind.stored_api_version, "kind": kind.name}
    names = _RENAMED_BACK if _is_other(kind, api_version) else {}
    return {**_renamed(obj, names), **header}


def shown_version(kind: Kind, obj: Object, api_version: str) -> Object:
    """Convert a stored object to one of the kind's versions; empty for the kind's own."""
    if isinstance(kind, CustomKind):
        return {**obj, "apiVersion": kind.api_version}
    if not api_version or not _is_other(kind, api_version):
        return obj
    return {**_renamed(obj, _RENAMED), "apiVersion": api_version, "kind": kind.name}


def _is_other(kind: Kind, api_version: str) -> bool:
    group, _, version = api_version.rpartition("/")
    return (group, version) in kind.also


def _renamed(obj: Object, names: Mapping[str, str]) -> Object:
    # A field that already has its new name is unknown in the version of the object.
    unknown = frozenset(names.values())
    known = {field: value for field, value in obj.items() if field not in unknown}
    return {names.get(field, field): value for field, value in known.items()}
