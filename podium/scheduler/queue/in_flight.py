"""Events that happen while pods are being scheduled; hints check them if a pod is rejected."""

from collections import Counter, OrderedDict
from typing import NamedTuple

from podium.api.objects import Object
from podium.scheduler.queue.queue_events import QueueEvent
from podium.scheduler.snapshot.log import Cursor, Log


class InFlightEvent(NamedTuple):
    """An event that happened while pods were in flight."""

    what: QueueEvent
    old: Object | None
    new: Object | None
    only_uid: str = ""
    """Uid of the only pod that the event concerns; empty for all pods."""
    except_uid: str = ""
    """Uid of a pod that the event doesn't concern; empty for none."""

    def concerns(self, uid: str) -> bool:
        return self.only_uid in ("", uid) and self.except_uid != uid


class InFlight:
    """The pods in flight, each with a cursor of one common log of events."""

    def __init__(self) -> None:
        self._log: Log[InFlightEvent] = Log()
        # In the order in which they were popped.
        self._cursors: OrderedDict[str, Cursor[InFlightEvent]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._cursors)

    def begin(self, uid: str) -> None:
        self._cursors[uid] = self._log.cursor()

    def record(self, happened: InFlightEvent) -> None:
        if self._cursors:
            self._log.append(happened)

    def counts(self) -> Counter[str]:
        return Counter(happened.what.label for happened in self._log.entries)

    def end(self, uid: str) -> list[InFlightEvent] | None:
        """End a pod's flight; return the events that may concern it, or None if some are lost."""
        events = self._cursors.pop(uid).new()
        if self._cursors:
            self._log.forget_before(next(iter(self._cursors.values())))
        else:
            self._log.restart()
        return None if events is None else [event for event in events if event.concerns(uid)]
