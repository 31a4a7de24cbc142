"""What happened while pods were being tried.

An attempt decides on the cluster as it was when the attempt began. If the pod comes back rejected,
all that has happened since then is looked at once more: it may have helped already.
"""

from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from podium.api.objects import Object
from podium.scheduler.queue.queue_events import QueueEvent


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
    """The pods in flight, and one log of events for all of them.

    Each pod remembers where the log stood when it was popped; what is older than that of the
    longest in flight is dropped.
    """

    def __init__(self) -> None:
        self._log: list[Happened] = []
        self._dropped = 0
        self._since: OrderedDict[str, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._since)

    def __contains__(self, uid: str) -> bool:
        return uid in self._since

    def begin(self, uid: str) -> None:
        """A pod has been popped."""
        self._since[uid] = self._dropped + len(self._log)

    def record(self, happened: Happened) -> None:
        """Something happened; forgotten at once if no pod is in flight."""
        if self._since:
            self._log.append(happened)

    def events_of(self, uid: str) -> Sequence[Happened]:
        """What has happened since a pod in flight was popped, and may concern it."""
        recent = self._log[self._since[uid] - self._dropped :]
        return [happened for happened in recent if happened.concerns(uid)]

    def counts(self) -> Counter[str]:
        """How many events are kept, by name."""
        return Counter(happened.what.label for happened in self._log)

    def end(self, uid: str) -> None:
        """A pod isn't in flight any more."""
        del self._since[uid]
        # Pods are kept in the order in which they were popped.
        oldest = next(iter(self._since.values()), self._dropped + len(self._log))
        stale = oldest - self._dropped
        if 2 * stale >= len(self._log):
            del self._log[:stale]
            self._dropped = oldest
