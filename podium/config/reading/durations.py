"""Durations as Go writes them, in seconds."""

from podium.api.durations import NANOS_PER_SECOND, DurationError, parse_duration


def duration_seconds(text: str) -> float | None:
    """The duration in seconds, exact to the nanosecond; None if the text isn't one."""
    try:
        return parse_duration(text) / NANOS_PER_SECOND
    except DurationError:
        return None
