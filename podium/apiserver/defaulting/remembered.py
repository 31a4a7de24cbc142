"""Fillers that fill equal values only once.

Pods of one workload are created with equal specs. They share what is filled in from then on, as
nothing of an object is ever changed in place.
"""

from typing import Any

import msgspec

from podium.apiserver.defaulting.copying import Filler

# Distinct values that one filler remembers before it starts afresh.
CAPACITY = 1 << 12
# Larger values (in bytes, encoded) are filled each time, so that nobody can fill the memory.
SIZE_MAX = 1 << 13


def remembered(filler: Filler) -> Filler:
    """The same filler, with a memory; a value in which nothing is missing still comes back."""
    known: dict[bytes, Any] = {}

    def fill(value: Any) -> Any:
        try:
            key = msgspec.msgpack.encode(value)
        except (OverflowError, ValueError):
            # An integer beyond 64 bits, or text that isn't Unicode: no key, so no memory.
            return filler(value)
        if len(key) > SIZE_MAX:
            return filler(value)
        if key not in known:
            if len(known) >= CAPACITY:
                known.clear()
            filled = filler(value)
            known[key] = None if filled is value else filled
        found = known[key]
        return value if found is None else found

    return fill
