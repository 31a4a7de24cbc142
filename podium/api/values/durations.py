"""Durations in Go's notation (`time.ParseDuration`): `90s`, `1m30s`, `1.5h`, `0`."""

import re

from podium.api.errors import PodiumError
from podium.api.values.times import NANOS_PER_SECOND

_NANOS_MAX = 2**63 - 1
# Of the largest number of nanoseconds; further digits of a fraction make no difference.
_DIGITS_MAX = 19
_NANOS_PER_UNIT = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_TERM = re.compile(r"(?P<whole>\d*)(?P<dot>\.(?P<fraction>\d*))?(?P<unit>[^\d.]*)", re.ASCII)


class DurationError(PodiumError):
    """A text that isn't a duration; the message is Go's."""


def parse_duration(text: str) -> int:
    """Parse a duration into nanoseconds; raises DurationError."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("-", "+") else ("+", text)
    if digits == "0":
        return 0
    nanos, position = 0, 0
    while position < len(digits):
        term = _TERM.match(digits, position)
        if term is None or not (term["whole"] or term["fraction"]):
            raise _invalid(text)
        whole, fraction, unit = term["whole"], term["fraction"] or "", term["unit"]
        if not unit:
            raise DurationError(f'time: missing unit in duration "{text}"')
        if unit not in _NANOS_PER_UNIT:
            raise DurationError(f'time: unknown unit "{unit}" in duration "{text}"')
        whole, fraction = whole.lstrip("0"), fraction[:_DIGITS_MAX]
        if len(whole) > _DIGITS_MAX:
            raise _invalid(text)
        scale: int = 10 ** len(fraction)
        nanos += int(whole + fraction or "0") * _NANOS_PER_UNIT[unit] // scale
        position = term.end()
    if not digits or nanos > _NANOS_MAX:
        raise _invalid(text)
    return -nanos if sign == "-" else nanos


def duration_seconds(text: str) -> float | None:
    """Parse a duration into seconds, exact to the nanosecond; None if it isn't valid."""
    try:
        return parse_duration(text) / NANOS_PER_SECOND
    except DurationError:
        return None


def format_duration(nanos: int) -> str:
    """Format a duration as Go does: `0s`, `1ns`, `1.5ms`, `30s`, `1h0m0s`."""
    if nanos < 0:
        return f"-{format_duration(-nanos)}"
    if nanos == 0:
        return "0s"
    if nanos < NANOS_PER_SECOND:
        fitting = (unit for unit in ("ms", "µs") if nanos >= _NANOS_PER_UNIT[unit])
        unit = next(fitting, "ns")
        return f"{_decimal(nanos, _NANOS_PER_UNIT[unit])}{unit}"
    minutes, nanos = divmod(nanos, 60 * NANOS_PER_SECOND)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(nanos, NANOS_PER_SECOND)}s"
    if hours:
        return f"{hours}h{minutes}m{seconds}"
    return f"{minutes}m{seconds}" if minutes else seconds


def _invalid(text: str) -> DurationError:
    return DurationError(f'time: invalid duration "{text}"')


def _decimal(nanos: int, unit_nanos: int) -> str:
    whole, rest = divmod(nanos, unit_nanos)
    digits = str(unit_nanos + rest)[1:].rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
