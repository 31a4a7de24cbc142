"""Strategic merge patches: JSON merge patches that know which lists are merged, and by which key.

Besides values a patch may hold directives, as kubectl sends them: `$patch` (`replace`, `delete`,
`merge`), `$retainKeys`, `$setElementOrder/LIST` and `$deleteFromPrimitiveList/LIST`. What isn't in
the schema is merged like a JSON merge patch.

Nothing is changed in place, and what a patch doesn't touch is shared with the object. Statuses are
written this way, so that a patch without directives takes a short way through.

Source: apimachinery's `strategicpatch` package of v1.36.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from podium.api.errors import quoted
from podium.api.objects import Object
from podium.api.refused import RefusedError
from podium.apiserver.decoding.type_checker import unexpected
from podium.apiserver.refusals import bad_request, internal
from podium.apiserver.schema import ListOf, MapOf, Struct, Type

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ORDER_PREFIX = "$setElementOrder/"
DELETE_PREFIX = "$deleteFromPrimitiveList/"

_NESTED = (dict, list)
_REPLACE, _DELETE, _MERGE = "replace", "delete", "merge"
_BAD_RETAIN_KEYS = "invalid patch format of retainKeys"
_GENERIC = "the server rejected our request due to an error in our request"


def merged_object(live: Object, patch: Object, of: Type | None) -> Object:
    """The object with a patch merged into it.

    Args:
        of: the type of both; None if it isn't known.

    Raises:
        RefusedError: the patch contradicts itself, or an entry of a list lacks the key of the list.
    """
    for name in patch:
        if name[:1] == "$":
            return _directed(live, patch, of)
    return _merged(live, patch, of)


def _merged(live: Object, patch: Object, of: Type | None) -> Object:
    """The object with a patch without directives of its own merged into it."""
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
    """What becomes of a field; None if nothing is left of it."""
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
    """The list with the entries of a patch merged into it; those new to it come first.

    Raises:
        RefusedError: see `merged_object`.
    """
    if not patch:
        return live
    key = of.merge_key
    if not isinstance(patch[0], dict):
        return _merged_scalars(live, patch)
    if not key:
        raise internal(f"cannot merge lists without merge key: {quoted(patch)}")
    if len(patch) == 1 and PATCH not in patch[0]:
        return _with_entry(live, patch[0], of)
    _check_alike(live, patch)
    kept, wanted = _after_directives(live, patch, key)
    merged = list(kept)
    places = {entry.get(key): at for at, entry in reversed([*enumerate(kept)])}
    # Where all stay in their places, there is no order to find.
    stays, last = len(places) == len(kept) and None not in places, -1
    for entry in wanted:
        value = merge_key_of(entry, key)
        at = places.setdefault(value, len(merged))
        stays, last = stays and last < at < len(kept), at
        if at == len(merged):
            merged.append(_bare(entry))
        else:
            merged[at] = merged_object(merged[at], entry, of.items)
    return merged if stays else in_order(merged, wanted, kept, key)


def _with_entry(live: Sequence[Any], entry: Object, of: ListOf) -> Sequence[Any]:
    key = of.merge_key
    at = _place(live, key, merge_key_of(entry, key))
    if at is None:
        return [_bare(entry), *live]
    merged = merged_object(live[at], entry, of.items)
    return live if merged is live[at] else [*live[:at], merged, *live[at + 1 :]]


def _place(entries: Sequence[Any], key: str, value: Any) -> int | None:
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise internal(f"value for key {at} is not a map.")
        if entry.get(key) == value:
            return at
    return None


def _after_directives(
    live: Sequence[Any], patch: Sequence[Any], key: str
) -> tuple[list[Any], list[Any]]:
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
        return [_bare(entry) for entry in wanted], []
    return [one for one in live if one.get(key) not in gone], wanted


def _merged_scalars(live: Sequence[Any], patch: Sequence[Any]) -> Sequence[Any]:
    """A list of scalars with others added to it; each stands in it once."""
    _check_alike(live, patch)
    return in_order(list(dict.fromkeys([*live, *patch])), patch, live, "")


def _check_alike(live: Sequence[Any], patch: Sequence[Any]) -> None:
    kinds = {type(entry) for entry in (*live, *patch)}
    if list in kinds:
        raise RefusedError(422, "Invalid", _GENERIC)
    if len(kinds) > 1:
        raise internal(f"list element types are not identical: {quoted([*live, *patch])}")


def _directed(live: Object, patch: Object, of: Type | None) -> Object:
    """The object with a patch that has directives merged into it."""
    directive = patch.get(PATCH)
    if directive is not None:
        return _as_directed(directive, patch)
    live = _retained(live, patch)
    rest = {name: value for name, value in patch.items() if name != RETAIN_KEYS}
    for name in [name for name in rest if name.startswith(ORDER_PREFIX)]:
        live = _reordered(live, rest, name, of)
        rest.pop(name)
        rest.pop(name.removeprefix(ORDER_PREFIX), None)
    for name in [name for name in rest if name.startswith(DELETE_PREFIX)]:
        live = _with_deletions(live, name.removeprefix(DELETE_PREFIX), rest.pop(name))
    return _merged(live, rest, of)


def _as_directed(directive: Any, patch: Object) -> Object:
    if directive == _REPLACE:
        return {name: value for name, value in patch.items() if name != PATCH}
    if directive == _DELETE:
        return {}
    raise _unknown_directive(directive, patch)


def _unknown_directive(directive: Any, patch: Object) -> RefusedError:
    return internal(f"unknown patch type: {quoted(directive)} in {quoted(patch)}")


def _retained(live: Object, patch: Object) -> Object:
    """The object without the fields that `$retainKeys` doesn't name."""
    if RETAIN_KEYS not in patch:
        return live
    names = patch[RETAIN_KEYS]
    if not isinstance(names, list):
        raise bad_request(_BAD_RETAIN_KEYS)
    known = {name for name in names if isinstance(name, str)}
    for name, value in patch.items():
        if value is not None and not name.startswith("$") and name not in known:
            raise RefusedError(422, "Invalid", _GENERIC)
    return {name: value for name, value in live.items() if name in known}


def _with_deletions(live: Object, name: str, gone: Any) -> Object:
    entries = live.get(name)
    if not isinstance(entries, list) or not isinstance(gone, list):
        return live
    texts = {quoted(entry) for entry in gone}
    return {**live, name: [entry for entry in entries if quoted(entry) not in texts]}


def _reordered(live: Object, patch: Object, directive: str, of: Type | None) -> Object:
    """The object with one of its lists merged, and put into the order that a directive gives."""
    name, order = directive.removeprefix(ORDER_PREFIX), patch[directive]
    old, new = live.get(name), patch.get(name)
    for one in (order, *(found for found in (old, new) if found is not None)):
        if not isinstance(one, list):
            raise internal(f"{directive}: {unexpected(one, 'a list')}")
    field = of.fields.get(name) if isinstance(of, Struct) else None
    part = field.type if field is not None else None
    key = part.merge_key if isinstance(part, ListOf) else ""
    _check_order(new or [], order, key)
    if new is None:
        if old is None:
            return live
        merged = old
    elif old is None:
        merged = _bare(new)
    else:
        merged = _merged_part(name, old, new, of)
    return {**live, name: in_order(merged, order, old or [], key)}


def _check_order(patch: Sequence[Any], order: Sequence[Any], key: str) -> None:
    """The entries of a patch must stand in it as in the order that it gives, and all be there."""
    entries = [one for one in patch if not (isinstance(one, dict) and PATCH in one)]
    if not entries or not order:
        return
    wanted = iter([merge_key_of(one, key) for one in order])
    if not all(merge_key_of(entry, key) in wanted for entry in entries):
        what = "The order in patch list doesn't match $setElementOrder list"
        raise internal(f"{what}: {quoted(patch)}, {quoted(order)}")


def _bare(value: Any) -> Any:
    """What a patch brings where nothing was: without nulls, directives and what they mark.

    None if the value is itself marked by a directive.
    """
    if isinstance(value, dict):
        if PATCH in value:
            return None
        bare = {}
        for name, one in value.items():
            part = _bare(one) if isinstance(one, _NESTED) else one
            if part is not None and name[:1] != "$":
                bare[name] = part
        return bare
    if isinstance(value, list):
        return [_bare(one) for one in value if not (isinstance(one, dict) and PATCH in one)]
    return value


def merge_key_of(entry: Any, key: str) -> Any:
    """By what an entry is found again: its field of that name, or itself if it is a scalar.

    Raises:
        RefusedError: it has no such field.
    """
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
    """The entries of a merged list, in order.

    Args:
        merged: all entries that the list is to have.
        wanted: entries in the order that a patch gives; they may be no more than their keys.
        key: the field by which entries are found again; empty for scalars.
    """
    wanted_place = _places(wanted, key)
    old_place = _places(before, key)
    keyed = [(merge_key_of(entry, key), entry) for entry in merged]
    named = [(wanted_place[k], k, entry) for k, entry in keyed if k in wanted_place]
    others = [
        (old_place.get(k, len(before)), k, entry) for k, entry in keyed if k not in wanted_place
    ]
    named.sort(key=_first)
    others.sort(key=_first)
    return _interleaved(
        [(old_place.get(k), entry) for _, k, entry in named],
        [(old_place.get(k), entry) for _, k, entry in others],
    )


_first = itemgetter(0)


_Placed = tuple[int | None, Any]
"""An entry after the place that it had in the list before, if it had one."""


def _interleaved(named: Sequence[_Placed], others: Sequence[_Placed]) -> list[Any]:
    """Both in one list; of two that had a place, the earlier one comes first."""
    ordered: list[Any] = []
    at = 0
    for place, entry in named:
        while place is not None and at < len(others):
            other_place, other = others[at]
            if other_place is None or other_place >= place:
                break
            ordered.append(other)
            at += 1
        ordered.append(entry)
    return [*ordered, *(entry for _, entry in others[at:])]


def _places(entries: Sequence[Any], key: str) -> dict[Any, int]:
    places: dict[Any, int] = {}
    for place, entry in enumerate(entries):
        places.setdefault(merge_key_of(entry, key), place)
    return places
