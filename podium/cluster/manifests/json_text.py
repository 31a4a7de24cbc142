"""Decoding of JSON texts into documents.

msgspec decodes a text with one document. Where it fails, or where repeated keys are to be reported,
the slower standard library reads the text: it can read several documents in a row, and reports the
line of a fault. Of repeated keys, the last value counts.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec
from msgspec import Raw

from podium.api.codec.text_decoder import read_quickly, repeated_keys, repeating
from podium.api.codec.yaml_text import TextFault, YamlDocument, decoded
from podium.apiserver.memories import Memory, key_of

# Levels of a spec that share parts: its fields, the entries of lists there, and their fields.
_DEPTH = 3

_NESTED = frozenset({dict, list})

_decode = msgspec.json.Decoder().decode
_fields_of = msgspec.json.Decoder(dict[str, Raw]).decode
_entries_of = msgspec.json.Decoder(list[Raw]).decode


def decode_shared(data: bytes) -> Any:
    """Decode a JSON text; the `items` of a list share equal parts, which saves memory.

    Items, and their metadata, specs and statuses as a whole, are never shared.
    """
    if not data.lstrip().startswith(b"{"):
        return _decode(data)
    return {
        name: _items(text) if name == "items" else _decode(text)
        for name, text in _fields_of(data).items()
    }


def _items(text: Raw) -> Any:
    if bytes(memoryview(text)[:1]) != b"[":
        return _decode(text)
    known, items = Memory[Any](), []
    for entry in _entries_of(text):
        item = _decode(entry)
        items.append(item)
        if isinstance(item, dict):
            for value in item.values():
                if isinstance(value, dict):
                    _share(known, value, _DEPTH)
    return items


def _share(known: Memory[Any], whole: Any, depth: int) -> None:
    """Replace values in a mapping or list by equal `known` ones, down to a depth."""
    for place, part in whole.items() if type(whole) is dict else enumerate(whole):
        if not part or type(part) not in _NESTED:
            continue
        # Large parts, which have no key, are rarely equal, though their own parts may be.
        key = key_of(part)
        if key is not None and key in known:
            whole[place] = known[key]
            continue
        if depth > 1:
            _share(known, part, depth - 1)
        if key is not None:
            known.put(key, part)


INTEGER_DIGITS_MAX = 1_000
"""Longer integers are refused, as no field can hold them."""

_CUT_OFF = "; the text ends too early"


def read_json(data: bytes, *, is_careful: bool = False) -> Iterator[YamlDocument]:
    """Read the documents of a JSON text, in order.

    With `is_careful`, repeated keys are reported, which takes longer. Otherwise the items of a list
    share equal parts.
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
    if not (isinstance(value, dict) and isinstance(value.get("items"), list)):
        return ()
    if data.count(b"\n") < 2:
        # In a single line, the line of an item says nothing.
        return ()
    lines, line, position = [], 1, 0
    for raw in _entries_of(_fields_of(data)["items"]):
        text = bytes(raw)
        # Items are slices of the text, in order.
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
        parse_constant=_refuse, parse_int=_check_length, object_pairs_hook=repeating
    )
    position = _after_blanks(text, 0)
    number = 0
    while position < len(text):
        number += 1
        line = 1 + text.count("\n", 0, position)
        try:
            careful, end = decoder.raw_decode(text, position)
            value = msgspec.json.decode(text[position:end])
        except (ValueError, RecursionError) as error:
            fault_line, message = line, str(error)
            if isinstance(error, RecursionError):
                message = "nested too deeply"
            elif isinstance(error, json.JSONDecodeError):
                cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
                fault_line = error.lineno
                message = f"{error.msg} (column {error.colno}){_CUT_OFF if cut_off else ''}"
            fault = TextFault(fault_line, f"not valid JSON: {message}")
            yield YamlDocument(number, line, faults=[fault])
            return
        repeated = [TextFault(line, f"{key}: stands twice") for key in repeated_keys(careful)]
        yield YamlDocument(number, line, value, repeated=repeated)
        position = _after_blanks(text, end)


def _after_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _check_length(text: str) -> int:
    if len(text) > INTEGER_DIGITS_MAX:
        raise ValueError(f"an integer has more than {INTEGER_DIGITS_MAX} digits")
    # msgspec decodes the value.
    return 0


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")
