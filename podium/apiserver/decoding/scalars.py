"""Conversion of quantities, times and bytes to canonical form.

The API server stores quantities and times in canonical form: `1000m` as `1`, and times in UTC.
"""

import re
from base64 import b64decode
from functools import lru_cache

from podium.api.errors import quoted
from podium.api.values.quantity import QuantityError, parse_quantity
from podium.api.values.times import TimeError, format_time, parse_time

_MICRO_DIGITS = 6
_MICROS = re.compile(r".*\.\d{6}(Z|[-+]\d\d:\d\d)", re.ASCII | re.DOTALL)
_RULE = "such as 2006-01-02T15:04:05Z (RFC 3339)"
_MICRO_RULE = "with microseconds, such as 2006-01-02T15:04:05.000000Z (RFC 3339)"
NO_TIME = "0001-01-01T00:00:00Z"
_NO_TIME_NS = parse_time(NO_TIME)
_CACHE_SIZE = 1 << 14


class MalformedScalarError(ValueError):
    """The text of a quantity, a time or bytes isn't valid; the message is the reason."""


# typed: 1 and True are equal keys, but True isn't a quantity.
@lru_cache(maxsize=_CACHE_SIZE, typed=True)
def quantity_text(raw: str | int | float | None) -> str:
    """Return a quantity in its stored form; raises MalformedScalarError."""
    if raw is None:
        return "0"
    try:
        return str(parse_quantity(raw))
    except QuantityError as error:
        raise MalformedScalarError(error.error.message) from None


@lru_cache(maxsize=_CACHE_SIZE)
def time_text(text: str, *, micro: bool) -> str | None:
    """Return a time in stored form, in UTC, in seconds or microseconds; None for Go's zero time.

    Raises:
        MalformedScalarError: the text isn't a time.
    """
    if micro and not _MICROS.fullmatch(text):
        raise MalformedScalarError(f"expected a time {_MICRO_RULE}, got {quoted(text)}")
    try:
        nanos = parse_time(text)
    except TimeError:
        raise MalformedScalarError(f"expected a time {_RULE}, got {quoted(text)}") from None
    return None if nanos == _NO_TIME_NS else format_time(nanos, _MICRO_DIGITS if micro else 0)


def check_base64(text: str) -> None:
    """Check padded base64 (RFC 4648) without newlines; raises MalformedScalarError."""
    try:
        b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError as error:
        raise MalformedScalarError(f"illegal base64 data: {error}") from None
