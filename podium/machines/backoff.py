"""Exponential backoff after failures."""

from random import Random

import msgspec

# The maximum is reached by then; larger powers of two may not fit into a float.
_DOUBLINGS_MAX = 64


class Backoff(msgspec.Struct, frozen=True):
    """Wait times in seconds that double with each consecutive failure, up to a maximum."""

    first_s: float
    max_s: float

    def wait_s(self, failures: int) -> float:
        """Return the seconds to wait after a number of consecutive failures; 0 without failures."""
        if failures <= 0:
            return 0.0
        return min(self.first_s * 2.0 ** min(failures - 1, _DOUBLINGS_MAX), self.max_s)

    def jittered_s(self, failures: int, rng: Random) -> float:
        """Return the wait, extended by a random share of 0 to 100% so that retries are spread."""
        return self.wait_s(failures) * (1.0 + rng.random())


class Restarts(msgspec.Struct):
    """The backoff of restarts, such as those of a container that keeps exiting.

    The first restart has no wait. If a run ends more than twice the maximum wait after the last
    restart, counting starts again from zero, as in client-go's Backoff (v1.36).
    """

    backoff: Backoff
    count: int = 0
    last_s: float = 0.0

    def wait_s(self, ended_s: float) -> float:
        """Return the seconds to wait before the restart of a run that ended at `ended_s`."""
        return 0.0 if self._is_reset(ended_s) else self.backoff.wait_s(self.count)

    def restarted(self, ended_s: float, at_s: float) -> None:
        """Count a restart at `at_s` of a run that ended at `ended_s`."""
        self.count = 1 if self._is_reset(ended_s) else self.count + 1
        self.last_s = at_s

    def _is_reset(self, ended_s: float) -> bool:
        return ended_s - self.last_s > 2 * self.backoff.max_s
