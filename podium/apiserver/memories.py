"""Caches of the results of pure functions, keyed by the encoded argument.

Encoding an object and looking it up is an order of magnitude faster than computing the result.
"""

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

CAPACITY = 1 << 12
"""Number of results at which a cache is emptied."""

SIZE_MAX = 1 << 13
"""Size in bytes of the largest values to cache, which limits the memory used."""


_encode = msgspec.msgpack.Encoder().encode


def key_of(value: Any) -> bytes | None:
    """Return the encoded value as a cache key; None if the value can't be cached."""
    try:
        key = _encode(value)
    except (OverflowError, ValueError):
        # An integer beyond 64 bits, or text that isn't Unicode.
        return None
    return key if len(key) <= SIZE_MAX else None


class Memory(dict[bytes, T]):
    """A cache of results by keys from `key_of`."""

    def put(self, key: bytes, result: T) -> T:
        """Store a result, and return it."""
        if len(self) >= CAPACITY:
            self.clear()
        self[key] = result
        return result
