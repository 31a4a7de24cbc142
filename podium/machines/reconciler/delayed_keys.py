"""Keys that wait for their time, as in the delaying queue of client-go."""

import heapq
from collections.abc import Hashable, Iterator


class DelayedKeys:
    """The keys that are to be looked at later; of several times for one, the earliest counts."""

    def __init__(self) -> None:
        self._due_s: dict[Hashable, float] = {}
        self._heap: list[tuple[float, int, Hashable]] = []
        self._count = 0

    def __bool__(self) -> bool:
        """Whether any key waits."""
        return bool(self._due_s)

    def add(self, key: Hashable, at_s: float) -> None:
        """Have a key wait until a time, in seconds since the epoch, unless it is due before."""
        if at_s < self._due_s.get(key, float("inf")):
            self._due_s[key] = at_s
            self._count += 1
            heapq.heappush(self._heap, (at_s, self._count, key))

    def next_s(self) -> float:
        """When the first of them is due; infinity if none waits."""
        while self._heap and self._due_s.get(self._heap[0][2]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def take_due(self, now_s: float) -> Iterator[Hashable]:
        """The keys that are due; they wait no more."""
        while self.next_s() <= now_s:
            key = heapq.heappop(self._heap)[2]
            del self._due_s[key]
            yield key
