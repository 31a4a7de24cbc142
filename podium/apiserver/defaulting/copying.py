"""Filling in without touching: where nothing is missing, the same object comes back."""

from collections.abc import Callable
from typing import Any

from podium.api.objects import Object

Filler = Callable[[Any], Any]

_ABSENT = (None, "")


def filled(obj: Object, **defaults: Any) -> Object:
    """The object with these fields where it has none, or an empty text."""
    missing = {name: value for name, value in defaults.items() if obj.get(name) in _ABSENT}
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


def each(filler: Filler) -> Filler:
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
