"""Checks that remember the faults of equal values."""

from collections.abc import Callable
from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.validation.checks import Check, Faults


def remembered(check: Check, part: Callable[[Any], Any] | None = None) -> Check:
    """Make a check that runs only once for equal values.

    Args:
        check: finds faults only in what `part` leaves of a value.
        part: reduces a value to what the check examines, without renaming or moving fields; by
            default, the whole value is examined.
    """
    known = Memory[tuple[FieldError, ...]]()

    def check_once(value: Any, path: str) -> Faults:
        judged = value if part is None else part(value)
        key = key_of(judged)
        if key is None:
            return check(judged, path)
        faults = known.get(key)
        if faults is None:
            faults = known.put(key, tuple(check(judged, "")))
        return iter([fault.under(path) for fault in faults])

    return check_once
