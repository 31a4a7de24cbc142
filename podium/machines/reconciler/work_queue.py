"""The delaying queue, exponential backoff and rate limiter of client-go's work queues."""

import heapq
from collections.abc import Hashable, Iterator
from random import Random
from typing import Generic, TypeVar

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


K = TypeVar("K", bound=Hashable)


class DelayedKeys(Generic[K]):
    """Keys and the time at which each is due; only the earliest time of a key is kept."""

    def __init__(self) -> None:
        self._due_s: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._due_s)

    def __contains__(self, key: K) -> bool:
        return key in self._due_s

    def add(self, key: K, at_s: float) -> None:
        """Add a key that is due at a time in seconds since the epoch; an earlier time is kept."""
        if at_s < self._due_s.get(key, float("inf")):
            self._due_s[key] = at_s
            self._count += 1
            heapq.heappush(self._heap, (at_s, self._count, key))

    def discard(self, key: K) -> None:
        """Remove a key, if present."""
        self._due_s.pop(key, None)

    def next_s(self) -> float:
        """Return the time at which the first key is due; infinity without keys."""
        while self._heap and self._due_s.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def take_due(self, now_s: float) -> Iterator[K]:
        """Remove and yield the keys that are due."""
        while self.next_s() <= now_s:
            key = heapq.heappop(self._heap)[2]
            del self._due_s[key]
            yield key


_TOKENS_PER_S = 10.0
_TOKENS_MAX = 100.0


class RetryRules(msgspec.Struct, frozen=True):
    """The retry rules of a controller; the defaults are those of most controllers of v1.36."""

    backoff: Backoff = Backoff(first_s=0.005, max_s=1000.0)
    has_bucket: bool = True
    """Whether a token bucket limits the retries of all keys together, to 10 a second after a burst
    of 100."""
    retries_max: int | None = None
    """Consecutive failures after which a key is no longer retried; None for no limit."""


class RetryLimits:
    """The numbers of consecutive failures by key, and the waits that result."""

    def __init__(self, rules: RetryRules) -> None:
        self._rules = rules
        self._failures: dict[Hashable, int] = {}
        self._tokens = _TOKENS_MAX
        self._refilled_s = 0.0

    def fail(self, key: Hashable, now_s: float) -> float | None:
        """Count a failure, and return the wait in seconds; None if the key isn't retried."""
        failures = self._failures.get(key, 0)
        if failures == self._rules.retries_max:
            del self._failures[key]
            return None
        self._failures[key] = failures + 1
        wait_s = self._rules.backoff.wait_s(failures + 1)
        if not self._rules.has_bucket:
            return wait_s
        # Takes a token; a negative number of tokens is a wait for those to come.
        refill = (now_s - self._refilled_s) * _TOKENS_PER_S
        self._tokens = min(self._tokens + refill, _TOKENS_MAX) - 1.0
        self._refilled_s = now_s
        return max(wait_s, -self._tokens / _TOKENS_PER_S)

    def forget(self, key: Hashable) -> None:
        """Reset the failures of a key after a success."""
        self._failures.pop(key, None)

    def has_failed(self, key: Hashable) -> bool:
        """Return whether a key has failed since its last success."""
        return key in self._failures
