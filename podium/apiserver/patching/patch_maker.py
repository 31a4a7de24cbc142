"""The strategic merge patch that leads from one object to another, or applies a manifest.

Applying knows three objects, as kubectl does: what the manifest says counts, what an earlier
manifest said and this one doesn't is taken out, and the rest, which others have set, stays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.patching import strategic
from podium.apiserver.schema import Field, ListOf, MapOf, Struct, Type, struct_of

_NOTHING: Mapping[str, Any] = {}


def make_patch(
    kind: Kind, live: Object, wanted: Object, last: Object | None = None, *, api_version: str = ""
) -> Object:
    """A patch that makes of an object what is wanted, and leaves the rest of it alone.

    It holds no more than what differs, so that it also applies to an object that others have
    changed elsewhere in the meantime.

    Args:
        live: without nulls.
        wanted: the object as it is to be, or of a manifest, what it is to say; what is null there
            goes. A list of scalars that merges has none of them twice.
        last: the earlier manifest, of which goes what `wanted` doesn't say any more; if None, all
            of `live` that isn't wanted goes.
        api_version: their version, where the kind is served in several; empty for its own.

    Raises:
        RefusedError: an entry of a list lacks the field by which entries are found again.
    """
    of = struct_of(api_version or kind.api_version, kind.name)
    return _between(live if last is None else last, live, wanted, of)


def _between(last: Any, live: Object, wanted: Object, of: Type | None) -> dict[str, Any]:
    last = last if isinstance(last, dict) else _NOTHING
    patch: dict[str, Any] = {name: None for name in last if name in live and name not in wanted}
    for name, new in wanted.items():
        if name not in live:
            patch |= {} if new is None else {name: new}
        elif live[name] != new:
            patch |= _change(name, last.get(name), live[name], new, of)
    return patch


def _change(name: str, last: Any, old: Any, new: Any, of: Type | None) -> dict[str, Any]:
    field = of.fields.get(name) if isinstance(of, Struct) else None
    part = field.type if field is not None else of.values if isinstance(of, MapOf) else None
    if (field is not None and field.replaces) or type(old) is not type(new):
        return {name: new}
    if isinstance(new, dict):
        patch = _chosen(_between(last, old, new, part), new, field)
        return {name: patch} if patch else {}
    if not isinstance(part, ListOf) or not part.merges:
        return {name: new}
    if part.merge_key:
        return _entries(name, last, old, new, part)
    added = [value for value in new if value not in old]
    gone = [value for value in last or () if value in old and value not in new]
    changes = {name: added, strategic.DELETE_PREFIX + name: gone}
    return {
        strategic.ORDER_PREFIX + name: new,
        **{key: found for key, found in changes.items() if found},
    }


def _chosen(
    patch: dict[str, Any], new: Object, of: Field | ListOf | None, key: str = ""
) -> dict[str, Any]:
    """The patch of one alternative of several, which has to take the other ones away."""
    if not patch or of is None or not of.retain_keys:
        return patch
    kept = sorted({*(name for name, value in new.items() if value is not None), key} - {""})
    return {**patch, strategic.RETAIN_KEYS: kept}


def _entries(
    name: str, last: Any, old: Sequence[Any], new: Sequence[Any], of: ListOf
) -> dict[str, Any]:
    key = of.merge_key
    earlier = {entry.get(key): entry for entry in last or () if isinstance(entry, dict)}
    before = {strategic.merge_key_of(entry, key): entry for entry in old}
    after = {strategic.merge_key_of(entry, key): entry for entry in new}
    if len(before) < len(old) or len(after) < len(new):
        # What has the same key twice can't be told apart.
        return {name: [{strategic.PATCH: "replace"}, *new]}
    gone = [
        {strategic.PATCH: "delete", key: value}
        for value in earlier
        if value in before and value not in after
    ]
    changed = []
    for value, entry in after.items():
        if value not in before:
            changed.append(entry)
        elif before[value] != entry:
            patch = _between(earlier.get(value), before[value], entry, of.items)
            if patch:
                changed.append({key: value, **_chosen(patch, entry, of, key)})
    if not changed and not gone and [one for one in before if one in after] == [*after]:
        return {}
    return {
        strategic.ORDER_PREFIX + name: [{key: value} for value in after],
        name: [*changed, *gone],
    }
