"""Strategic merge patches: JSON merge patches that merge lists by the keys in the schema.

`make_patch` makes such a patch; as with kubectl, a manifest sets its fields, removes fields that
only the earlier manifest had, and leaves all other fields unchanged.

A patch may have kubectl's directives: `$patch` (`replace`, `delete`, `merge`), `$retainKeys`,
`$setElementOrder/LIST` and `$deleteFromPrimitiveList/LIST`. Fields that aren't in the schema are
merged as in a JSON merge patch. Unchanged parts are shared. Patches without directives have a fast
path, as statuses are written by them.

Source: apimachinery's `strategicpatch` package of v1.36.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.errors import RefusedError, quoted
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.decoding.type_checker import unexpected
from podium.apiserver.refusals import bad_request, inapplicable, internal
from podium.apiserver.schema.model import Field, ListOf, MapOf, Struct, Type
from podium.apiserver.schema.struct_types import struct_of

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ORDER_PREFIX = "$setElementOrder/"
DELETE_PREFIX = "$deleteFromPrimitiveList/"

_NESTED = (dict, list)
_REPLACE, _DELETE, _MERGE = "replace", "delete", "merge"
_BAD_RETAIN_KEYS = "invalid patch format of retainKeys"


def merged_object(live: Object, patch: Object, of: Type | None) -> Object:
    """Merge a patch into an object; its type may be None if unknown; raises RefusedError."""
    for name in patch:
        if name[:1] == "$":
            return _directed(live, patch, of)
    return _merged(live, patch, of)


def _merged(live: Object, patch: Object, of: Type | None) -> Object:
    merged: dict[str, Any] | None = None
    for name, value in patch.items():
        old = live.get(name)
        if isinstance(value, _NESTED):
            value = _merged_part(name, old, value, of)
        if value is None and name not in live:
            continue
        if value is not None and (value is old or (isinstance(value, str) and value == old)):
            continue
        merged = dict(live) if merged is None else merged
        if value is None:
            del merged[name]
        else:
            merged[name] = value
    return live if merged is None else merged


def _merged_part(name: str, old: Any, new: Any, of: Type | None) -> Any:
    if type(old) is not type(new):
        return _bare(new)
    part = of.values if isinstance(of, MapOf) else None
    if isinstance(of, Struct):
        field = of.fields.get(name)
        if field is not None:
            if field.replaces:
                return _bare(new)
            part = field.type
    if isinstance(new, dict):
        return merged_object(old, new, part)
    if isinstance(part, ListOf) and part.merges:
        return merged_list(old, new, part)
    return _bare(new)


def merged_list(live: Sequence[Any], patch: Sequence[Any], of: ListOf) -> Sequence[Any]:
    """Merge the entries of a patch into a list; new entries precede others; raises RefusedError."""
    if not patch:
        return live
    key = of.merge_key
    if not isinstance(patch[0], dict):
        _check_alike(live, patch)
        return in_order(list(dict.fromkeys([*live, *patch])), patch, live, "")
    if not key:
        raise internal(f"cannot merge lists without merge key: {quoted(patch)}")
    if len(patch) == 1 and PATCH not in patch[0]:
        # A short way for patches of statuses: a single entry needs no ordering.
        wanted_key = merge_key_of(patch[0], key)
        for at, entry in enumerate(live):
            if not isinstance(entry, dict):
                raise internal(f"value for key {at} is not a map.")
            if entry.get(key) == wanted_key:
                new = merged_object(entry, patch[0], of.items)
                return live if new is entry else [*live[:at], new, *live[at + 1 :]]
        return [_bare(patch[0]), *live]
    _check_alike(live, patch)
    wanted, gone, replaces = [], set(), False
    for entry in patch:
        directive = entry.get(PATCH)
        if directive is None:
            wanted.append(entry)
        elif directive == _DELETE:
            gone.add(merge_key_of(entry, key))
        elif directive == _REPLACE:
            replaces = True
        elif directive == _MERGE:
            raise internal("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(directive, entry)
    if replaces:
        return [_bare(entry) for entry in wanted]
    kept = [entry for entry in live if entry.get(key) not in gone]
    merged = list(kept)
    places = {entry.get(key): at for at, entry in reversed([*enumerate(kept)])}
    # If all entries keep their places, the list needs no ordering.
    stays, last = len(places) == len(kept) and None not in places, -1
    for entry in wanted:
        at = places.setdefault(merge_key_of(entry, key), len(merged))
        stays, last = stays and last < at < len(kept), at
        if at == len(merged):
            merged.append(_bare(entry))
        else:
            merged[at] = merged_object(merged[at], entry, of.items)
    return merged if stays else in_order(merged, wanted, kept, key)


def _check_alike(live: Sequence[Any], patch: Sequence[Any]) -> None:
    kinds = {type(entry) for entry in (*live, *patch)}
    if list in kinds:
        raise inapplicable()
    if len(kinds) > 1:
        raise internal(f"list element types are not identical: {quoted([*live, *patch])}")


def _directed(live: Object, patch: Object, of: Type | None) -> Object:
    directive = patch.get(PATCH)
    if directive == _REPLACE:
        return {name: value for name, value in patch.items() if name != PATCH}
    if directive == _DELETE:
        return {}
    if directive is not None:
        raise _unknown_directive(directive, patch)
    rest = dict(patch)
    if RETAIN_KEYS in patch:
        retained = rest.pop(RETAIN_KEYS)
        if not isinstance(retained, list):
            raise bad_request(_BAD_RETAIN_KEYS)
        known = {name for name in retained if isinstance(name, str)}
        for name, value in patch.items():
            if value is not None and not name.startswith("$") and name not in known:
                raise inapplicable()
        live = {name: value for name, value in live.items() if name in known}
    for name in [name for name in rest if name.startswith(ORDER_PREFIX)]:
        live = _reordered(live, rest, name, of)
        rest.pop(name)
        rest.pop(name.removeprefix(ORDER_PREFIX), None)
    for directive in [name for name in rest if name.startswith(DELETE_PREFIX)]:
        name, gone = directive.removeprefix(DELETE_PREFIX), rest.pop(directive)
        if isinstance(live.get(name), list) and isinstance(gone, list):
            texts = {quoted(entry) for entry in gone}
            live = {**live, name: [entry for entry in live[name] if quoted(entry) not in texts]}
    return _merged(live, rest, of)


def _unknown_directive(directive: Any, patch: Object) -> RefusedError:
    return internal(f"unknown patch type: {quoted(directive)} in {quoted(patch)}")


def _reordered(live: Object, patch: Object, directive: str, of: Type | None) -> Object:
    name, order = directive.removeprefix(ORDER_PREFIX), patch[directive]
    old, new = live.get(name), patch.get(name)
    for value in (order, *(given for given in (old, new) if given is not None)):
        if not isinstance(value, list):
            raise internal(f"{directive}: {unexpected(value, 'a list')}")
    field = of.fields.get(name) if isinstance(of, Struct) else None
    part = field.type if field is not None else None
    key = part.merge_key if isinstance(part, ListOf) else ""
    entries = [entry for entry in new or () if not (isinstance(entry, dict) and PATCH in entry)]
    if entries and order:
        # The entries of a patch must be in the given order, and all in it.
        given = iter([merge_key_of(entry, key) for entry in order])
        if not all(merge_key_of(entry, key) in given for entry in entries):
            what = "The order in patch list doesn't match $setElementOrder list"
            raise internal(f"{what}: {quoted(new)}, {quoted(order)}")
    if new is None:
        if old is None:
            return live
        merged = old
    elif old is None:
        merged = _bare(new)
    else:
        merged = _merged_part(name, old, new, of)
    return {**live, name: in_order(merged, order, old or [], key)}


def _bare(value: Any) -> Any:
    """Return a patch's value without nulls, directives and values that have a directive.

    None if the value itself has a directive.
    """
    if isinstance(value, dict):
        if PATCH in value:
            return None
        bare = {}
        for name, part in value.items():
            bare_part = _bare(part) if isinstance(part, _NESTED) else part
            if bare_part is not None and name[:1] != "$":
                bare[name] = bare_part
        return bare
    if isinstance(value, list):
        entries = (entry for entry in value if not (isinstance(entry, dict) and PATCH in entry))
        return [_bare(entry) for entry in entries]
    return value


def merge_key_of(entry: Any, key: str) -> Any:
    """Return the merge key's value of an entry, or a scalar entry itself; raises RefusedError."""
    value = entry
    if key:
        if not isinstance(entry, dict):
            raise internal(unexpected(entry, f"an object with {key}"))
        if key not in entry:
            raise internal(f"{quoted(entry)} does not contain declared merge key: {key}")
        value = entry[key]
    if isinstance(value, dict | list):
        raise internal(f"{quoted(value)} can't be compared with others")
    return value


def in_order(
    merged: Sequence[Any], wanted: Sequence[Any], before: Sequence[Any], key: str
) -> list[Any]:
    """Sort the entries of a merged list by the order of `wanted`; scalars have no `key`."""
    wanted_place = _places(wanted, key)
    old_place = _places(before, key)
    keyed = [(merge_key_of(entry, key), entry) for entry in merged]
    named = [item for item in keyed if item[0] in wanted_place]
    named.sort(key=lambda item: wanted_place[item[0]])
    rest = [item for item in keyed if item[0] not in wanted_place]
    # New entries come last.
    rest.sort(key=lambda item: old_place.get(item[0], len(before)))
    others = deque(rest)
    ordered: list[Any] = []
    for value, entry in named:
        # Of two entries with former places, the earlier one comes first.
        place = old_place.get(value, -1)
        while others and old_place.get(others[0][0], len(before)) < place:
            ordered.append(others.popleft()[1])
        ordered.append(entry)
    return [*ordered, *(entry for _, entry in others)]


def _places(entries: Sequence[Any], key: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, entry in enumerate(entries):
        places.setdefault(merge_key_of(entry, key), place)
    return places


_NOTHING: Mapping[str, Any] = {}


def make_patch(
    kind: Kind, live: Object, wanted: Object, last: Object | None = None, *, api_version: str = ""
) -> Object:
    """Return the smallest patch that turns an object into the wanted one; raises RefusedError.

    It can also be applied if the object has been changed in the meantime.

    Args:
        live: the object, without nulls.
        wanted: the wanted object, or a manifest; null removes a field. A merged list of scalars
            has no duplicates.
        last: the earlier manifest, whose fields are removed unless wanted; None to remove all
            fields of `live` that aren't wanted.
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
    changes = {name: added, DELETE_PREFIX + name: gone}
    return {ORDER_PREFIX + name: new, **{key: values for key, values in changes.items() if values}}


def _chosen(
    patch: dict[str, Any], new: Object, of: Field | ListOf | None, key: str = ""
) -> dict[str, Any]:
    """Return a patch that also removes the unset alternatives of a union (`$retainKeys`)."""
    if not patch or of is None or not of.retain_keys:
        return patch
    kept = sorted({*(name for name, value in new.items() if value is not None), key} - {""})
    return {**patch, RETAIN_KEYS: kept}


def _entries(
    name: str, last: Any, old: Sequence[Any], new: Sequence[Any], of: ListOf
) -> dict[str, Any]:
    key = of.merge_key
    earlier = {entry.get(key): entry for entry in last or () if isinstance(entry, dict)}
    before = {merge_key_of(entry, key): entry for entry in old}
    after = {merge_key_of(entry, key): entry for entry in new}
    if len(before) < len(old) or len(after) < len(new):
        # Entries with the same key can't be merged one by one.
        return {name: [{PATCH: "replace"}, *new]}
    gone = [
        {PATCH: "delete", key: value} for value in earlier if value in before and value not in after
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
    return {ORDER_PREFIX + name: [{key: value} for value in after], name: [*changed, *gone]}
