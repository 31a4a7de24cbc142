"""The method `format` of texts, which fills values into `%s`, `%d` and the like.

Numbers of `%f` and `%e` are written for readers of English, as cel-go does: with separators of
thousands, and powers of ten.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.api.cel.functions.operators import double_text
from podium.api.cel.functions.overloads import TRAVERSAL, method
from podium.api.cel.functions.strings import quoted
from podium.api.cel.functions.times import duration_text, timestamp_text
from podium.api.cel.syntax import UInt
from podium.api.cel.type_system import (
    BOOL,
    BYTES,
    COMPARABLE,
    DOUBLE,
    DYN,
    INT,
    NULL,
    STRING,
    TYPE,
    UINT,
)
from podium.api.cel.values import CelError, CelType, Duration, Timestamp, type_of

_PRECISION = 6
# Of a precision: more than 999 digits tell nothing.
_DIGITS_MAX = 3
_CLAUSE = re.compile(r"%(?:%|(?:\.(?P<precision>[0-9]+))?(?P<letter>.)?)", re.DOTALL)
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NUMBERS_AS_TEXT = ("NaN", "Infinity", "-Infinity")


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            why = "invalid UTF-8 in bytes, cannot convert to string"
            raise CelError(f'could not convert argument "{why}" to string') from None
    if isinstance(value, str):
        return value
    written = _WRITTEN.get(type(value))
    if written is not None:
        return written(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_nested, value))}]"
    if isinstance(value, Mapping):
        entries = sorted((_nested(key), _nested(entry)) for key, entry in value.items())
        return f"{{{', '.join(f'{key}:{entry}' for key, entry in entries)}}}"
    raise CelError(f"{_RULES['s']}, was given {type_of(value)}")


def _nested(value: Any) -> str:
    """Return a value within a list or map as a literal of CEL."""
    if isinstance(value, float):
        return f"{value:.6f}" if math.isfinite(value) else f'"{double_text(value)}"'
    if isinstance(value, str | bytes):
        return f"{'b' if isinstance(value, bytes) else ''}{quoted(_text(value))}"
    if isinstance(value, Timestamp | Duration):
        kind = "timestamp" if isinstance(value, Timestamp) else "duration"
        return f'{kind}("{_text(value)}")'
    return _text(value)


_WRITTEN: Mapping[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    int: str,
    UInt: lambda value: str(int(value)),
    float: double_text,
    type(None): lambda _: "null",
    CelType: lambda value: str(value.name),
    Timestamp: timestamp_text,
    Duration: duration_text,
}


def _fixed(value: float, precision: int) -> str:
    return f"{value:,.{precision}f}" if math.isfinite(value) else _not_finite(value)


def _scientific(value: float, precision: int) -> str:
    # The precision is taken for a width.
    if not math.isfinite(value):
        return _not_finite(value).rjust(precision)
    digits, exponent = f"{value:.{_PRECISION}e}".split("e")
    power = f"{int(exponent):03}" if exponent[0] == "-" else f"{int(exponent):02}"
    return f"{digits}\u202f×\u202f10{power.translate(_SUPERSCRIPT)}".rjust(precision)


def _not_finite(value: float) -> str:
    return "NaN" if value != value else ("∞" if value > 0 else "-∞")


def _hexadecimal(value: Any) -> str:
    raw = value.encode() if isinstance(value, str) else value
    return raw.hex() if isinstance(raw, bytes) else f"{raw:x}"


_INTEGERS = frozenset({INT, UINT})
_HEXADECIMAL = _INTEGERS | {STRING, BYTES}
# The types of values that the letter of a clause formats.
_TYPES: Mapping[str, frozenset[str]] = {
    "s": frozenset([*COMPARABLE, NULL, TYPE, "list", "map"]),
    "d": _INTEGERS,
    # Texts are those of numbers that aren't finite.
    "f": frozenset({DOUBLE, STRING}),
    "e": frozenset({DOUBLE, STRING}),
    "b": _INTEGERS | {BOOL},
    "o": _INTEGERS,
    "x": _HEXADECIMAL,
    "X": _HEXADECIMAL,
}
_HEX_RULE = "only integers, byte buffers, and strings can be formatted as hex"
_RULES = {
    "s": (
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
        "types, durations, and timestamps"
    ),
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "b": "only integers and bools can be formatted as binary",
    "o": "octal clause can only be used on integers",
    "x": _HEX_RULE,
    "X": _HEX_RULE,
}
_FORMATS: Mapping[str, Callable[[Any, int], str]] = {
    "s": lambda value, _: _text(value),
    "d": lambda value, _: str(int(value)),
    "f": lambda value, precision: _fixed(float(value), precision),
    "e": lambda value, precision: _scientific(float(value), precision),
    "b": lambda value, _: f"{int(value):b}",
    "o": lambda value, _: f"{int(value):o}",
    "x": lambda value, _: _hexadecimal(value),
    "X": lambda value, _: _hexadecimal(value).upper(),
}


def check_clause(letter: str, kind: str, *, is_refused: bool = False) -> None:
    """Raise CelError if the clause of a letter formats no values of a type."""
    if is_refused or kind not in _TYPES[letter]:
        raise CelError(f"error during formatting: {_RULES[letter]}, was given {kind}")


def fill(text: str, values: Sequence[Any], formatted: Callable[[str, int, Any], str]) -> str:
    """Fill values into the clauses of a text.

    Args:
        formatted: returns the text of a value for the letter and precision of a clause.

    Raises:
        CelError: a clause isn't one, or there is no value for it.
    """
    index = -1

    def filled(match: re.Match[str]) -> str:
        nonlocal index
        if match[0] == "%%":
            return "%"
        index += 1
        if index >= len(values):
            raise CelError(f"index {index} out of range")
        letter = match["letter"]
        if letter is None:
            raise CelError("unexpected end of string")
        if letter not in _FORMATS:
            why = f'unrecognized formatting clause "{letter}"'
            raise CelError(f"could not parse formatting clause: {why}")
        precision = int((match["precision"] or str(_PRECISION))[:_DIGITS_MAX])
        return formatted(letter, precision, values[index])

    return _CLAUSE.sub(filled, text)


def _formatted(letter: str, precision: int, value: Any) -> str:
    kind = type_of(value)
    is_text = letter in "fe" and kind == STRING and value not in _NUMBERS_AS_TEXT
    check_clause(letter, kind, is_refused=is_text)
    try:
        return _FORMATS[letter](value, precision)
    except CelError as error:
        raise CelError(f"error during formatting: {error}") from None


def _format(text: str, values: Sequence[Any]) -> str:
    return fill(text, values, _formatted)


OVERLOADS = (method("format", (STRING, ("list", DYN)), STRING, _format, TRAVERSAL),)
