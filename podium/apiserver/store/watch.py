"""Watches: readers of the history of one kind."""

from collections import deque
from typing import NamedTuple

from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.history import History, ReadField, Wake, WatchEvent


class Watch:
    """A reader that returns each event after a revision once, in order.

    A watch only advances when it is read. A watch that isn't read costs nothing, but expires.
    """

    __slots__ = ("_history", "_next", "_revision", "_wake", "_whole", "namespace")

    def __init__(
        self, whole: History, kind: str, namespace: str | None, revision: int, wake: Wake | None
    ) -> None:
        self.namespace = namespace
        self._whole = whole
        self._history = whole.of(kind)
        self._revision = revision
        self._wake = wake
        if revision < self._history.oldest_revision:
            raise ExpiredError.watch(revision, self._history.oldest_revision)
        self._next = self._history.number_after(revision)
        self._wait()

    @property
    def revision(self) -> int:
        """The revision up to which all events have been taken, for bookmarks."""
        if self._next == self._history.end:
            self._revision = max(self._revision, self._whole.revision)
        return self._revision

    def take(self, limit: int | None = None) -> list[WatchEvent]:
        """Return the next events; raises ExpiredError, after which the watch is unusable."""
        history = self._history
        if self._next < history.first:
            raise ExpiredError.watch(self._revision, history.oldest_revision)
        taken: list[WatchEvent] = []
        while self._next < history.end and len(taken) != limit:
            event = history[self._next]
            self._next += 1
            # A watch opened within a transaction starts after events that aren't published yet.
            if event.revision > self._revision:
                self._revision = event.revision
                if self._is_within(event):
                    taken.append(event)
        self._wait()
        return taken

    def wake_by(self, wake: Wake) -> None:
        """Set the function to call at the first event after all events were taken."""
        self._wake = wake
        self._wait()

    def close(self) -> None:
        """Stop calling the wake function."""
        self._wake = None
        self._history.waiting.pop(self, None)

    def _is_within(self, event: WatchEvent) -> bool:
        return self.namespace is None or event.namespace == self.namespace

    def _wait(self) -> None:
        if self._wake is not None and self._next == self._history.end:
            self._history.waiting[self] = self._wake


class FieldValue(NamedTuple):
    """A field and the value to select objects by; watches of a field share the reader."""

    read: ReadField
    value: str

    def concerns(self, event: WatchEvent) -> bool:
        """Return whether an event's object has the value, or had it before."""
        if self.read(event.obj) == self.value:
            return True
        return event.previous is not None and self.read(event.previous) == self.value


class FieldWatch(Watch):
    """A watch of the objects whose field has a value, without cost for other events.

    Otherwise a thousand nodes' watches would each have to filter every event of every pod. Events
    are pushed to the watch, which queues as many as the kind's history keeps.
    """

    __slots__ = ("_events", "_field", "_is_expired")

    def __init__(
        self,
        whole: History,
        kind: str,
        namespace: str | None,
        revision: int,
        wake: Wake | None,
        field: FieldValue,
    ) -> None:
        super().__init__(whole, kind, namespace, revision, None)
        self._wake = wake
        self._field = field
        self._is_expired = False
        past = filter(self._is_within, self._history.after(revision))
        self._events = deque(filter(field.concerns, past))
        self._history.followers.add(field.read, field.value, self._follow)

    @property
    def revision(self) -> int:
        if not self._events and not self._is_expired:
            self._revision = max(self._revision, self._whole.revision)
        return self._revision

    def take(self, limit: int | None = None) -> list[WatchEvent]:
        if self._is_expired:
            raise ExpiredError.watch(self._revision, self._history.oldest_revision)
        events = self._events
        count = len(events) if limit is None else min(limit, len(events))
        taken = [events.popleft() for _ in range(count)]
        if taken:
            self._revision = taken[-1].revision
        return taken

    def wake_by(self, wake: Wake) -> None:
        self._wake = wake

    def close(self) -> None:
        self._wake = None
        self._history.followers.remove(self._field.read, self._field.value, self._follow)

    def _follow(self, event: WatchEvent) -> Wake | None:
        # A watch opened within a transaction starts after events that aren't published yet.
        if self._is_expired or event.revision <= self._revision or not self._is_within(event):
            return None
        if len(self._events) == self._history.size:
            self._is_expired = True
            self._events.clear()
            return self._wake
        self._events.append(event)
        return self._wake if len(self._events) == 1 else None
