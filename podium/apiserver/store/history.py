"""Recent writes by kind, the watches that wait for further writes, and the journal protocol."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from podium.api.objects import Object

FIRST_REVISION = 1
"""Revision of an empty store; 0 has a special meaning in lists and watches."""

EventType = Literal["ADDED", "MODIFIED", "DELETED"]


class WatchEvent(msgspec.Struct, frozen=True):
    """One write to one object; the revision is the resourceVersion of `obj`."""

    revision: int
    type: EventType
    kind: str
    namespace: str
    name: str
    obj: Object
    """Object after the write; for a deletion, its last state with the deletion's revision."""
    previous: Object | None
    """Object before the write; None if it is new."""


class Recovered(msgspec.Struct, frozen=True):
    """The events that a journal has persisted, sorted by revision."""

    oldest_revision: int
    """All writes after this revision are included; of earlier writes, only those that wrote the
    objects as they were at this revision."""
    events: Sequence[WatchEvent]


class Journal(Protocol):
    """Protocol of the persistent storage for the writes of one store."""

    def load(self) -> Recovered:
        """Return all events that were appended before; raises JournalError."""
        ...

    def append(self, events: Sequence[WatchEvent]) -> None:
        """Persist either all of these writes or none; raises JournalError."""
        ...


Wake = Callable[[], None]
ReadField = Callable[[Object], str]
Follow = Callable[[WatchEvent], Wake | None]
"""Queues an event for a watch, and returns the wake function to call, if any."""


class FieldSubscribers:
    """The watches of one kind that select objects by the value of a field."""

    def __init__(self) -> None:
        self._by_field: dict[ReadField, dict[str, list[Follow]]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_field)

    def add(self, read: ReadField, value: str, follow: Follow) -> None:
        """Subscribe a watch to objects whose field has a value, or had it before the write."""
        self._by_field.setdefault(read, {}).setdefault(value, []).append(follow)

    def remove(self, read: ReadField, value: str, follow: Follow) -> None:
        """Unsubscribe a watch, if it is subscribed."""
        by_value = self._by_field.get(read, {})
        followers = by_value.get(value, [])
        if follow in followers:
            followers.remove(follow)
        if not followers and by_value.pop(value, None) is not None and not by_value:
            del self._by_field[read]

    def tell(self, event: WatchEvent) -> Iterator[Wake]:
        """Pass an event to the watches that select its object; yield their wake functions."""
        for read, by_value in self._by_field.items():
            objects = (event.obj,) if event.previous is None else (event.obj, event.previous)
            for value in dict.fromkeys(map(read, objects)):
                woken = (follow(event) for follow in by_value.get(value, ()))
                yield from (wake for wake in woken if wake is not None)


class KindHistory:
    """A ring buffer of the last writes to objects of one kind, those after `oldest_revision`.

    Events are numbered from 0 in the order of writing, independently of revisions; `end` is the
    number of the next one. `waiting` has the functions to call at the next event, by watch.
    """

    def __init__(self, size: int, oldest_revision: int) -> None:
        self.oldest_revision = oldest_revision
        self.end = 0
        self.waiting: dict[Hashable, Wake] = {}
        self.followers = FieldSubscribers()
        self.size = size
        self._ring: list[WatchEvent] = []

    def copy(self) -> "KindHistory":
        """Return a copy without watches."""
        other = KindHistory(self.size, self.oldest_revision)
        other.end, other._ring = self.end, [*self._ring]
        return other

    @property
    def first(self) -> int:
        """The number of the oldest event in the buffer; `end` if the buffer is empty."""
        return self.end - len(self._ring)

    def __getitem__(self, number: int) -> WatchEvent:
        return self._ring[number % self.size]

    def append(self, event: WatchEvent) -> None:
        """Add an event, whose revision has to be higher than all others."""
        if len(self._ring) < self.size:
            self._ring.append(event)
        else:
            slot = self.end % self.size
            self.oldest_revision = self._ring[slot].revision
            self._ring[slot] = event
        self.end += 1

    def number_after(self, revision: int) -> int:
        """Return the number of the first event after a revision; `end` if there is none yet."""
        numbers = range(self.first, self.end)
        return self.first + bisect_right(numbers, revision, key=lambda n: self[n].revision)

    def after(self, revision: int) -> Iterator[WatchEvent]:
        """Yield the events after a revision, which must not be below `oldest_revision`."""
        return map(self.__getitem__, range(self.number_after(revision), self.end))


class History:
    """The histories of all kinds; `revision` is that of the last published write."""

    def __init__(self, size: int, revision: int) -> None:
        self.revision = revision
        self._size = size
        self._start = revision
        self._kinds: dict[str, KindHistory] = {}

    def copy(self) -> "History":
        """Return a copy without watches."""
        other = History(self._size, self._start)
        other.revision = self.revision
        other._kinds = {kind: history.copy() for kind, history in self._kinds.items()}
        return other

    def of(self, kind: str) -> KindHistory:
        """Return the history of one kind."""
        history = self._kinds.get(kind)
        if history is None:
            history = self._kinds[kind] = KindHistory(self._size, self._start)
        return history

    def publish(self, events: Sequence[WatchEvent]) -> None:
        """Add writes to the history, and wake the watches that are waiting for them."""
        woken: list[Wake] = []
        for event in events:
            history = self.of(event.kind)
            history.append(event)
            self.revision = event.revision
            if history.waiting:
                woken.extend(history.waiting.values())
                history.waiting.clear()
            if history.followers:
                woken.extend(history.followers.tell(event))
        for wake in woken:
            wake()
