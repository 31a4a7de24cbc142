"""Values without parts that have a form of their own: quantities, times, bytes.

The API server stores amounts and times as it would write them itself, whatever a client wrote:
`1000m` becomes `1`, and a time comes to be in UTC.
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
    """A value without the form it should have; the text says why."""


# typed: 1 and True are equal keys, but True isn't a quantity.
@lru_cache(maxsize=_CACHE_SIZE, typed=True)
def quantity_text(raw: str | int | float | None) -> str:
    """A quantity as it is stored; raises MalformedScalarError."""
    if raw is None:
        return "0"
    try:
        return str(parse_quantity(raw))
    except QuantityError as error:
        raise MalformedScalarError(error.error.message) from None


@lru_cache(maxsize=_CACHE_SIZE)
def time_text(text: str, *, micro: bool) -> str | None:
    """A time as it is stored: in UTC, in seconds or in microseconds; raises MalformedScalarError.

    The first instant of the year 1 is Go's way to say that there is no time.
    """
    if micro and not _MICROS.fullmatch(text):
        raise MalformedScalarError(f"expected a time {_MICRO_RULE}, got {quoted(text)}")
    try:
        nanos = parse_time(text)
    except TimeError:
        raise MalformedScalarError(f"expected a time {_RULE}, got {quoted(text)}") from None
    return None if nanos == _NO_TIME_NS else format_time(nanos, _MICRO_DIGITS if micro else 0)


def check_base64(text: str) -> None:
    """Judge padded base64 (RFC 4648) but for line ends; raises MalformedScalarError."""
    try:
        b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError as error:
        raise MalformedScalarError(f"illegal base64 data: {error}") from None
