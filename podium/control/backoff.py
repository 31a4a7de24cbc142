"""Exponential backoff: the one place that says how waits grow with failures."""

from dataclasses import dataclass

# Any longest wait is reached by then; a power of two that a float can't hold never comes up.
_DOUBLINGS_MAX = 64


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double with each failure in a row, up to a longest one.

    Attributes:
        first_s: the wait after the first failure.
        max_s: the longest.
    """

    first_s: float
    max_s: float

    def wait_s(self, failures: int) -> float:
        """How long to wait after so many failures in a row, however many; 0 without any."""
        if failures <= 0:
            return 0.0
        return min(self.first_s * 2.0 ** min(failures - 1, _DOUBLINGS_MAX), self.max_s)
