"""Defaults of fields, as in v1.36's `SetDefaults` functions.

A filler is a function that returns an object with defaults, or the object itself if it lacks none.
Fields whose absence has a meaning stay absent, as in kube-apiserver: for example, node inclusion
policies and minDomains of a topology spread constraint.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec

from podium.api.objects import Object, without
from podium.api.values.quantity import NANOS_PER_MILLI, Quantity, parse_quantity
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.schema.model import ListOf, MapOf, Struct, Type

Filler = Callable[[Any], Any]

_ABSENT = (None, "")


def nothing_new(obj: Any) -> Any:
    """Filler that returns the object itself."""
    return obj


def filled(obj: Object, **defaults: Any) -> Object:
    """Return an object with defaults for fields that are absent or an empty string."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) in _ABSENT}
    return {**obj, **missing} if missing else obj


def filled_where_absent(obj: Object, **defaults: Any) -> Object:
    """Return an object with defaults for absent fields; an empty string counts as a value."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) is None}
    return {**obj, **missing} if missing else obj


def with_field(obj: Object, name: str, value: Any) -> Object:
    """Return an object with a field set; the object itself if the field is the identical value."""
    return obj if obj.get(name) is value else {**obj, name: value}


def inside(obj: Object, **fillers: Filler) -> Object:
    """Apply fillers to fields of an object, given by name; absent fields stay absent."""
    for name, filler in fillers.items():
        value = obj.get(name)
        if value is not None:
            obj = with_field(obj, name, filler(value))
    return obj


def every(filler: Filler) -> Filler:
    """Return a filler of lists that applies a filler to all entries."""

    def fill_all(entries: list[Any]) -> list[Any]:
        new = [filler(entry) for entry in entries]
        unchanged = all(old is fresh for old, fresh in zip(entries, new, strict=True))
        return entries if unchanged else new

    return fill_all


DEFAULTS: dict[str, Filler] = {}
"""Fillers by type, such as `core.PodSpec`, for defaults that depend on several fields.

The schema marks these types; its own defaults are filled in first.
"""

_OWN: dict[str, tuple[str, ...]] = {}


def defaults_of(*types: str, remembered_but: str = "") -> Callable[[Filler], Filler]:
    """Return a decorator that registers a filler for types, such as `core.PodSpec`.

    Results are cached, schema defaults included, by the value without the field `remembered_but`.
    """

    def declare(filler: Filler) -> Filler:
        for name in types:
            DEFAULTS[name] = filler
            if remembered_but:
                _OWN[name] = (remembered_but,)
        return filler

    return declare


def filled_by_schema(value: Any, of: Type) -> Any:
    """Return a value with all defaults of its type, and of the types of its fields."""
    if isinstance(of, ListOf) and isinstance(value, list):
        return every(partial(filled_by_schema, of=of.items))(value)
    if isinstance(of, MapOf) and isinstance(value, dict):
        each: Filler = _to_thousandths if of.is_rounded else partial(filled_by_schema, of=of.values)
        return inside(value, **dict.fromkeys(value, each))
    if not isinstance(of, Struct) or not isinstance(value, dict):
        return value
    return _filler(of)(value) if of.has_defaults else _filled_fields(value, of)


@cache
def _filler(of: Struct) -> Filler:
    name = f"{of.family}.{of.name}"
    filler = DEFAULTS[name]

    def fill(value: Object) -> Any:
        return filler(_filled_fields(value, of))

    return remembered(fill, *_OWN[name]) if name in _OWN else fill


def _filled_fields(value: Object, of: Struct) -> Object:
    changes: dict[str, Any] = {}
    for name, field in of.fills.items():
        before: Any = value.get(name)
        fill: Any = field.fill
        found = before
        if field.fill_if:
            other, expected = field.fill_if
            if changes.get(other, value.get(other)) != expected:
                fill = msgspec.UNSET
        # An empty value of a field that can't be absent is as good as none.
        if before is None or not (before or field.keeps_zero):
            found = before if fill is msgspec.UNSET else fill
        elif isinstance(fill, dict):
            found = filled_where_absent(before, **fill)
        if isinstance(found, (dict, list)):
            found = filled_by_schema(found, field.type)
        if found is not before:
            changes[name] = found
    return {**value, **changes} if changes else value


def _to_thousandths(raw: Any) -> Any:
    amount = parse_quantity(raw)
    rest = amount.nanos % NANOS_PER_MILLI
    if not rest:
        return raw
    return str(Quantity(amount.nanos - rest + NANOS_PER_MILLI, amount.format))


def remembered(filler: Filler, *own: str) -> Filler:
    """Return a filler that caches the results of another one, without the fields `own`.

    Pods of one workload are created with equal specs, and objects are never modified in place. A
    value that lacks no defaults is returned itself.
    """
    known = Memory[Any]()

    def fill(value: Any) -> Any:
        kept = [field for field in own if field in value]
        shared = without(value, *kept) if kept else value
        key = key_of(shared)
        if key is None:
            return filler(value)
        if key not in known:
            filled = filler(shared)
            known.put(key, None if filled is shared else filled)
        found = known[key]
        if found is None:
            return value
        return {**value, **found} if kept else found

    return fill
