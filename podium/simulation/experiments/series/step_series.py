"""A number over time that stays as it is until it changes, and the names of such lines."""

from collections.abc import Iterator

CLASS, NODE, ZONE, CLUSTER = "class", "node", "zone", "cluster"
"""What a line may be of."""

NO_CLASS = "none"
"""Stands for the class of pods that name none."""

Line = tuple[str, str, str]
"""What is measured, of what (one of the above), and of which one."""


class StepSeries:
    """Values, each from a moment on."""

    __slots__ = ("times_s", "values")

    def __init__(self) -> None:
        self.times_s: list[float] = []
        self.values: list[float] = []

    def set(self, at_s: float, value: float) -> None:
        """Set the value from a time on; of several at one time the last one counts."""
        if self.times_s and self.times_s[-1] == at_s:
            self.values[-1] = value
        elif not self.values or self.values[-1] != value:
            self.times_s.append(at_s)
            self.values.append(value)

    def points(self) -> Iterator[tuple[float, float]]:
        """Each change: when, and to what."""
        return zip(self.times_s, self.values, strict=True)

    def integral(self, until_s: float) -> float:
        """The sum of the value over all seconds up to a moment."""
        ends_s = [*self.times_s[1:], until_s]
        pieces = zip(self.times_s, ends_s, self.values, strict=True)
        return sum(value * max(0.0, min(end, until_s) - begin) for begin, end, value in pieces)

    def mean(self, until_s: float) -> float:
        """The average from the first value on, by time; the last value if no time passes."""
        if not self.values:
            return 0.0
        passed_s = until_s - self.times_s[0]
        return self.integral(until_s) / passed_s if passed_s > 0 else self.values[-1]
