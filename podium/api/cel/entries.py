"""Entries of maps, elements of lists, and what optional values have."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.api.cel.syntax import UInt
from podium.api.cel.values import ABSENT, CelError, OptionalValue, no_such_overload, type_of


def has_entry(value: Any, field: str) -> bool:
    """Return whether a map, or the map that an optional has, has an entry; raises CelError."""
    if isinstance(value, OptionalValue):
        return value.is_present and has_entry(value.value, field)
    if not isinstance(value, Mapping):
        raise no_such_overload()
    return field in value or hasattr(value, "__missing__")


def optional_entry(value: Any, key: Any) -> OptionalValue:
    """Return the entry of a map or list, or of what an optional has; absent if there is none.

    Raises:
        CelError: a value that isn't optional has no entries.
    """
    if isinstance(value, OptionalValue):
        if not (value.is_present and isinstance(value.value, Mapping | list | tuple)):
            return ABSENT
        value = value.value
    try:
        return OptionalValue(True, entry_of(value, key))
    except CelError:
        if isinstance(value, Mapping | list | tuple):
            return ABSENT
        raise


def entry_of(value: Any, key: Any) -> Any:
    """Return the entry of a map or list; raises CelError if there is none.

    That of an optional is optional.
    """
    if isinstance(value, Mapping):
        try:
            return value[key]
        except (KeyError, TypeError):
            raise CelError(f"no such key: {key}") from None
    if isinstance(value, OptionalValue):
        return optional_entry(value, key)
    if not isinstance(value, list | tuple):
        raise no_such_overload()
    if type(key) is float:
        if not key.is_integer():
            raise CelError(f"unsupported index value {key} in list")
        key = int(key)
    if type(key) not in (int, UInt):
        raise CelError(f"unsupported index type '{type_of(key)}' in list")
    if not 0 <= key < len(value):
        raise CelError(f"index out of bounds: {key}")
    return value[key]


def present_values(optional: Any) -> Sequence[Any]:
    """Return the value that an optional has, if it has one; raises CelError for other values."""
    if not isinstance(optional, OptionalValue):
        raise no_such_overload()
    return (optional.value,) if optional.is_present else ()
