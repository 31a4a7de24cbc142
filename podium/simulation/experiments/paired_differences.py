"""Paired differences: what changes from one side to the other, run by run.

Both sides play the same scenarios with the same seeds, so each run of one side has its twin on the
other. The mean of their differences has an interval by Student's t. With fewer than `PAIRS_MIN`
pairs even differences of one sign throughout may be chance at that level, so there is no interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt

from podium.api.documents.report import IF_KNOWN, Report

PAIRS_MIN = 6
_DIGITS = 6
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval(Report):
    """Where the mean difference lies with 95 % confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference(Report):
    """How a measure differs between the two sides.

    Attributes:
        measure: its name.
        a: the mean of the first side.
        b: the mean of the second side.
        difference: the mean of second minus first, pair by pair.
        interval: of that; null where there are too few pairs.
        pairs: how many there are.
        higher: in how many of them the second side's is higher.
        lower: in how many it is lower.
        widest: the pair that differs most, by its number.
    """

    measure: str
    a: float
    b: float
    difference: float
    interval: Interval | None
    pairs: int
    higher: int
    lower: int
    widest: Annotated[int | None, IF_KNOWN]

    @property
    def is_certain(self) -> bool:
        """Whether chance alone hardly makes such a difference."""
        return self.interval is not None and (self.interval.low > 0 or self.interval.high < 0)


Measures = Mapping[str, float]


def differences(pairs: Sequence[tuple[Measures, Measures]]) -> list[Difference]:
    """Differences of all measures, in the order in which runs have them.

    Args:
        pairs: the measures of the first and the second side of each pair; what a run lacks is 0.
    """
    names = list(dict.fromkeys(name for pair in pairs for side in pair for name in side))
    if not pairs:
        return []
    sides = [
        np.array([[pair[side].get(name, 0.0) for name in names] for pair in pairs])
        for side in (0, 1)
    ]
    return [_difference(name, sides[0][:, at], sides[1][:, at]) for at, name in enumerate(names)]


Column = npt.NDArray[np.float64]


def _difference(name: str, a: Column, b: Column) -> Difference:
    found = b - a
    widest = int(np.abs(found).argmax()) if found.any() else None
    return Difference(
        measure=name,
        a=_rounded(a.mean()),
        b=_rounded(b.mean()),
        difference=_rounded(found.mean()),
        interval=_interval(found),
        pairs=len(found),
        higher=int((found > 0).sum()),
        lower=int((found < 0).sum()),
        widest=widest,
    )


def _interval(found: Column) -> Interval | None:
    pairs = len(found)
    if pairs < PAIRS_MIN:
        return None
    mean = float(found.mean())
    half = _t(pairs - 1) * float(found.std(ddof=1)) / pairs**0.5
    return Interval(_rounded(mean - half), _rounded(mean + half))


def _t(freedom: int) -> float:
    """The 97.5th percentile of Student's t, by its expansion around the normal distribution's.

    Args:
        freedom: degrees of freedom; from 5 on it is right to a thousandth.
    """
    z = _Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)


def number_text(value: float) -> str:
    """Format a number with as many digits as matter: `0`, `12`, `3.42`, `0.0567`."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3g}"


def change_text(value: float) -> str:
    """Format a number with its sign: `+12`, `−3.42`, `0`."""
    return f"+{number_text(value)}" if value > 0 else number_text(value).replace("-", "−")


def interval_text(interval: Interval | None) -> str:
    """Format both ends of an interval; `-` where there is none."""
    if interval is None:
        return "-"
    return f"{change_text(interval.low)} … {change_text(interval.high)}"
