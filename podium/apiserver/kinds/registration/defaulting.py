"""Defaults of fields, as v1.36's `SetDefaults` functions fill them in.

Fillers return the given object itself if nothing is missing. Fields that mean something else by
their absence stay absent, as in kube-apiserver: the node inclusion policies and minDomains of a
topology spread constraint, for example.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec

from podium.api.objects import Object, without
from podium.api.values.quantity import NANOS_PER_MILLI, Quantity, parse_quantity
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.schema import ListOf, MapOf, Struct, Type

Filler = Callable[[Any], Any]

_ABSENT = (None, "")


def nothing_new(obj: Any) -> Any:
    """Return the object as it is."""
    return obj


def filled(obj: Object, **defaults: Any) -> Object:
    """Set fields of an object that are absent or an empty text."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) in _ABSENT}
    return {**obj, **missing} if missing else obj


def filled_where_absent(obj: Object, **defaults: Any) -> Object:
    """Set fields of an object that are absent; an empty text counts as a value."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) is None}
    return {**obj, **missing} if missing else obj


def with_field(obj: Object, name: str, value: Any) -> Object:
    """Set a field of an object, unless it has that very value already."""
    return obj if obj.get(name) is value else {**obj, name: value}


def inside(obj: Object, **fillers: Filler) -> Object:
    """Apply fillers to the fields of these names that the object has."""
    for name, filler in fillers.items():
        value = obj.get(name)
        if value is not None:
            obj = with_field(obj, name, filler(value))
    return obj


def every(filler: Filler) -> Filler:
    """Make a filler of lists from a filler of their entries."""

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
    """Register a function as the filler of some types.

    Args:
        remembered_but: fill values that are equal but for this field only once, defaults of the
            schema included; the field itself needs no defaults.
    """

    def declare(filler: Filler) -> Filler:
        for name in types:
            DEFAULTS[name] = filler
            if remembered_but:
                _OWN[name] = (remembered_but,)
        return filler

    return declare


def filled_by_schema(value: Any, of: Type) -> Any:
    """Fill in all defaults of a type, and of the types of its fields."""
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
    """Make a filler fill equal values only once; they share what is filled in.

    Pods of one workload are created with equal specs, and objects are never changed in place. A
    value in which nothing is missing is returned itself.

    Args:
        own: fields that the filler ignores, in which otherwise equal values may differ.
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
