"""The strategic merge patch that leads from one object to another."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.kinds import Kind
from podium.apiserver.patching.strategic import DELETE_PREFIX, ORDER_PREFIX, PATCH
from podium.apiserver.patching.strategic_order import merge_key_of
from podium.apiserver.schema import ListOf, MapOf, Struct, Type, struct_of

Object = Mapping[str, Any]


def make_patch(kind: Kind, before: Object, after: Object, *, api_version: str = "") -> Object:
    """A patch that makes `after` of `before`, and leaves alone what both agree in.

    It holds no more than what differs, so that it also applies to an object that others have
    changed elsewhere in the meantime.

    Args:
        kind: the kind of both.
        before: without nulls.
        after: without nulls; a list of scalars that merges has none of them twice.
        api_version: the version of both, where the kind is served in several; empty for its own.

    Raises:
        Refused: an entry of a list lacks the field by which entries are found again.
    """
    return _between(before, after, struct_of(api_version or kind.api_version, kind.name))


def _between(before: Object, after: Object, of: Type | None) -> dict[str, Any]:
    patch: dict[str, Any] = {name: None for name in before if name not in after}
    for name, new in after.items():
        if name not in before:
            patch[name] = new
        elif before[name] != new:
            patch.update(_change(name, before[name], new, of))
    return patch


def _change(name: str, old: Any, new: Any, of: Type | None) -> dict[str, Any]:
    """What a patch says to change a field."""
    part, replaces = _part(name, of)
    if replaces or type(old) is not type(new):
        return {name: new}
    if isinstance(new, dict):
        return {name: _between(old, new, part)}
    if isinstance(part, ListOf) and part.merges:
        changed = _entries if part.merge_key else _scalars
        return changed(name, old, new, part)
    return {name: new}


def _part(name: str, of: Type | None) -> tuple[Type | None, bool]:
    if isinstance(of, Struct) and name in of.fields:
        field = of.fields[name]
        return field.type, field.replaces
    return (of.values if isinstance(of, MapOf) else None), False


def _entries(name: str, old: Sequence[Any], new: Sequence[Any], of: ListOf) -> dict[str, Any]:
    key = of.merge_key
    before = {merge_key_of(entry, key): entry for entry in old}
    after = {merge_key_of(entry, key): entry for entry in new}
    if len(before) < len(old) or len(after) < len(new):
        # What has the same key twice can't be told apart.
        return {name: [{PATCH: "replace"}, *new]}
    gone = [{PATCH: "delete", key: value} for value in before if value not in after]
    changed = [
        {key: value, **_between(before[value], entry, of.items)} if value in before else entry
        for value, entry in after.items()
        if before.get(value) != entry
    ]
    order = [{key: value} for value in after]
    return {ORDER_PREFIX + name: order, name: [*changed, *gone]}


def _scalars(name: str, old: Sequence[Any], new: Sequence[Any], _of: ListOf) -> dict[str, Any]:
    added = [value for value in new if value not in old]
    gone = [value for value in old if value not in new]
    patch: dict[str, Any] = {ORDER_PREFIX + name: new}
    if added:
        patch[name] = added
    if gone:
        patch[DELETE_PREFIX + name] = gone
    return patch
