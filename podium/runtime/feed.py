"""What a machine is told of one kind in virtual time: a list, then a watch, then perhaps a list."""

from collections import deque
from collections.abc import Callable, Sequence

from podium.control.events import Change
from podium.runtime.agenda import Agenda
from podium.runtime.faults import Fates
from podium.runtime.informer import Informer
from podium.store.errors import Expired
from podium.store.events import WatchEvent
from podium.store.store import Store
from podium.store.watch import Watch

_News = tuple[int, Sequence[WatchEvent]]
"""Which round of listing and watching it belongs to, and what happened."""


class Feed:
    """Follows one kind for one machine.

    News are collected when they are written, travel for as long as the latency says, and are told
    one change at a time. Of a watch that breaks, the news on their way are lost.

    Args:
        kind: of the objects.
        store: where they are.
        agenda: of the driver.
        fates: how long news travel, and when the watch breaks.
        tell: takes each change.
        synced: told when all that there was at the start has been told.
        relisted: told of each time that the watch broke.
    """

    def __init__(
        self,
        kind: str,
        store: Store,
        agenda: Agenda,
        fates: Fates,
        *,
        tell: Callable[[Change], None],
        synced: Callable[[], None],
        relisted: Callable[[str], None],
    ) -> None:
        self._kind = kind
        self._store = store
        self._agenda = agenda
        self._fates = fates
        self._tell = tell
        self._synced = synced
        self._relisted = relisted
        self._informer = Informer(kind)
        self._watch: Watch | None = None
        # Counts lists: what a watch sent before the last one doesn't arrive any more.
        self._round = 0
        self._arrival_s = 0.0
        self._inbox: deque[Change] = deque()
        self._is_synced = False

    def start(self) -> None:
        """List, then watch."""
        self._round += 1
        self._agenda.put(self._next_arrival_s(), self._list, self._round)

    def stop(self) -> None:
        """Tell nothing any more."""
        self._round += 1
        self._inbox.clear()
        self._close()

    def break_watch(self) -> None:
        """Lose what is on its way, and list anew."""
        self._close()
        self._relisted(self._kind)
        self.start()

    def _list(self, number: int) -> None:
        if number != self._round:
            return
        page = self._store.list(self._kind)
        self._watch = self._store.watch(self._kind, from_revision=page.revision, wake=self._notice)
        self._take_in(self._informer.listed(page.items, page.revision))

    def _notice(self) -> None:
        self._agenda.put(self._agenda.now_s, self._collect, None)

    def _collect(self, _: None) -> None:
        if self._watch is None:
            return
        try:
            events = self._watch.take()
        except Expired:
            self.break_watch()
            return
        if self._fates.is_instant and self._arrival_s <= self._agenda.now_s:
            self._take_in(self._informer.watched(events))
        elif events and self._fates.breaks_watch():
            self.break_watch()
        elif events:
            self._send((self._round, events))

    def _send(self, news: _News) -> None:
        arrival_s = self._next_arrival_s()
        if arrival_s <= self._agenda.now_s:
            self._arrive(news)
        else:
            self._agenda.put(arrival_s, self._arrive, news)

    def _arrive(self, news: _News) -> None:
        number, events = news
        if number == self._round:
            self._take_in(self._informer.watched(events))

    def _take_in(self, changes: Sequence[Change]) -> None:
        if len(changes) == 1 and not self._inbox and self._is_synced:
            self._tell(changes[0])
            return
        # A crash in between empties the inbox.
        self._inbox.extend(changes)
        while self._inbox:
            self._tell(self._inbox.popleft())
        if not self._is_synced:
            self._is_synced = True
            self._synced()

    def _next_arrival_s(self) -> float:
        """When what is sent now arrives; nothing overtakes what was sent before it."""
        sent_s = self._agenda.now_s + self._fates.watch_s(self._kind)
        self._arrival_s = max(self._arrival_s, sent_s)
        return self._arrival_s

    def _close(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
