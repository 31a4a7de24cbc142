"""A reader of those events of one kind that concern one value of a field.

A thousand watches of a thousand nodes would each have to look at every event of every pod. These
are handed just their own, found by the field's value.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from podium.api.objects import Object
from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.history import History, Wake, WatchEvent

ReadField = Callable[[Object], str]


class FieldValue(NamedTuple):
    """A field's value that a watch selects by; all watches of the field share the reader."""

    read: ReadField
    value: str

    def concerns(self, event: WatchEvent) -> bool:
        """Whether the field has or had the value."""
        if self.read(event.obj) == self.value:
            return True
        return event.previous is not None and self.read(event.previous) == self.value


class FieldWatch:
    """Reads the events after a revision that concern a field's value, each once, in order.

    It keeps what hasn't been taken, up to as many events as are remembered of its kind.
    """

    __slots__ = (
        "_events",
        "_field",
        "_history",
        "_is_expired",
        "_namespace",
        "_revision",
        "_wake",
        "_whole",
    )

    def __init__(
        self,
        whole: History,
        kind: str,
        namespace: str | None,
        field: FieldValue,
        revision: int,
    ) -> None:
        self._whole = whole
        self._history = whole.of(kind)
        if revision < self._history.oldest_revision:
            raise ExpiredError.watch(revision, self._history.oldest_revision)
        self._revision = revision
        self._wake: Wake | None = None
        self._namespace = namespace
        self._field = field
        self._is_expired = False
        past = filter(self._is_within, self._history.after(revision))
        self._events = deque(filter(field.concerns, past))
        self._history.followers.add(field.read, field.value, self._follow)

    @property
    def revision(self) -> int:
        """All events up to this revision have been taken, as a bookmark may say."""
        if not self._events and not self._is_expired:
            self._revision = max(self._revision, self._whole.revision)
        return self._revision

    def take(self, limit: int | None = None) -> list[WatchEvent]:
        """The next events, if any; raises ExpiredError, after which the watch is of no use."""
        if self._is_expired:
            raise ExpiredError.watch(self._revision, self._history.oldest_revision)
        events = self._events
        count = len(events) if limit is None else min(limit, len(events))
        taken = [events.popleft() for _ in range(count)]
        if taken:
            self._revision = taken[-1].revision
        return taken

    def wake_by(self, wake: Wake) -> None:
        """Call `wake` whenever there is something to take after there was nothing."""
        self._wake = wake

    def close(self) -> None:
        """Wake no more."""
        self._wake = None
        self._history.followers.remove(self._field.read, self._field.value, self._follow)

    def _is_within(self, event: WatchEvent) -> bool:
        return self._namespace is None or event.namespace == self._namespace

    def _follow(self, event: WatchEvent) -> Wake | None:
        # Opened amid a transaction, it starts after events that weren't told of yet.
        if self._is_expired or event.revision <= self._revision or not self._is_within(event):
            return None
        if len(self._events) == self._history.size:
            self._is_expired = True
            self._events.clear()
            return self._wake
        self._events.append(event)
        return self._wake if len(self._events) == 1 else None
