"""The delaying queue and the rate limiter of client-go's work queues."""

import heapq
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

import msgspec

from podium.machines.backoff import Backoff

K = TypeVar("K", bound=Hashable)


class DelayedKeys(Generic[K]):
    """The keys that are to be looked at later; of several times for one, the earliest counts."""

    def __init__(self) -> None:
        self._due_s: dict[K, float] = {}
        self._heap: list[tuple[float, int, K]] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._due_s)

    def __contains__(self, key: K) -> bool:
        return key in self._due_s

    def add(self, key: K, at_s: float) -> None:
        """Have a key wait until a time, in seconds since the epoch, unless it is due before."""
        if at_s < self._due_s.get(key, float("inf")):
            self._due_s[key] = at_s
            self._count += 1
            heapq.heappush(self._heap, (at_s, self._count, key))

    def discard(self, key: K) -> None:
        """Have a key wait no more, if it does."""
        self._due_s.pop(key, None)

    def next_s(self) -> float:
        """When the first of them is due; infinity if none waits."""
        while self._heap and self._due_s.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def take_due(self, now_s: float) -> Iterator[K]:
        """The keys that are due; they wait no more."""
        while self.next_s() <= now_s:
            key = heapq.heappop(self._heap)[2]
            del self._due_s[key]
            yield key


_TOKENS_PER_S = 10.0
_TOKENS_MAX = 100.0


class RetryRules(msgspec.Struct, frozen=True):
    """How a controller tries again after failures; by default as most of v1.36's do.

    Attributes:
        backoff: how waits grow with the failures of one key.
        has_bucket: whether all keys together are tried again ten times a second at most, once a
            hundred retries have been spent.
        retries_max: after how many failures in a row a key is left until something happens to it;
            None if it never is.
    """

    backoff: Backoff = Backoff(first_s=0.005, max_s=1000.0)
    has_bucket: bool = True
    retries_max: int | None = None


class RetryLimits:
    """Counts the failures of keys, and says how long to wait."""

    def __init__(self, rules: RetryRules) -> None:
        self._rules = rules
        self._failures: dict[Hashable, int] = {}
        self._tokens = _TOKENS_MAX
        self._refilled_s = 0.0

    def fail(self, key: Hashable, now_s: float) -> float | None:
        """Count a failure; the seconds to wait, or None if the key isn't tried again."""
        failures = self._failures.get(key, 0)
        if failures == self._rules.retries_max:
            del self._failures[key]
            return None
        self._failures[key] = failures + 1
        wait_s = self._rules.backoff.wait_s(failures + 1)
        if not self._rules.has_bucket:
            return wait_s
        # Take a token, if need be of those to come.
        refill = (now_s - self._refilled_s) * _TOKENS_PER_S
        self._tokens = min(self._tokens + refill, _TOKENS_MAX) - 1.0
        self._refilled_s = now_s
        return max(wait_s, -self._tokens / _TOKENS_PER_S)

    def forget(self, key: Hashable) -> None:
        """Start all over with a key, as it has succeeded."""
        self._failures.pop(key, None)

    def has_failed(self, key: Hashable) -> bool:
        """Whether a key has failed since it last succeeded."""
        return key in self._failures
