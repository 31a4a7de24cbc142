"""What happened while pods were being tried.

An attempt decides on the cluster as it was when the attempt began. If the pod comes back rejected,
all that has happened since then is looked at once more: it may have helped already.
"""

from collections import Counter, OrderedDict
from typing import NamedTuple

from podium.api.objects import Object
from podium.scheduler.queue.queue_events import QueueEvent
from podium.scheduler.snapshot.change_log import Cursor, Log


class Happened(NamedTuple):
    """An event in the cluster that happened while pods were being decided.

    Attributes:
        only_uid: the only pod that it concerns; empty if it may concern all.
        except_uid: a pod that it doesn't concern; empty if there is none.
    """

    what: QueueEvent
    old: Object | None
    new: Object | None
    only_uid: str = ""
    except_uid: str = ""

    def concerns(self, uid: str) -> bool:
        """Whether it may concern a pod."""
        return self.only_uid in ("", uid) and self.except_uid != uid


class InFlight:
    """The pods in flight, each with a cursor of one log of events."""

    def __init__(self) -> None:
        self._log: Log[Happened] = Log()
        # In the order in which they were popped.
        self._cursors: OrderedDict[str, Cursor[Happened]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._cursors)

    def begin(self, uid: str) -> None:
        """A pod has been popped."""
        self._cursors[uid] = self._log.cursor()

    def record(self, happened: Happened) -> None:
        """Something happened; forgotten at once if no pod is in flight."""
        if self._cursors:
            self._log.append(happened)

    def counts(self) -> Counter[str]:
        """How many events are kept, by name."""
        return Counter(happened.what.label for happened in self._log.entries)

    def end(self, uid: str) -> list[Happened] | None:
        """The events that may concern a pod since it was popped; it isn't in flight any more.

        Returns:
            None where there were too many to be kept.
        """
        events = self._cursors.pop(uid).new()
        if self._cursors:
            self._log.forget_before(next(iter(self._cursors.values())))
        else:
            self._log.restart()
        return None if events is None else [one for one in events if one.concerns(uid)]
