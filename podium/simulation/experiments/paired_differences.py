"""Paired differences of measures between two sides of an experiment.

Both sides run the same scenarios with the same seeds, so each run of one side is paired with a run
of the other. The mean difference has an interval by Student's t. With fewer than `PAIRS_MIN` pairs
there is no interval, as even differences of equal sign in all pairs may be chance.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np

from podium.api.documents.report import IF_KNOWN, Report

PAIRS_MIN = 6
_DIGITS = 6
_Z = 1.959963984540054


class Interval(Report):
    """The 95 % confidence interval of a mean difference."""

    low: float
    high: float


class Difference(Report):
    """How a measure differs between the two sides."""

    measure: str
    """Name of the measure."""
    a: float
    """Mean of the measure on the first side."""
    b: float
    """Mean of the measure on the second side."""
    difference: float
    """Mean over all pairs of the second side's value minus the first side's."""
    interval: Interval | None
    """Confidence interval of the difference; null if there are too few pairs."""
    pairs: int
    """Number of pairs."""
    higher: int
    """Number of pairs in which the measure is higher on the second side."""
    lower: int
    """Number of pairs in which the measure is lower on the second side."""
    widest: Annotated[int | None, IF_KNOWN]
    """Index, from 0, of the pair that differs most; omitted if none differs."""

    @property
    def is_certain(self) -> bool:
        """Return whether the difference is unlikely to be chance: the interval excludes 0."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)


Measures = Mapping[str, float]


def differences(pairs: Sequence[tuple[Measures, Measures]]) -> list[Difference]:
    """Compute the differences of all measures, in order; an absent measure counts as 0."""
    names = dict.fromkeys(name for pair in pairs for side in pair for name in side)
    compared = []
    for name in names:
        a, b = (np.array([pair[side].get(name, 0.0) for pair in pairs]) for side in (0, 1))
        change = b - a
        mean, interval = float(change.mean()), None
        if len(pairs) >= PAIRS_MIN:
            deviation = float(change.std(ddof=1))
            half = _student_t(len(pairs) - 1) * deviation / len(pairs) ** 0.5
            interval = Interval(round(mean - half, _DIGITS), round(mean + half, _DIGITS))
        difference = Difference(
            measure=name,
            a=round(float(a.mean()), _DIGITS),
            b=round(float(b.mean()), _DIGITS),
            difference=round(mean, _DIGITS),
            interval=interval,
            pairs=len(pairs),
            higher=int((change > 0).sum()),
            lower=int((change < 0).sum()),
            widest=int(np.abs(change).argmax()) if change.any() else None,
        )
        compared.append(difference)
    return compared


def _student_t(freedom: int) -> float:
    # The 97.5th percentile of Student's t, by its expansion around the normal distribution's; it
    # is right to a thousandth from 5 degrees of freedom on.
    z = _Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def number_text(value: float) -> str:
    """Format a number with two decimals, or three digits below 1: `12`, `3.42`, `0.0567`."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def change_text(value: float) -> str:
    """Format a number with its sign: `+12`, `−3.42`, `0`."""
    return f"+{number_text(value)}" if value > 0 else number_text(value).replace("-", "−")


def interval_text(interval: Interval | None) -> str:
    """Format both ends of an interval; `-` if it is None."""
    if interval is None:
        return "-"
    return f"{change_text(interval.low)} … {change_text(interval.high)}"
