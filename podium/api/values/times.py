"""Times and durations, without loss: RFC 3339 texts and nanoseconds since 1970-01-01T00:00:00Z.

Durations are in Go's notation (`time.ParseDuration`): `90s`, `1m30s`, `1.5h`, `0`.
"""

import re
from datetime import UTC, date, datetime
from datetime import time as clock_time
from functools import lru_cache

from podium.api.errors import FieldError, InvalidValueError, PodiumError

NANOS_PER_SECOND = 10**9
MICROSECOND_DIGITS = 6

_SECONDS_PER_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_RULE = "must be a time such as 2006-01-02T15:04:05Z (RFC 3339)"
# After which the calendar repeats itself; Python's has no year 0, which RFC 3339 has.
_CYCLE_DAYS = 146_097
# As Kubernetes writes nearly all times.
_USUAL_SHAPE = re.compile(r"(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_EPOCH_TIME = datetime(1970, 1, 1, tzinfo=UTC)
_SHAPE = re.compile(
    r"(?P<year>\d{4})(?P<date>-\d\d-\d\d)T(?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d+))?"
    r"(?:Z|(?P<sign>[-+])(?P<hours>\d\d):(?P<minutes>\d\d))",
    re.ASCII,
)


EARLIEST_NS = (date(400, 1, 1).toordinal() - _CYCLE_DAYS - _EPOCH) * _SECONDS_PER_DAY * 10**9
"""0000-01-01T00:00:00Z, the first time that can be written."""

LATEST_NS = (date.max.toordinal() + 1 - _EPOCH) * _SECONDS_PER_DAY * 10**9 - 1
"""The last nanosecond of the year 9999, the last time that can be written."""


class TimeError(InvalidValueError):
    """A value isn't an RFC 3339 time."""


def parse_time(text: str) -> int:
    """Parse a time of the years 0 to 9999 into nanoseconds since the epoch; raises TimeError."""
    try:
        return _parse(text)
    except (TypeError, ValueError):
        raise TimeError(FieldError("", text, _RULE)) from None


def epoch_s(text: str) -> float:
    """Parse a time into seconds since the epoch; raises TimeError."""
    return parse_time(text) / NANOS_PER_SECOND


def format_time(nanos: int, digits: int = 0) -> str:
    """Format a time in UTC, with 0 to 9 fractional digits of a second; further digits are cut off.

    Kubernetes writes most times with 0 digits, those of leases and events with 6. Times out of
    range are written as `EARLIEST_NS` or `LATEST_NS`.
    """
    seconds, fraction = divmod(min(max(nanos, EARLIEST_NS), LATEST_NS), NANOS_PER_SECOND)
    day, second = divmod(seconds, _SECONDS_PER_DAY)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    tail = f".{fraction:09}"[: digits + 1] if digits else ""
    return f"{_date(_EPOCH + day)}T{clock}{tail}Z"


@lru_cache
def _date(ordinal: int) -> str:
    shown = f"{date.fromordinal(ordinal if ordinal > 0 else ordinal + _CYCLE_DAYS)}"
    return shown if ordinal > 0 else f"0000{shown[4:]}"


def timestamp(now_s: float) -> str:
    """Format seconds since the epoch as in most API fields: in whole seconds."""
    return _timestamp(int(now_s))


def micro_time(at_s: float) -> str:
    """Format seconds since the epoch as in leases and events: in microseconds."""
    return format_time(int(at_s * NANOS_PER_SECOND), MICROSECOND_DIGITS)


@lru_cache
def _timestamp(now_s: int) -> str:
    return format_time(now_s * NANOS_PER_SECOND)


@lru_cache(maxsize=1024)
def _parse(text: str) -> int:
    if _USUAL_SHAPE.fullmatch(text):
        passed = datetime.fromisoformat(text) - _EPOCH_TIME
        return (passed.days * _SECONDS_PER_DAY + passed.seconds) * NANOS_PER_SECOND
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError(_RULE)
    year = match["year"]
    days = date.fromisoformat(f"{'0400' if year == '0000' else year}{match['date']}").toordinal()
    days -= _EPOCH + (_CYCLE_DAYS if year == "0000" else 0)
    clock = clock_time.fromisoformat(match["clock"])
    seconds = (days * 24 + clock.hour) * 3600 + clock.minute * 60 + clock.second
    fraction = int((match["fraction"] or "")[:9].ljust(9, "0"))
    if match["sign"] is not None:
        hours, minutes = int(match["hours"]), int(match["minutes"])
        if hours > 24 or minutes > 60:
            raise ValueError(_RULE)
        seconds -= (hours * 3600 + minutes * 60) * (-1 if match["sign"] == "-" else 1)
    nanos = seconds * NANOS_PER_SECOND + fraction
    if not EARLIEST_NS <= nanos <= LATEST_NS:
        raise ValueError(_RULE)
    return nanos


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
