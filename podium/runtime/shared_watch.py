"""One watch of a kind for all machines of a driver, and one memory of what it has told.

While news take no time and nothing goes wrong, all machines know the same of a kind: what changed
is found out once, and told to each in turn. Feeds for which that doesn't hold at the moment, as
their news are late or lost, are apart: they are handed what the watch brings, and remember by
themselves what they have told.
"""

from collections.abc import Sequence
from typing import Protocol

from podium.control.events import Change
from podium.runtime.agenda import Agenda
from podium.runtime.faults import Fates
from podium.runtime.informer import Informer
from podium.store.errors import ExpiredError
from podium.store.store import Store
from podium.store.watch import Watch
from podium.store.watch_event import WatchEvent


class Listener(Protocol):
    """A feed, as its watch sees it."""

    def hear(self, changes: Sequence[Change]) -> None:
        """Tell of changes now; whoever hears them remembers nothing himself."""

    def part(self, informer: Informer) -> None:
        """Remember by yourself from now on, beginning with this."""

    def collect(self, events: Sequence[WatchEvent]) -> bool:
        """Take news along, to be told now or later; whether all there is has been told."""

    def break_watch(self) -> None:
        """Lose what is on its way, and list anew."""


class SharedWatch:
    """The watch of one kind.

    Attributes:
        kind: of the objects.

    Args:
        kind: of the objects.
        store: where they are.
        agenda: of the driver.
        fates: how long news travel.
    """

    def __init__(self, kind: str, store: Store, agenda: Agenda, fates: Fates) -> None:
        self.kind = kind
        self._store = store
        self._agenda = agenda
        self._fates = fates
        self._informer = Informer(kind)
        self._watch: Watch | None = None
        self._in_step: dict[Listener, None] = {}
        self._apart: dict[Listener, None] = {}

    def join(self, listener: Listener) -> None:
        """Hand the listener, which has just listed, all that is written from now on."""
        if self._watch is None:
            page = self._store.list(self.kind)
            self._informer.listed(page.items, page.revision)
            self._watch = self._store.watch(
                self.kind, from_revision=page.revision, wake=self._notice
            )
        self._apart[listener] = None

    def leave(self, listener: Listener) -> None:
        """Tell the listener nothing any more."""
        self._apart.pop(listener, None)
        if listener in self._in_step:
            del self._in_step[listener]
            listener.part(self._informer.copy())

    def _notice(self) -> None:
        self._agenda.put(self._agenda.now_s, self._collect, None)

    def _collect(self, _: None) -> None:
        assert self._watch is not None
        try:
            events = self._watch.take()
        except ExpiredError:
            self._start_over()
            return
        if not self._fates.is_instant:
            for listener in tuple(self._in_step):
                self.leave(listener)
                self._apart[listener] = None
        changes = self._informer.watched(events)
        apart = tuple(self._apart)
        for listener in tuple(self._in_step):
            if listener in self._in_step:
                listener.hear(changes)
        for listener in apart:
            is_in_step = listener in self._apart and listener.collect(events)
            # It may have left over what it was told.
            if is_in_step and listener in self._apart:
                del self._apart[listener]
                self._in_step[listener] = None

    def _start_over(self) -> None:
        """Too much was written at one moment for the store to remember it all."""
        listeners = [*self._in_step, *self._apart]
        for listener in listeners:
            self.leave(listener)
        self._watch = None
        for listener in listeners:
            listener.break_watch()
