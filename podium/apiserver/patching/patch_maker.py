"""Strategic merge patches that turn one object into another, or apply a manifest.

As with kubectl, a manifest sets its fields, removes fields that only the earlier manifest had, and
leaves all other fields unchanged.
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
    """Return the smallest patch that turns an object into the wanted one.

    It can also be applied if the object has been changed in the meantime.

    Args:
        live: the object, without nulls.
        wanted: the wanted object, or a manifest; null removes a field. A merged list of scalars
            has no duplicates.
        last: the earlier manifest, whose fields are removed unless wanted; None to remove all
            fields of `live` that aren't wanted.
        api_version: version of the objects; empty for the kind's own.

    Raises:
        RefusedError: an entry of a list lacks the merge key.
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
        **{key: values for key, values in changes.items() if values},
    }


def _chosen(
    patch: dict[str, Any], new: Object, of: Field | ListOf | None, key: str = ""
) -> dict[str, Any]:
    """Return a patch that also removes the unset alternatives of a union (`$retainKeys`)."""
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
        # Entries with the same key can't be merged one by one.
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
    if not changed and not gone and [value for value in before if value in after] == [*after]:
        return {}
    return {
        strategic.ORDER_PREFIX + name: [{key: value} for value in after],
        name: [*changed, *gone],
    }
