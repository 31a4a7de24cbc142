"""Exponential backoff: the one place that says how waits grow with failures."""

from random import Random

import msgspec

# Any longest wait is reached by then; a power of two that a float can't hold never comes up.
_DOUBLINGS_MAX = 64


class Backoff(msgspec.Struct, frozen=True):
    """Waits that double with each failure in a row, up to a longest one."""

    first_s: float
    max_s: float

    def wait_s(self, failures: int) -> float:
        """How long to wait after so many failures in a row, however many; 0 without any."""
        if failures <= 0:
            return 0.0
        return min(self.first_s * 2.0 ** min(failures - 1, _DOUBLINGS_MAX), self.max_s)

    def jittered_s(self, failures: int, rng: Random) -> float:
        """As `wait_s`, and up to as long again, so that not all try again at once."""
        return self.wait_s(failures) * (1.0 + rng.random())


class Restarts(msgspec.Struct):
    """The restarts of what keeps ending: at once the first time, then later and later.

    What has run for more than twice the longest wait since its last restart starts all over, as in
    client-go's Backoff (v1.36).
    """

    backoff: Backoff
    count: int = 0
    last_s: float = 0.0

    def wait_s(self, ended_s: float) -> float:
        """Seconds to wait after an attempt that ended; 0 once its failures are forgiven."""
        return 0.0 if self._is_forgiven(ended_s) else self.backoff.wait_s(self.count)

    def restarted(self, ended_s: float, at_s: float) -> None:
        """Take note of a restart after an end."""
        self.count = 1 if self._is_forgiven(ended_s) else self.count + 1
        self.last_s = at_s

    def _is_forgiven(self, ended_s: float) -> bool:
        return ended_s - self.last_s > 2 * self.backoff.max_s
