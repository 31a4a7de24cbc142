"""Checks that judge equal values only once.

The pods of one workload differ in name, node and addresses, but hardly in what a scheduler acts
on. Encoding that part and looking it up is an order of magnitude cheaper than judging it again.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from podium.api.errors import FieldError
from podium.apiserver.validation.checks import Check, Faults

# Distinct values that one check remembers before it starts afresh.
CAPACITY = 1 << 12
# Larger values (in bytes, encoded) are judged each time, so that nobody can fill the memory.
SIZE_MAX = 1 << 13


def remembered(check: Check, part: Callable[[Any], Any] | None = None) -> Check:
    """The same check, with a memory.

    Args:
        check: judges the value by what `part` leaves of it.
        part: the part of a value that the check is about; positions and names of fields must
            stay. Everything, if None.
    """
    known: dict[bytes, tuple[FieldError, ...]] = {}

    def check_once(value: Any, path: str) -> Faults:
        judged = value if part is None else part(value)
        try:
            key = msgspec.json.encode(judged)
        except (OverflowError, ValueError):
            # An integer beyond 64 bits, or text that isn't Unicode: no key, so no memory.
            return check(judged, path)
        if len(key) > SIZE_MAX:
            return check(judged, path)
        faults = known.get(key)
        if faults is None:
            if len(known) >= CAPACITY:
                known.clear()
            faults = known[key] = tuple(check(judged, ""))
        return iter([fault.under(path) for fault in faults])

    return check_once
