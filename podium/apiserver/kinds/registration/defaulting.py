"""The words that defaults are written in; where nothing is missing, the same object comes back.

Defaults are those of v1.36's `SetDefaults` functions. Fields whose absence has a meaning of its own
stay absent, there as here: of a topology spread constraint the node inclusion policies and
minDomains, for example.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from podium.api.objects import Object, without
from podium.api.values.quantity import NANOS_PER_MILLI, Quantity, parse_quantity
from podium.apiserver.schema import ListOf, MapOf, Struct, Type

Filler = Callable[[Any], Any]

_ABSENT = (None, "")


def nothing_new(obj: Any) -> Any:
    """Fill in nothing."""
    return obj


def filled(obj: Object, **defaults: Any) -> Object:
    """The object with these fields where it has none, or an empty text."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) in _ABSENT}
    return {**obj, **missing} if missing else obj


def filled_where_absent(obj: Object, **defaults: Any) -> Object:
    """The object with these fields where it has none; an empty text is the author's own."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) is None}
    return {**obj, **missing} if missing else obj


def with_field(obj: Object, name: str, value: Any) -> Object:
    """The object with the field set; the same object if the field is that value already."""
    return obj if obj.get(name) is value else {**obj, name: value}


def inside(obj: Object, **fillers: Filler) -> Object:
    """The object with these fields passed through the fillers, where it has them."""
    for name, filler in fillers.items():
        found = obj.get(name)
        if found is not None:
            obj = with_field(obj, name, filler(found))
    return obj


def every(filler: Filler) -> Filler:
    """The filler, for all entries of a list."""

    def fill_all(entries: list[Any]) -> list[Any]:
        new = [filler(entry) for entry in entries]
        unchanged = all(old is fresh for old, fresh in zip(entries, new, strict=True))
        return entries if unchanged else new

    return fill_all


def each_value(filler: Filler) -> Filler:
    """The filler, for all values of a map."""

    def fill_all(values: Object) -> Object:
        return inside(values, **dict.fromkeys(values, filler))

    return fill_all


def filled_by_schema(value: Any, of: Type) -> Any:
    """A value of a type with the defaults that the schema names."""
    if isinstance(of, ListOf) and isinstance(value, list):
        return every(lambda entry: filled_by_schema(entry, of.items))(value)
    if isinstance(of, MapOf) and isinstance(value, dict):
        return each_value(lambda entry: filled_by_schema(entry, of.values))(value)
    if not isinstance(of, Struct) or not isinstance(value, dict):
        return value
    changes: dict[str, Any] = {}
    for name, field in of.fills.items():
        before, fill = value.get(name), field.fill
        found = before
        # An empty value of a field that can't be absent is as good as none.
        if before is None or not (before or field.keeps_zero):
            found = before if fill is msgspec.UNSET else fill
        elif isinstance(fill, dict):
            found = filled_where_absent(before, **fill)
        if isinstance(found, dict | list):
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


amounts = each_value(_to_thousandths)
"""A resource list, stored with no finer amounts than thousandths."""


def requirements(resources: Object) -> Object:
    """The `resources` of a container or a pod, rounded."""
    return inside(resources, limits=amounts, requests=amounts)


# Distinct values that one filler remembers before it starts afresh.
CAPACITY = 1 << 12
# Larger values (in bytes, encoded) are filled each time, so that nobody can fill the memory.
SIZE_MAX = 1 << 13


def remembered(filler: Filler, *own: str) -> Filler:
    """The same filler, which fills equal values only once; they share what is filled in.

    Pods of one workload are created with equal specs, and nothing is ever changed in place. A value
    in which nothing is missing still comes back.

    Args:
        own: fields in which equals may differ, as the filler doesn't look at them.
    """
    known: dict[bytes, Any] = {}

    def fill(value: Any) -> Any:
        kept = [field for field in own if field in value]
        shared = without(value, *kept) if kept else value
        try:
            key = msgspec.msgpack.encode(shared)
        except (OverflowError, ValueError):
            # An integer beyond 64 bits, or text that isn't Unicode: no key, so no memory.
            return filler(value)
        if len(key) > SIZE_MAX:
            return filler(value)
        if key not in known:
            if len(known) >= CAPACITY:
                known.clear()
            filled = filler(shared)
            known[key] = None if filled is shared else filled
        found = known[key]
        if found is None:
            return value
        return {**value, **found} if kept else found

    return fill
