"""Checks that judge equal values only once."""

from collections.abc import Callable
from typing import Any

from podium.api.errors import FieldError
from podium.apiserver.memories import Memory, key_of
from podium.apiserver.validation.checks import Check, Faults


def remembered(check: Check, part: Callable[[Any], Any] | None = None) -> Check:
    """The same check, with a memory.

    Args:
        check: judges the value by what `part` leaves of it.
        part: the part of a value that the check is about; positions and names of fields must
            stay. Everything, if None.
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
