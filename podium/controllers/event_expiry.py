"""The deletion of Events an hour after their last occurrence; in a real cluster, etcd expires them.

As there are many Events, only their deletion times are kept.
"""

import heapq
import math
from collections.abc import Sequence

from podium.api.objects import Object, Place, part, place_of, uid_of
from podium.api.values.times import NANOS_PER_SECOND, parse_time
from podium.machines.effects import Delete, Effect
from podium.machines.events import Change, Event, Outcome
from podium.machines.machine import Machine

TTL_S = 3600.0
# The period of deletions, and of retries after failures.
ROUND_S = 10.0

_EVENT = "Event"


class EventExpiry(Machine):
    """Deletes Events that are `TTL_S` seconds old."""

    name = "event-expiry"
    kinds = frozenset({_EVENT})

    def __init__(self) -> None:
        self._due_s: dict[str, float] = {}
        self._heap: list[tuple[float, str, Place]] = []

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Change):
            if event.new is not None:
                until_s = _last_observed_s(event.new) + TTL_S
                due_s, uid = math.ceil(until_s / ROUND_S) * ROUND_S, uid_of(event.new)
                if self._due_s.get(uid) != due_s:
                    self._due_s[uid] = due_s
                    heapq.heappush(self._heap, (due_s, uid, place_of(event.new)))
            elif event.old is not None:
                self._due_s.pop(uid_of(event.old), None)
            return ()
        if isinstance(event, Outcome):
            effect = event.effect
            if event.error is not None and isinstance(effect, Delete) and effect.uid in self._due_s:
                due_s = self._due_s[effect.uid] = now_s + ROUND_S
                place = (effect.namespace, effect.name)
                heapq.heappush(self._heap, (due_s, effect.uid, place))
            return ()
        deletions = []
        while self._heap and self._heap[0][0] <= now_s:
            due_s, uid, place = heapq.heappop(self._heap)
            if self._due_s.get(uid) == due_s:
                namespace, name = place
                deletions.append(
                    Delete(kind=_EVENT, namespace=namespace, name=name, uid=uid, purpose=place)
                )
        return deletions

    def next_wakeup_s(self) -> float | None:
        return self._heap[0][0] if self._heap else None


def _last_observed_s(event: Object) -> float:
    times = (
        event["metadata"].get("creationTimestamp"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        part(event, "series").get("lastObservedTime"),
    )
    return max((parse_time(time) for time in times if time), default=0) / NANOS_PER_SECOND
