"""Pods that wait out their backoff, which grows with each failure.

Whole seconds are windows: all pods with a backoff that ends in one become active together, at its
end, and inside a window they are in the order of the active queue, so that pods that are popped
early leave in a sensible order (SchedulerPopFromBackoffQ, KEP-5142). Without it, times aren't
rounded.
"""

import math

from podium.machines.backoff import Backoff
from podium.scheduler.queue.heap import Key, PodHeap
from podium.scheduler.queue.queued_pod import QueuedPod

NEVER = float("-inf")
WINDOW_S = 1


class BackoffQueue:
    """The backoff queue of v1.36, which is two: of rejected pods, and of errors.

    With `max_s` 0 there is no backoff; `in_windows` rounds its ends down to whole seconds.
    """

    def __init__(self, initial_s: float, max_s: float, *, in_windows: bool) -> None:
        self._backoff = Backoff(initial_s, max_s)
        self._in_windows = in_windows
        self._rejected = PodHeap()
        self._errors = PodHeap()

    def __len__(self) -> int:
        return len(self._rejected) + len(self._errors)

    def until_s(self, queued: QueuedPod) -> float:
        """Return when the backoff of a pod that has just come back ends.

        Consecutive errors are counted apart from rejections.
        """
        failures = queued.consecutive_errors or queued.unschedulable_count
        if failures == 0 or self._backoff.max_s == 0:
            return NEVER
        return self._rounded(queued.added_at_s + self._backoff.wait_s(failures))

    def failures_within(self, duration_s: float) -> int:
        """Return how often a pod has failed that was retried for so long.

        It is retried whenever its backoff is over. Failures that don't lengthen the backoff aren't
        counted.
        """
        failures, passed_s = 1, self._backoff.wait_s(1)
        while passed_s <= duration_s and self._backoff.wait_s(failures) < self._backoff.max_s:
            failures += 1
            passed_s += self._backoff.wait_s(failures)
        return failures

    def is_backing_off(self, queued: QueuedPod, now_s: float) -> bool:
        return queued.backoff_until_s >= self._rounded(now_s)

    def push(self, queued: QueuedPod, sort_key: Key) -> None:
        self._heap_of(queued).push(queued, (queued.backoff_until_s, *sort_key))

    def discard(self, queued: QueuedPod) -> None:
        self._heap_of(queued).discard(queued)

    def pop(self) -> QueuedPod | None:
        """Take the first rejected pod before its backoff is over; errors have to wait."""
        return self._rejected.pop()

    def can_pop(self) -> bool:
        return len(self._rejected) > 0

    def completed(self, now_s: float) -> list[QueuedPod]:
        taken = []
        for heap in (self._rejected, self._errors):
            while (head := heap.head()) is not None and head.backoff_until_s < now_s:
                heap.discard(head)
                taken.append(head)
        return taken

    def next_flush_s(self) -> float | None:
        heads = [head for heap in (self._rejected, self._errors) if (head := heap.head())]
        until_s = (math.floor(head.backoff_until_s) + WINDOW_S for head in heads)
        return min(until_s, default=None)

    def _heap_of(self, queued: QueuedPod) -> PodHeap:
        return self._rejected if queued.is_rejected else self._errors

    def _rounded(self, time_s: float) -> float:
        return math.floor(time_s) if self._in_windows else time_s
