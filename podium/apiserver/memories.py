"""Results of pure functions by the encoded value of their argument.

Pods of one workload differ in name, node and addresses only. Encoding the rest and looking it up is
an order of magnitude cheaper than computing the result again.
"""

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

CAPACITY = 1 << 12
"""Number of results at which a memory is emptied."""

SIZE_MAX = 1 << 13
"""Size in bytes of the largest values to remember, which bounds the memory."""


_encode = msgspec.msgpack.Encoder().encode


def key_of(value: Any) -> bytes | None:
    """Encode a value as the key of a memory; None for a value that isn't remembered."""
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
