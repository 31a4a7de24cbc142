"""A heap of pods from which any pod can be removed at any time.

Entries of removed pods are dropped at the top of the heap, or all at once if they are the majority.
"""

from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from podium.scheduler.queue.queued_pod import QueuedPod

Key = tuple[float, ...]
Entry = tuple[Any, ...]

# Up to this size, entries of removed pods aren't dropped all at once.
_SIZE_MIN = 64


class PodHeap:
    """Pods ordered by key; those with equal keys in order of `turn`."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._serials = count()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def push(self, queued: QueuedPod, key: Key) -> None:
        entry = (key, queued.turn, next(self._serials), queued)
        queued.entry = entry
        heappush(self._entries, entry)
        self._size += 1

    def discard(self, queued: QueuedPod) -> None:
        queued.entry = None
        self._size -= 1
        if len(self._entries) > max(_SIZE_MIN, 2 * self._size):
            self._entries = [entry for entry in self._entries if entry[-1].entry is entry]
            heapify(self._entries)

    def head(self) -> QueuedPod | None:
        entries = self._entries
        while entries and entries[0][-1].entry is not entries[0]:
            heappop(entries)
        return entries[0][-1] if entries else None

    def pop(self) -> QueuedPod | None:
        queued = self.head()
        if queued is not None:
            heappop(self._entries)
            queued.entry = None
            self._size -= 1
        return queued
