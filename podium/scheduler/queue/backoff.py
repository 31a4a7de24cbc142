"""Pods that wait until their backoff ends; it grows with each failure.

With SchedulerPopFromBackoffQ (KEP-5142), pods whose backoff ends in the same whole second become
active together, at the end of that second. Among themselves they have the order of the active
queue, also for pods that are popped early. Without it, times aren't rounded.
"""

import math

from podium.machines.reconciler.work_queue import Backoff
from podium.scheduler.queue.heap import Key, PodHeap
from podium.scheduler.queue.queued_pod import QueuedPod

NEVER = float("-inf")
WINDOW_S = 1


class BackoffQueue:
    """The backoff queue of v1.36: one heap of rejected pods, and one of pods with errors.

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
        """Return when the backoff of a pod ends whose attempt has just failed, in seconds.

        It grows with consecutive errors if there are any, else with rejections.
        """
        failures = queued.consecutive_errors or queued.unschedulable_count
        if failures == 0 or self._backoff.max_s == 0:
            return NEVER
        return self._rounded(queued.added_at_s + self._backoff.wait_s(failures))

    def failures_within(self, duration_s: float) -> int:
        """Return how often a pod has failed within this time if it was retried after each backoff.

        Stops counting once failures no longer lengthen the backoff.
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
        """Take the first rejected pod although its backoff isn't over; pods with errors stay."""
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
