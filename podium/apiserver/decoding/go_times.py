"""Times as Go's time.Parse reads them, for what it says of a text that is none."""

import json
import re
from functools import lru_cache

from podium.api.times import TimeError, parse_time

LAYOUT = "2006-01-02T15:04:05Z07:00"
MICRO_LAYOUT = "2006-01-02T15:04:05.000000Z07:00"

_ELEMENTS = (
    ("2006", r"\d{4}"),
    ("-", "-"),
    ("01", r"\d\d"),
    ("-", "-"),
    ("02", r"\d\d"),
    ("T", "T"),
    ("15", r"\d\d"),
    (":", ":"),
    ("04", r"\d\d"),
    (":", ":"),
    ("05", r"\d\d"),
)
_SECONDS_END = len("2006-01-02T15:04:05")
_FRACTION = (("", r"([.,]\d+)?"),)
_MICROS = ((".000000", r"\.\d{6}"),)
_ZONE = (("Z07:00", r"Z|[-+]\d\d:\d\d"),)
_RANGES = {
    "01": ("month", range(1, 13)),
    "15": ("hour", range(24)),
    "04": ("minute", range(60)),
    "05": ("second", range(60)),
}


@lru_cache(maxsize=1 << 12)
def time_fault(text: str, *, micro: bool = False) -> str:
    """What Go says of a text that isn't a time; empty if it is one.

    Args:
        text: as sent.
        micro: whether it must have microseconds, as the times of leases and events have.
    """
    layout = MICRO_LAYOUT if micro else LAYOUT
    rest = text
    for element, shape in (*_ELEMENTS, *(_MICROS if micro else _FRACTION), *_ZONE):
        match = re.match(shape, rest, re.ASCII)
        if match is None:
            unread = f"cannot parse {_quoted(rest)} as {_quoted(element)}"
            return f"parsing time {_quoted(text)} as {_quoted(layout)}: {unread}"
        if element in _RANGES and int(match.group()) not in _RANGES[element][1]:
            return f"parsing time {_quoted(text)}: {_RANGES[element][0]} out of range"
        rest = rest[match.end() :]
    if rest:
        return f"parsing time {_quoted(text)}: extra text: {_quoted(rest)}"
    if not _is_time(text):
        what = "year" if _is_time(f"{text[:_SECONDS_END]}Z") else "day"
        return f"parsing time {_quoted(text)}: {what} out of range"
    return ""


def _is_time(text: str) -> bool:
    try:
        parse_time(text)
    except TimeError:
        return False
    return True


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
