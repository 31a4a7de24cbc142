"""What a machine is told of one kind in virtual time: a list, then a watch, then perhaps a list."""

from collections import deque
from collections.abc import Callable, Sequence

from podium.control.events import Change
from podium.runtime.agenda import Agenda
from podium.runtime.faults import Fates
from podium.runtime.informer import Informer
from podium.runtime.shared_watch import SharedWatch
from podium.store.store import Store
from podium.store.watch_event import WatchEvent

_News = tuple[int, Sequence[WatchEvent]]
"""Which round of listing and watching it belongs to, and what happened."""


class Feed:
    """Follows one kind for one machine.

    News are collected when they are written, travel for as long as the latency says, and are told
    one change at a time. Of a watch that breaks, the news on their way are lost.

    Args:
        watch: of the kind, shared with others.
        store: where the objects are.
        agenda: of the driver.
        fates: how long news travel, and when the watch breaks.
        tell: takes each change.
        synced: told when all that there was at the start has been told.
        relisted: told of each time that the watch broke.
    """

    def __init__(
        self,
        watch: SharedWatch,
        store: Store,
        agenda: Agenda,
        fates: Fates,
        *,
        tell: Callable[[Change], None],
        synced: Callable[[], None],
        relisted: Callable[[str], None],
    ) -> None:
        self._kind = watch.kind
        self._watch = watch
        self._store = store
        self._agenda = agenda
        self._fates = fates
        self._tell = tell
        self._synced = synced
        self._relisted = relisted
        # What was told; while the watch remembers that for all, it isn't looked at.
        self._informer = Informer(self._kind)
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
        self._watch.leave(self)

    def break_watch(self) -> None:
        """Lose what is on its way, and list anew."""
        self._watch.leave(self)
        self._relisted(self._kind)
        self.start()

    def hear(self, changes: Sequence[Change]) -> None:
        """Tell of changes; the watch remembers them."""
        if len(changes) == 1 and not self._inbox:
            self._tell(changes[0])
        else:
            self._take_in(changes)

    def part(self, informer: Informer) -> None:
        """Remember what is told from now on."""
        self._informer = informer

    def collect(self, events: Sequence[WatchEvent]) -> bool:
        """Take news along, to be told now or later; whether all there is has been told."""
        listed = self._informer.revision
        events = [event for event in events if event.revision > listed]
        if self._fates.is_instant and self._arrival_s <= self._agenda.now_s:
            self._take_in(self._informer.watched(events))
            return self._is_synced
        if events and self._fates.breaks_watch():
            self.break_watch()
        elif events:
            self._send((self._round, events))
        return False

    def _list(self, number: int) -> None:
        if number != self._round:
            return
        page = self._store.list(self._kind)
        self._watch.join(self)
        self._take_in(self._informer.listed(page.items, page.revision))

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
