"""Times and durations: what they consist of, and computing with them."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from podium.api.cel.functions.operators import limited, unchanged
from podium.api.cel.functions.overloads import Overload, function, method
from podium.api.cel.type_system import DURATION, INT, STRING, TIMESTAMP
from podium.api.cel.values import CelError, Duration, Timestamp
from podium.api.errors import InvalidValueError
from podium.api.values.cron_schedule import ScheduleError, parse_zone
from podium.api.values.times import (
    LATEST_NS,
    NANOS_PER_SECOND,
    DurationError,
    format_time,
    parse_duration,
    parse_time,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST_NS = parse_time("0001-01-01T00:00:00Z")
_OFFSET = re.compile(r"([-+]?)(\d\d):(\d\d)", re.ASCII)


def _timestamp(nanos: int) -> Timestamp:
    if not _EARLIEST_NS <= nanos <= LATEST_NS:
        raise CelError("timestamp overflow")
    return Timestamp(nanos)


def _duration(nanos: int) -> Duration:
    return Duration(limited(nanos))


def _read_timestamp(text: str) -> Timestamp:
    try:
        return _timestamp(parse_time(text))
    except InvalidValueError:
        raise CelError(f"type conversion error from 'string' to '{TIMESTAMP}'") from None


def _read_duration(text: str) -> Duration:
    try:
        return Duration(parse_duration(text))
    except DurationError:
        raise CelError(f"type conversion error from 'string' to '{DURATION}'") from None


def timestamp_text(at: Timestamp) -> str:
    """Return a time as text, with no more digits of a second than it has."""
    return _without_zeros(format_time(at.nanos, 9)[:-1]) + "Z"


def duration_text(of: Duration) -> str:
    """Return a duration as text, in seconds."""
    seconds, nanos = divmod(abs(of.nanos), NANOS_PER_SECOND)
    return f"{'-' if of.nanos < 0 else ''}{_without_zeros(f'{seconds}.{nanos:09}')}s"


def _without_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".")


def _zone(name: str) -> tzinfo:
    if not name:
        return UTC
    match = _OFFSET.fullmatch(name)
    if match is not None:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(-offset if match[1] == "-" else offset)
    try:
        return parse_zone(name)
    except ScheduleError:
        raise CelError(f"unknown time zone {name}") from None


# Years, days of a month (`getDate`) and the clock count as people do, all else from 0; the week
# begins with Sunday.
_PARTS: Mapping[str, Callable[[datetime], int]] = {
    "getFullYear": lambda time: time.year,
    "getMonth": lambda time: time.month - 1,
    "getDate": lambda time: time.day,
    "getDayOfMonth": lambda time: time.day - 1,
    "getDayOfYear": lambda time: time.timetuple().tm_yday - 1,
    "getDayOfWeek": lambda time: time.isoweekday() % 7,
    "getHours": lambda time: time.hour,
    "getMinutes": lambda time: time.minute,
    "getSeconds": lambda time: time.second,
    "getMilliseconds": lambda time: time.microsecond // 1000,
}
_NANOS_PER_PART = {
    "getHours": 3600 * NANOS_PER_SECOND,
    "getMinutes": 60 * NANOS_PER_SECOND,
    "getSeconds": NANOS_PER_SECOND,
    "getMilliseconds": NANOS_PER_SECOND // 1000,
}


def _part_of_time(name: str) -> list[Overload]:
    part = _PARTS[name]

    def read(at: Timestamp, zone: str = "") -> int:
        try:
            time = _EPOCH + timedelta(microseconds=at.nanos // 1000)
            return part(time.astimezone(_zone(zone)))
        except (OverflowError, ValueError):
            raise CelError("timestamp overflow") from None

    return [
        method(name, (TIMESTAMP,), INT, read),
        method(name, (TIMESTAMP, STRING), INT, read),
    ]


def _part_of_duration(name: str) -> Overload:
    unit = _NANOS_PER_PART[name]

    def read(of: Duration) -> int:
        return abs(of.nanos) // unit * (-1 if of.nanos < 0 else 1)

    return method(name, (DURATION,), INT, read)


def _no_duration(_number: int) -> Duration:
    # Declared, but a number has no unit.
    raise CelError(f"type conversion error from 'int' to '{DURATION}'")


OVERLOADS = (
    function("timestamp", (TIMESTAMP,), TIMESTAMP, unchanged),
    function("timestamp", (STRING,), TIMESTAMP, _read_timestamp),
    function("timestamp", (INT,), TIMESTAMP, lambda s: _timestamp(s * NANOS_PER_SECOND)),
    function("duration", (DURATION,), DURATION, unchanged),
    function("duration", (STRING,), DURATION, _read_duration),
    function("duration", (INT,), DURATION, _no_duration),
    function("int", (TIMESTAMP,), INT, lambda at: at.nanos // NANOS_PER_SECOND),
    function("int", (DURATION,), INT, lambda of: of.nanos),
    function("string", (TIMESTAMP,), STRING, timestamp_text),
    function("string", (DURATION,), STRING, duration_text),
    *(overload for name in _PARTS for overload in _part_of_time(name)),
    *map(_part_of_duration, _NANOS_PER_PART),
    function("_+_", (DURATION,) * 2, DURATION, lambda a, b: _duration(a.nanos + b.nanos)),
    function("_-_", (DURATION,) * 2, DURATION, lambda a, b: _duration(a.nanos - b.nanos)),
    function("_-_", (TIMESTAMP,) * 2, DURATION, lambda a, b: _duration(a.nanos - b.nanos)),
    function(
        "_+_", (TIMESTAMP, DURATION), TIMESTAMP, lambda at, of: _timestamp(at.nanos + of.nanos)
    ),
    function(
        "_+_", (DURATION, TIMESTAMP), TIMESTAMP, lambda of, at: _timestamp(at.nanos + of.nanos)
    ),
    function(
        "_-_", (TIMESTAMP, DURATION), TIMESTAMP, lambda at, of: _timestamp(at.nanos - of.nanos)
    ),
)
