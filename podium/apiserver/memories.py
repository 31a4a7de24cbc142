"""Memories of what was made of a value, for values that come again and again.

The pods of one workload differ in name, node and addresses, but hardly in what a scheduler acts
on. Encoding that part and looking it up is an order of magnitude cheaper than working it out again.
"""

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

CAPACITY = 1 << 12
"""Distinct values that a memory keeps before it starts afresh."""

SIZE_MAX = 1 << 13
"""Largest values in bytes that are remembered, so that nobody can fill the memory."""


_encode = msgspec.msgpack.Encoder().encode


def key_of(value: Any) -> bytes | None:
    """The encoded value; None for one that isn't to be remembered."""
    try:
        key = _encode(value)
    except (OverflowError, ValueError):
        # An integer beyond 64 bits, or text that isn't Unicode.
        return None
    return key if len(key) <= SIZE_MAX else None


class Memory(dict[bytes, T]):
    """Results by the keys of values."""

    def put(self, key: bytes, result: T) -> T:
        """Remember a result, and return it."""
        if len(self) >= CAPACITY:
            self.clear()
        self[key] = result
        return result
