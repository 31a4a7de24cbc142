"""Values without parts that have a form of their own: quantities, times, bytes.

The API server stores amounts and times as it would write them itself, whatever a client wrote:
`1000m` becomes `1`, and a time comes to be in UTC.
"""

from functools import lru_cache

from podium.api.quantity import QuantityError, parse_quantity
from podium.api.times import format_time, parse_time
from podium.apiserver.decoding.go_times import time_fault

_MICRO_DIGITS = 6
_ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_QUANTUM = 4
_CACHE_SIZE = 1 << 14


class Malformed(ValueError):  # noqa: N818 - becomes an answer of the decoder's
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
        raise Malformed(error.error.message) from None


@lru_cache(maxsize=_CACHE_SIZE)
def time_text(text: str, *, micro: bool) -> str:
    """A time as it is stored: in UTC, in seconds or in microseconds; raises Malformed."""
    fault = time_fault(text, micro=micro)
    if fault:
        raise Malformed(fault)
    return format_time(parse_time(text), _MICRO_DIGITS if micro else 0)


def check_base64(text: str) -> None:
    """Judge the base64 text of bytes (RFC 4648, padded; line ends don't count).

    Raises:
        Malformed: it isn't; says, as Go does, at which byte.
    """
    sent = text.encode()
    at = _bad_byte(sent)
    if at is not None:
        raise Malformed(f"illegal base64 data at input byte {at}")


def _bad_byte(sent: bytes) -> int | None:
    places = [at for at, byte in enumerate(sent) if byte not in b"\r\n"]
    for start in range(0, len(places), _QUANTUM):
        quantum = places[start : start + _QUANTUM]
        digits = 0
        while digits < len(quantum) and sent[quantum[digits]] in _ALPHABET:
            digits += 1
        if digits < _QUANTUM:
            return _bad_end(sent, places[start:], digits)
    return None


def _bad_end(sent: bytes, rest: list[int], digits: int) -> int | None:
    """Where the last quantum goes wrong, if it does: it must be padded, with nothing after it.

    Args:
        sent: the whole text.
        rest: the places from the quantum's first byte on.
        digits: how many bytes of the alphabet it begins with, fewer than four.
    """
    if digits == len(rest):
        return len(sent) - digits
    if sent[rest[digits]] != ord("=") or digits < _QUANTUM // 2:
        return rest[digits]
    end = digits + 1
    if digits == _QUANTUM // 2:
        if end == len(rest):
            return len(sent)
        if sent[rest[end]] != ord("="):
            return rest[end]
        end += 1
    return rest[end] if end < len(rest) else None
