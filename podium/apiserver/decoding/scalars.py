"""Values without parts that have a form of their own: quantities, times, bytes.

The API server stores amounts and times as it would write them itself, whatever a client wrote:
`1000m` becomes `1`, and a time comes to be in UTC.
"""

from base64 import b64decode
from functools import lru_cache

from podium.api.quantity import QuantityError, parse_quantity
from podium.api.times import format_time, parse_time
from podium.apiserver.decoding.go_times import time_fault

_MICRO_DIGITS = 6
NO_TIME = "0001-01-01T00:00:00Z"
_NO_TIME_NS = parse_time(NO_TIME)
_CACHE_SIZE = 1 << 14


class MalformedScalarError(ValueError):
    """A value without the form it should have; the text says why."""


# typed: 1 and True are equal keys, but True isn't a quantity.
@lru_cache(maxsize=_CACHE_SIZE, typed=True)
def quantity_text(raw: str | int | float | None) -> str:
    """A quantity as it is stored; raises Malformed."""
    if raw is None:
        return "0"
    try:
        return str(parse_quantity(raw))
    except QuantityError as error:
        raise MalformedScalarError(error.error.message) from None


@lru_cache(maxsize=_CACHE_SIZE)
def time_text(text: str, *, micro: bool) -> str | None:
    """A time as it is stored: in UTC, in seconds or in microseconds; raises Malformed.

    The first instant of the year 1 is Go's way to say that there is no time.
    """
    fault = time_fault(text, micro=micro)
    if fault:
        raise MalformedScalarError(fault)
    nanos = parse_time(text)
    return None if nanos == _NO_TIME_NS else format_time(nanos, _MICRO_DIGITS if micro else 0)


def check_base64(text: str) -> None:
    """Judge the base64 text of bytes (RFC 4648, padded; line ends don't count).

    Raises:
        MalformedScalarError: it isn't.
    """
    try:
        b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError as error:
        raise MalformedScalarError(f"illegal base64 data: {error}") from None
