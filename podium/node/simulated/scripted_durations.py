"""Durations as scenarios write them: fixed, left to chance, or without end."""

import math
from dataclasses import dataclass
from random import Random

from podium.api.durations import duration_seconds
from podium.api.errors import FieldError, InvalidValueError

ENDLESS_S = math.inf

_RULE = (
    "must be a duration (10s), a range of durations (10s..1m), each as likely, "
    "or the average of exponentially distributed ones (~1m)"
)


class ScriptedDurationError(InvalidValueError):
    """A text that can't be read as a scripted duration."""


@dataclass(frozen=True, slots=True)
class ScriptedDuration:
    """How long something scripted takes: a fixed time, or one left to chance.

    Attributes:
        least_s: at least.
        most_s: at most; the same if nothing is left to chance, `ENDLESS_S` if it never ends.
        mean_s: the average where short ones are likelier than long ones; else None.
    """

    least_s: float
    most_s: float
    mean_s: float | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether nothing is left to chance."""
        return self.least_s == self.most_s

    def draw(self, rng: Random) -> float:
        """One such duration, in seconds."""
        if self.mean_s is not None:
            return rng.expovariate(1 / self.mean_s)
        return self.least_s if self.is_fixed else rng.uniform(self.least_s, self.most_s)


def fixed(duration_s: float) -> ScriptedDuration:
    """A duration of so many seconds."""
    return ScriptedDuration(duration_s, duration_s)


NO_TIME = fixed(0.0)
ENDLESS = fixed(ENDLESS_S)


def parse_scripted_duration(text: str, endless: str = "") -> ScriptedDuration:
    """A duration as written.

    Args:
        text: such as `10s`, `10s..1m`, `~1m`.
        endless: the word for a duration that never ends, where there may be one.

    Raises:
        ScriptedDurationError: it is none of these.
    """
    if endless and text == endless:
        return ENDLESS
    if text.startswith("~"):
        mean_s = _seconds(text[1:])
        if mean_s:
            return ScriptedDuration(0.0, ENDLESS_S, mean_s)
    else:
        least, dots, most = text.partition("..")
        least_s = _seconds(least)
        most_s = _seconds(most) if dots else least_s
        if least_s is not None and most_s is not None and least_s <= most_s:
            return ScriptedDuration(least_s, most_s)
    rule = f"{_RULE}, or {endless}" if endless else _RULE
    raise ScriptedDurationError(FieldError("", text, rule))


def _seconds(text: str) -> float | None:
    """The duration; None if it isn't one, or if it is negative."""
    seconds = duration_seconds(text)
    return seconds if seconds is not None and seconds >= 0 else None
