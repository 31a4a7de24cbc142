"""Decoding of JSON and YAML bodies, with the details that error messages quote.

msgspec decodes most texts (`read_quickly`). A text that may need a warning or an error is decoded
again by a slower decoder that keeps repeated keys and the text of unusual numbers.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from podium.api.codec.yaml_text import DEPTH_MAX, decoded, read_yaml

TOO_DEEP = "exceeded max depth"

_ESCAPED = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})

# What Python's decoder says, in kube-apiserver's words.
_SYNTAX = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key "
    "string",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after a value",
    "Extra data": "after top-level value",
    "Invalid control character at": "in string literal",
    "Invalid \\escape": "in string escape code",
}

# Longer integers fit nothing.
_INTEGER_DIGITS_MAX = 40
# Escapes; one that is half a character beyond the first 65,536 has a group.
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)


def escaped(text: str) -> str:
    """Escape JSON text as Go does, for embedding in HTML."""
    return text.translate(_ESCAPED)


class UnreadableTextError(Exception):
    """A text isn't valid JSON or YAML; the message says why."""


class Literal(float):
    """A number, other than an integer of ordinary size, with its original text."""

    text: str

    def __new__(cls, text: str) -> "Literal":
        made = super().__new__(cls, text)
        made.text = text
        return made


class Repeated(dict[str, Any]):
    """A JSON object with repeated keys: has the last value of each key; `pairs` has all values."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def read_quickly(data: bytes) -> Any:
    """Decode a JSON text; None if it isn't valid, or has repeated keys or unusual numbers.

    The check is that the encoded value equals the original text, apart from blanks.
    """
    try:
        value = msgspec.json.decode(data)
        same = msgspec.json.encode(value) == msgspec.json.format(data, indent=-1)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return value if same else None


def read_json(data: bytes) -> Any:
    """Decode JSON into `Repeated` objects and `Literal` numbers; raises UnreadableTextError."""
    # Go puts this mark in place of what means half a character.
    whole = _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)
    try:
        return json.loads(
            whole.decode("utf-8", "replace"),
            object_pairs_hook=repeating,
            parse_float=Literal,
            parse_int=lambda text: int(text) if len(text) <= _INTEGER_DIGITS_MAX else Literal(text),
            parse_constant=_refuse,
        )
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc) or error.msg.startswith("Unterminated string"):
            raise UnreadableTextError("unexpected end of JSON input") from None
        where = _SYNTAX.get(error.msg, f"({error.msg})")
        raise UnreadableTextError(f"invalid character {error.doc[error.pos]!r} {where}") from None
    except RecursionError:
        raise UnreadableTextError(TOO_DEEP) from None


def _refuse(constant: str) -> NoReturn:
    raise UnreadableTextError(f"{constant} is no number in JSON")


def repeating(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of keys and values; a `Repeated` one if a key occurs more than once."""
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else Repeated(pairs)


def repeated_keys(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of a value's repeated keys, such as `.spec.ports[0].name`."""
    if isinstance(value, Repeated):
        seen = set[str]()
        for name, _ in value.pairs:
            if name in seen:
                yield f"{path}.{name}"
            seen.add(name)
    if isinstance(value, dict):
        for name, one in value.items():
            yield from repeated_keys(one, f"{path}.{name}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from repeated_keys(one, f"{path}[{index}]")


def oddity(value: Any) -> str:
    """Return why a decoded value can't be stored, such as its nesting depth; empty if it can."""
    level = [value]
    for _ in range(DEPTH_MAX):
        for one in level:
            if isinstance(one, float) and math.isinf(one):
                shown = one.text if isinstance(one, Literal) else one
                return f"the number {shown} is too large"
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return ""
    return TOO_DEEP


def plain(value: Any) -> Any:
    """Convert `Repeated` and `Literal` values into plain ones; a value without any isn't copied."""
    if isinstance(value, dict):
        made = {key: plain(one) for key, one in value.items()}
        unchanged = all(made[key] is one for key, one in value.items())
        return value if type(value) is dict and unchanged else made
    if isinstance(value, list):
        entries = [plain(one) for one in value]
        unchanged = all(old is new for old, new in zip(value, entries, strict=True))
        return value if unchanged else entries
    return float(value) if isinstance(value, Literal) else value


def read_yaml_body(body: bytes) -> tuple[Any, tuple[str, ...]]:
    """Decode a YAML body; also returns messages on repeated keys; raises UnreadableTextError."""
    text, fault = decoded(body)
    document = None if fault else next(read_yaml(text, may_repeat=True), None)
    faults = [fault] if fault else document.faults if document else []
    if faults:
        raise UnreadableTextError(f"line {faults[0].line}: {faults[0].message}")
    if document is None:
        return None, ()
    return document.value, tuple(f"line {one.line}: {one.message}" for one in document.repeated)
