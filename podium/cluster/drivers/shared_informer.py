"""Lists and watches of virtual time: one for each kind, shared by all machines.

While deliveries take no time and nothing goes wrong, all machines know the same objects of a kind.
The informer then computes each change once and hands it to every attached listener. Listeners whose
deliveries are late or lost at the moment are detached: they get the events of the watch, and
remember by themselves what they have delivered.
"""

from collections import deque
from collections.abc import Callable, Sequence

from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.faults import FaultInjector
from podium.cluster.drivers.informer_cache import InformerCache
from podium.cluster.drivers.timer_queue import TimerQueue
from podium.machines.events import Change, FirstList


class SharedInformer:
    """Watches one kind for all machines of a driver."""

    def __init__(
        self, kind: str, store: Store, timers: TimerQueue, injector: FaultInjector
    ) -> None:
        self.kind = kind
        self.store = store
        self.timers = timers
        self.injector = injector
        self._cache = InformerCache(kind)
        self._watch: Watch | None = None
        # A list that all can use who list before anything else is written, with what it tells.
        self._listed: tuple[int, InformerCache, Sequence[Change]] | None = None
        self._attached: dict[ProcessorListener, None] = {}
        self._detached: dict[ProcessorListener, None] = {}

    def first_list(self) -> tuple[InformerCache, Sequence[Change]]:
        """Snapshot and pending notifications for a new listener."""
        writes = self.store.changes(self.kind)
        if self._listed is None or self._listed[0] != writes:
            page, cache = self.store.list(self.kind), InformerCache(self.kind)
            self._listed = writes, cache, cache.listed(page.items, page.revision)
            # At another moment hardly anybody lists who hasn't been told of a write before.
            self.timers.put(self.timers.now_s, self._forget_list, None, comes_last=True)
        _, cache, changes = self._listed
        return cache.copy(), changes

    def add_listener(self, listener: "ProcessorListener") -> None:
        """Hand a listener, which has just listed, all that is written from now on."""
        if self._watch is None:
            self._cache, _ = self.first_list()
            self._watch = self.store.watch(
                self.kind, from_revision=self._cache.revision, wake=self._schedule
            )
        self._detached[listener] = None

    def remove_listener(self, listener: "ProcessorListener") -> None:
        self._detached.pop(listener, None)
        if listener in self._attached:
            del self._attached[listener]
            listener.detach(self._cache.copy())

    def _forget_list(self, _: None) -> None:
        self._listed = None

    def _schedule(self) -> None:
        self.timers.put(self.timers.now_s, self._distribute, None)

    def _distribute(self, _: None) -> None:
        assert self._watch is not None
        self._listed = None
        try:
            events = self._watch.take()
        except ExpiredError:
            self._start_over()
            return
        if not self.injector.is_instant:
            for listener in tuple(self._attached):
                self.remove_listener(listener)
                self._detached[listener] = None
        # The events, but for changes of an object that has gone by the time anybody is told.
        said = {id(one.previous) for one in events if one.type == "DELETED"}
        changes = self._cache.watched(
            [one for one in events if one.type != "MODIFIED" or id(one.obj) not in said]
        )
        detached = tuple(self._detached)
        for listener in tuple(self._attached):
            for change in changes:
                if listener in self._attached:
                    listener.deliver(change)
        for listener in detached:
            is_up_to_date = listener in self._detached and listener.receive(events)
            # A machine may have crashed over what it was told.
            if is_up_to_date and listener in self._detached:
                del self._detached[listener]
                self._attached[listener] = None

    def _start_over(self) -> None:
        """List anew: more was written at one moment than the store remembers."""
        listeners = [*self._attached, *self._detached]
        for listener in listeners:
            self.remove_listener(listener)
        self._watch = None
        for listener in listeners:
            listener.relist()


class ProcessorListener:
    """Delivers the changes of one kind to one machine.

    Events are received when they are written, travel for as long as the latency says, and are
    delivered one change at a time. When a watch breaks, the events on their way are lost, and
    everything is listed anew.

    Attributes:
        deliver: hands the machine a change; the informer, which remembers it, does so itself while
            the listener is attached.

    Args:
        synced: called when all that there was at the start has been delivered.
        relisted: called with the kind each time that the watch broke.
        take_list: asked to take in at once what the first list has; whether it did.
    """

    def __init__(
        self,
        informer: SharedInformer,
        deliver: Callable[[Change], None],
        synced: Callable[[], None],
        relisted: Callable[[str], None],
        take_list: Callable[[FirstList], bool],
    ) -> None:
        self._kind = informer.kind
        self._informer = informer
        self._store = informer.store
        self._timers = informer.timers
        self._injector = informer.injector
        self.deliver = deliver
        self._synced = synced
        self._relisted = relisted
        self._take_list = take_list
        # What was delivered; not kept up to date while the listener is attached.
        self._cache = InformerCache(self._kind)
        # Counts lists: what a watch sent before the last one doesn't arrive any more.
        self._round = 0
        self._arrival_s = 0.0
        self._inbox: deque[Change] = deque()
        self._is_synced = False

    def start(self) -> None:
        self._round += 1
        self._timers.put(self._next_arrival_s(), self._list, self._round)

    def stop(self) -> None:
        self._round += 1
        self._inbox.clear()
        self._informer.remove_listener(self)

    def relist(self) -> None:
        """Drop undelivered events, and list again."""
        self._informer.remove_listener(self)
        self._relisted(self._kind)
        self.start()

    def detach(self, cache: InformerCache) -> None:
        """Remember what is delivered from now on, starting from what is known."""
        self._cache = cache

    def receive(self, events: Sequence[WatchEvent]) -> bool:
        """Deliver events now or later; whether everything there is has been delivered."""
        listed = self._cache.revision
        events = [event for event in events if event.revision > listed]
        if self._injector.is_instant and self._arrival_s <= self._timers.now_s:
            self._deliver_all(self._cache.watched(events))
            return self._is_synced
        if events and self._injector.breaks_watch():
            self.relist()
        elif events:
            sent = (self._round, events)
            arrival_s = self._next_arrival_s()
            if arrival_s <= self._timers.now_s:
                self._arrive(sent)
            else:
                self._timers.put(arrival_s, self._arrive, sent)
        return False

    def _list(self, number: int) -> None:
        if number != self._round:
            return
        self._informer.add_listener(self)
        if self._cache.revision:
            page = self._store.list(self._kind)
            changes: Sequence[Change] = self._cache.listed(page.items, page.revision)
        else:
            self._cache, changes = self._informer.first_list()
            if self._take_list(FirstList(self._kind, self._cache.objects)):
                changes = ()
        self._deliver_all(changes)

    def _arrive(self, sent: tuple[int, Sequence[WatchEvent]]) -> None:
        number, events = sent
        if number == self._round:
            self._deliver_all(self._cache.watched(events))

    def _deliver_all(self, changes: Sequence[Change]) -> None:
        # A crash in between empties the inbox.
        self._inbox.extend(changes)
        while self._inbox:
            self.deliver(self._inbox.popleft())
        if not self._is_synced:
            self._is_synced = True
            self._synced()

    def _next_arrival_s(self) -> float:
        """When what is sent now arrives; nothing overtakes what was sent before it."""
        sent_s = self._timers.now_s + self._injector.watch_delay_s(self._kind)
        self._arrival_s = max(self._arrival_s, sent_s)
        return self._arrival_s
