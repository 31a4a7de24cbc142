"""Pods that end as soon as they are created, one in place of another.

An owner whose pods their node rejects makes one after the other. Readers are told of the first,
and how often it happened.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from podium.api.policy.disruption_target import BY_SCHEDULER
from podium.simulation.timeline.entry import TimelineEntry

_ENDS = frozenset({"PodTerminating", "PodFailed", "PodGone"})
_AT_ONCE_S = 1.0


class _Created(msgspec.Struct, frozen=True):
    owner: tuple[Any, ...]
    at_s: float
    turn: int


class Repetitions:
    """Finds the pods that repeat what has become of another pod of their owner.

    A pod repeats another if it was created after the other had ended, and if both ended in their
    first second, on the same node and for the same reason. Preemptions are told one by one.

    Attributes:
        first: by the uid of a pod that repeats another, that of the first one.
        times: by the uid of a first one, how many pods repeat it.
        until_s: by the same, when the last of them ended, in seconds since the beginning.
    """

    def __init__(self, entries: Iterable[TimelineEntry] = ()) -> None:
        self.first: dict[str, str] = {}
        self.times: Counter[str] = Counter()
        self.until_s: dict[str, float] = {}
        self._turn = 0
        self._created: dict[str, _Created] = {}
        self._nodes: dict[str, str] = {}
        self._ended: dict[tuple[Any, ...], tuple[str, int]] = {}
        for entry in entries:
            self.take(entry)

    def take(self, entry: TimelineEntry) -> None:
        self._turn += 1
        if entry.kind != "Pod" or not entry.uid:
            return
        if entry.type == "PodCreated":
            if owner := entry.details.get("owner"):
                key = (owner["kind"], entry.namespace, owner["name"])
                self._created[entry.uid] = _Created(key, entry.at_s, self._turn)
        elif entry.type == "PodBound":
            self._nodes[entry.uid] = entry.details["node"]
        elif entry.type in _ENDS and (created := self._created.pop(entry.uid, None)):
            self._end(entry, created)

    def _end(self, entry: TimelineEntry, created: _Created) -> None:
        details = entry.details
        reason = details.get("disruption") or details.get("reason")
        if not reason or reason == BY_SCHEDULER.reason or entry.at_s - created.at_s >= _AT_ONCE_S:
            return
        alike = (created.owner, self._nodes.get(entry.uid), reason)
        first, turn = self._ended.setdefault(alike, (entry.uid, self._turn))
        if turn < created.turn:
            self.first[entry.uid] = first
            self.times[first] += 1
            self.until_s[first] = entry.at_s
