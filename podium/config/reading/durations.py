"""Durations as Go writes them: `90s`, `1m30s`, `1.5h`, `250ms`, `0`."""

import re

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
_TERM = re.compile(
    r"(?P<whole>\d*)(?:\.(?P<fraction>\d*))?(?P<unit>ns|us|µs|μs|ms|s|m|h)", re.ASCII
)


def duration_seconds(text: str) -> float | None:
    """The duration in seconds, exact to the nanosecond; None if the text isn't one."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("-", "+") else ("+", text)
    nanos = 0 if digits == "0" else _nanos(digits)
    if nanos is None:
        return None
    return (-nanos if sign == "-" else nanos) / 10**9


def _nanos(text: str) -> int | None:
    nanos, position = 0, 0
    while position < len(text):
        term = _TERM.match(text, position)
        if term is None:
            return None
        whole, fraction = term["whole"], term["fraction"] or ""
        if not (whole or fraction):
            return None
        nanos += int(whole + fraction) * _NANOS_PER_UNIT[term["unit"]] // 10 ** len(fraction)
        position = term.end()
    return nanos if text else None
