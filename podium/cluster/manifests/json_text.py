"""JSON text to documents.

One document is decoded by msgspec, fast; of a key that stands twice in it the last value counts.
Only where that fails, or such keys are asked for, is the text read by the standard library, which
can read several documents in a row and knows the line of a fault.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec
from msgspec import Raw

from podium.api.codec.text_decoder import read_quickly, repeated_keys, repeating
from podium.api.codec.yaml_text import TextFault, YamlDocument, decoded

# Distinct values that are remembered before it starts afresh.
_CAPACITY = 1 << 12
# Larger ones (in bytes, encoded) are rarely equal, but parts of them may be.
_SIZE_MAX = 1 << 13
# The fields of a spec, the entries of a list there, and their fields.
_DEPTH = 3

_NESTED = frozenset({dict, list})

_decode = msgspec.json.Decoder().decode
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


INTEGER_DIGITS_MAX = 1_000
"""Longer ones fit nothing."""

_fields_of = msgspec.json.Decoder(dict[str, Raw]).decode
_entries_of = msgspec.json.Decoder(list[Raw]).decode

_CUT_OFF = "; the text ends too early"


def read_json(data: bytes, *, is_careful: bool = False) -> Iterator[YamlDocument]:
    """The documents of a JSON text, in order.

    Args:
        is_careful: whether to look for keys that stand twice, which takes longer; otherwise the
            items of a list share equal parts.
    """
    if is_careful and read_quickly(data) is None:
        yield from _one_after_another(data)
        return
    try:
        value = msgspec.json.decode(data) if is_careful else decode_shared(data)
        yield YamlDocument(1, 1, value, item_lines=_item_lines(data, value))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _one_after_another(data)


def _item_lines(data: bytes, value: object) -> Sequence[int]:
    """The line of each item of a list; none of those of a text in a single line."""
    if not (isinstance(value, dict) and isinstance(value.get("items"), list)):
        return ()
    if data.count(b"\n") < 2:
        return ()
    lines, line, position = [], 1, 0
    for raw in _entries_of(_fields_of(data)["items"]):
        text = bytes(raw)
        # Items are slices of the text, one behind the other.
        begin = data.find(text, position)
        line += data.count(b"\n", position, begin)
        lines.append(line)
        line += text.count(b"\n")
        position = begin + len(text)
    return lines


def _one_after_another(data: bytes) -> Iterator[YamlDocument]:
    text, fault = decoded(data)
    if fault:
        yield YamlDocument(1, 1, faults=[fault])
        return
    decoder = json.JSONDecoder(
        parse_constant=_refuse, parse_int=_integer, object_pairs_hook=repeating
    )
    position = _after_blanks(text, 0)
    number = 0
    while position < len(text):
        number += 1
        line = _line(text, position)
        try:
            found, end = decoder.raw_decode(text, position)
            value = msgspec.json.decode(text[position:end])
        except (ValueError, RecursionError) as error:
            yield YamlDocument(number, line, faults=[_fault_of(error, text, position)])
            return
        repeated = [TextFault(line, f"{key}: stands twice") for key in repeated_keys(found)]
        yield YamlDocument(number, line, value, repeated=repeated)
        position = _after_blanks(text, end)


def _fault_of(error: ValueError | RecursionError, text: str, position: int) -> TextFault:
    line = _line(text, position)
    match error:
        case json.JSONDecodeError():
            cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
            message = f"{error.msg} (column {error.colno}){_CUT_OFF if cut_off else ''}"
            return TextFault(error.lineno, f"not valid JSON: {message}")
        case RecursionError():
            return TextFault(line, "not valid JSON: nested too deeply")
    return TextFault(line, f"not valid JSON: {error}")


def _line(text: str, position: int) -> int:
    return 1 + text.count("\n", 0, position)


def _after_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _integer(text: str) -> int:
    """Only that it can be one matters; what it is, msgspec says."""
    if len(text) > INTEGER_DIGITS_MAX:
        raise ValueError(f"an integer has more than {INTEGER_DIGITS_MAX} digits")
    return 0


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
