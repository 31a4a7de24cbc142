"""Events go an hour after they were last told of, as kube-apiserver has them expire.

There a lease in etcd removes them; here a controller does, for clusters that run for long.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.control.effects import Delete, Effect
from podium.control.events import Change
from podium.controllers.kit.objects import place_of, uid_of
from podium.controllers.kit.reconciler import Reconciler

Object = Mapping[str, Any]

TTL_S = 3600.0

_EVENT = "Event"


class EventExpiry(Reconciler):
    """Deletes Events that are `TTL_S` old."""

    name = "event-expiry"
    kinds = frozenset({_EVENT})

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        if change.new is not None:
            yield place_of(change.new)

    def reconcile(self, key: Hashable, now_s: float) -> Sequence[Effect]:
        assert isinstance(key, tuple)
        event = self.objects.get(_EVENT, key[1], key[0])
        if event is None:
            return ()
        due_s = told_s(event) + TTL_S
        if due_s > now_s:
            self.look_again(key, due_s)
            return ()
        return (Delete(kind=_EVENT, namespace=key[0], name=key[1], uid=uid_of(event)),)


def told_s(event: Object) -> float:
    """When an Event was last told of, in seconds since the epoch."""
    times = (
        event["metadata"].get("creationTimestamp"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        (event.get("series") or {}).get("lastObservedTime"),
    )
    return max((parse_time(time) for time in times if time), default=0) / NANOS_PER_SECOND
