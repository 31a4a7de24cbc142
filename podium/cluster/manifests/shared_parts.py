"""JSON text to values, where the items of a list share what is equal in them.

The pods of a workload say much the same. Of what several items say one value is kept, so that a
state takes half of the memory, and whoever goes through it finds the parts at hand. Nobody changes
such parts in place.
"""

from typing import Any

import msgspec
from msgspec import Raw

# Distinct values that are remembered before it starts afresh.
_CAPACITY = 1 << 12
# Larger ones (in bytes, encoded) are rarely equal, but parts of them may be.
_SIZE_MAX = 1 << 13
# The fields of a spec, the entries of a list there, and their fields.
_DEPTH = 3

_NESTED = frozenset({dict, list})

_decode = msgspec.json.Decoder().decode
_fields_of = msgspec.json.Decoder(dict[str, Raw]).decode
_entries_of = msgspec.json.Decoder(list[Raw]).decode
_encode = msgspec.msgpack.Encoder().encode


def decode_shared(data: bytes) -> Any:
    """The value of a JSON text; if it is an object with `items`, these share equal parts.

    The items themselves share nothing, nor do their metadata, specs and the like as a whole.

    Raises:
        msgspec.DecodeError: it isn't JSON.
    """
    if not data.lstrip().startswith(b"{"):
        return _decode(data)
    return {
        name: _items(value) if name == "items" else _decode(value)
        for name, value in _fields_of(data).items()
    }


def _items(text: Raw) -> Any:
    if bytes(memoryview(text)[:1]) != b"[":
        return _decode(text)
    parts = _Parts()
    found = []
    for entry in _entries_of(text):
        item = _decode(entry)
        found.append(item)
        if isinstance(item, dict):
            for value in item.values():
                if isinstance(value, dict):
                    parts.share(value, _DEPTH)
    return found


class _Parts:
    def __init__(self) -> None:
        self._known: dict[bytes, Any] = {}

    def share(self, whole: Any, depth: int) -> None:
        """Put what is known in place of its equals in an object or a list, so many levels deep."""
        for place, part in whole.items() if type(whole) is dict else enumerate(whole):
            if part and type(part) in _NESTED:
                whole[place] = self._known_as(part, depth - 1)

    def _known_as(self, part: Any, depth: int) -> Any:
        try:
            key = _encode(part)
        except OverflowError:
            # An integer beyond 64 bits.
            return part
        found = self._known.get(key)
        if found is None:
            if depth:
                self.share(part, depth)
            found = part
            if len(key) <= _SIZE_MAX:
                if len(self._known) >= _CAPACITY:
                    self._known.clear()
                self._known[key] = part
        return found
