"""Spans of time, as scenarios write them: fixed, left to chance, or without end."""

import math
from dataclasses import dataclass
from random import Random

from podium.api.errors import FieldError, InvalidValue
from podium.config.reading.durations import duration_seconds

ENDLESS_S = math.inf

_RULE = (
    "must be a duration (10s), a range of durations (10s..1m), each as likely, "
    "or the average of exponentially distributed ones (~1m)"
)


class SpanError(InvalidValue):
    """A text that isn't a span of time."""


@dataclass(frozen=True, slots=True)
class Span:
    """How long something takes.

    Attributes:
        least_s: at least.
        most_s: at most; the same if nothing is left to chance, `ENDLESS_S` if it never ends.
        mean_s: the average where short spans are likelier than long ones; else None.
    """

    least_s: float
    most_s: float
    mean_s: float | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether nothing is left to chance."""
        return self.least_s == self.most_s

    def draw(self, rng: Random) -> float:
        """A span in seconds."""
        if self.mean_s is not None:
            return rng.expovariate(1 / self.mean_s)
        return self.least_s if self.is_fixed else rng.uniform(self.least_s, self.most_s)


def fixed(span_s: float) -> Span:
    """A span of so many seconds."""
    return Span(span_s, span_s)


NO_TIME = fixed(0.0)
ENDLESS = fixed(ENDLESS_S)


def parse_span(text: str, endless: str = "") -> Span:
    """A span as written.

    Args:
        text: such as `10s`, `10s..1m`, `~1m`.
        endless: the word for a span that never ends, where there may be one.

    Raises:
        SpanError: it is none of these.
    """
    if endless and text == endless:
        return ENDLESS
    if text.startswith("~"):
        mean_s = _seconds(text[1:])
        if mean_s:
            return Span(0.0, ENDLESS_S, mean_s)
    else:
        least, dots, most = text.partition("..")
        least_s = _seconds(least)
        most_s = _seconds(most) if dots else least_s
        if least_s is not None and most_s is not None and least_s <= most_s:
            return Span(least_s, most_s)
    rule = f"{_RULE}, or {endless}" if endless else _RULE
    raise SpanError(FieldError("", text, rule))


def _seconds(text: str) -> float | None:
    """The duration; None if it isn't one, or if it is negative."""
    seconds = duration_seconds(text)
    return seconds if seconds is not None and seconds >= 0 else None
