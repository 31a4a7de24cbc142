"""Ages and durations in one or two units, as in kubectl's AGE column."""

from podium.api.values.times import NANOS_PER_SECOND, TimeError, parse_time

UNKNOWN = "<unknown>"

_MINUTE_S, _HOUR_S = 60, 3600
_DAY_S = 24 * _HOUR_S
_YEAR_S = 365 * _DAY_S
# From this many seconds on, a duration has this unit, and its rest the smaller one, if any.
_STEPS: tuple[tuple[int, int, str, int, str], ...] = (
    (8 * _YEAR_S, _YEAR_S, "y", 0, ""),
    (2 * _YEAR_S, _YEAR_S, "y", _DAY_S, "d"),
    (8 * _DAY_S, _DAY_S, "d", 0, ""),
    (2 * _DAY_S, _DAY_S, "d", _HOUR_S, "h"),
    (8 * _HOUR_S, _HOUR_S, "h", 0, ""),
    (3 * _HOUR_S, _HOUR_S, "h", _MINUTE_S, "m"),
    (10 * _MINUTE_S, _MINUTE_S, "m", 0, ""),
    (2 * _MINUTE_S, _MINUTE_S, "m", 1, "s"),
    (0, 1, "s", 0, ""),
)
# Clocks that differ a little make small negative spans; larger ones are a fault.
_SKEW_MAX_S = 2


def human_duration(span_s: float) -> str:
    """Format a duration in kubectl's short form, such as `45s`, `4m3s`, `3h`, `5d2h` or `3y12d`.

    Down to -2 seconds a duration counts as 0; below it is `<invalid>`.
    """
    seconds = int(span_s)
    if seconds <= -_SKEW_MAX_S:
        return "<invalid>"
    seconds = max(seconds, 0)
    _, unit_s, unit, rest_s, rest_unit = next(step for step in _STEPS if seconds >= step[0])
    count, rest = divmod(seconds, unit_s)
    smaller = rest // rest_s if rest_s else 0
    return f"{count}{unit}{smaller}{rest_unit}" if smaller else f"{count}{unit}"


def since(time: object, now_s: float) -> str:
    """Format the time that has passed since an RFC 3339 time; `<unknown>` if it isn't a time."""
    if not isinstance(time, str):
        return UNKNOWN
    try:
        return human_duration(now_s - parse_time(time) / NANOS_PER_SECOND)
    except TimeError:
        return UNKNOWN


def between(start: str, end: str) -> str:
    """Format the duration between two RFC 3339 times."""
    return human_duration((parse_time(end) - parse_time(start)) / NANOS_PER_SECOND)
