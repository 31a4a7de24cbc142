"""Informers of virtual time: one for each kind, shared by all state machines.

Without latencies and faults, all machines have received the same objects of a kind. The informer
then computes each change once, and passes it to every attached listener. A listener is detached
while its deliveries are delayed or lost: then it receives the watch events, and has a cache of the
objects that it has delivered.
"""

from collections import deque
from collections.abc import Sequence

from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.faults import FaultInjector
from podium.cluster.drivers.informer_cache import InformerCache
from podium.cluster.drivers.machine_runner import MachineRunner
from podium.cluster.drivers.timer_queue import TimerQueue
from podium.machines.events import Change, FirstList


class SharedInformer:
    """Watches one kind for all state machines of a driver."""

    def __init__(
        self, kind: str, store: Store, timers: TimerQueue, injector: FaultInjector
    ) -> None:
        self.kind = kind
        self.store = store
        self.timers = timers
        self.injector = injector
        self._cache = InformerCache(kind)
        self._watch: Watch | None = None
        # The list that all listeners share which start before the next write: the store's count of
        # writes, the cache, and the changes.
        self._listed: tuple[int, InformerCache, Sequence[Change]] | None = None
        self._attached: dict[ProcessorListener, None] = {}
        self._detached: dict[ProcessorListener, None] = {}

    def first_list(self) -> tuple[InformerCache, Sequence[Change]]:
        """Return a cache of all objects for a new listener, and the additions to deliver."""
        writes = self.store.changes(self.kind)
        if self._listed is None or self._listed[0] != writes:
            page, cache = self.store.list(self.kind), InformerCache(self.kind)
            self._listed = writes, cache, cache.listed(page.items, page.revision)

            def forget(_: None) -> None:
                self._listed = None

            # Nearly all listeners start at one moment; a later one mostly follows a write.
            self.timers.put(self.timers.now_s, forget, None, comes_last=True)
        _, cache, changes = self._listed
        return cache.copy(), changes

    def add_listener(self, listener: "ProcessorListener") -> None:
        """Deliver all later writes to a listener, which lists now."""
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

    def _schedule(self) -> None:
        self.timers.put(self.timers.now_s, self._distribute, None)

    def _distribute(self, _: None) -> None:
        assert self._watch is not None
        self._listed = None
        try:
            events = self._watch.take()
        except ExpiredError:
            # More was written at one moment than the store's history holds: all list again.
            listeners = [*self._attached, *self._detached]
            for listener in listeners:
                self.remove_listener(listener)
            self._watch = None
            for listener in listeners:
                listener.relist()
            return
        if not self.injector.is_instant:
            for listener in tuple(self._attached):
                self.remove_listener(listener)
                self._detached[listener] = None
        # Leave out the last change of an object that is deleted in this batch.
        superseded = {id(event.previous) for event in events if event.type == "DELETED"}
        changes = self._cache.watched(
            [one for one in events if one.type != "MODIFIED" or id(one.obj) not in superseded]
        )
        detached = tuple(self._detached)
        for listener in tuple(self._attached):
            for change in changes:
                # A machine may crash over a change.
                if listener in self._attached:
                    listener.deliver(change)
        for listener in detached:
            is_up_to_date = listener in self._detached and listener.receive(events)
            if is_up_to_date and listener in self._detached:
                del self._detached[listener]
                self._attached[listener] = None


class ProcessorListener:
    """Delivers the changes of one kind to one state machine.

    Watch events arrive after a latency, and are delivered one change at a time. When a watch
    breaks, the events under way are lost, and the kind is listed again.
    """

    def __init__(self, informer: SharedInformer, runner: MachineRunner) -> None:
        self._kind = informer.kind
        self._informer = informer
        self._timers = informer.timers
        self._injector = informer.injector
        self._runner = runner
        self.deliver = runner.deliver
        """Passes a change to the machine; called by the informer while the listener is attached,
        otherwise by the listener."""
        # The delivered objects; out of date while the listener is attached.
        self._cache = InformerCache(self._kind)
        # The number of the last list: what was sent before it doesn't arrive any more.
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
        """Drop undelivered events, and list the kind again."""
        self._informer.remove_listener(self)
        self._runner.relisted(self._kind)
        self.start()

    def detach(self, cache: InformerCache) -> None:
        """Keep a cache from now on; `cache` has the objects delivered so far."""
        self._cache = cache

    def receive(self, events: Sequence[WatchEvent]) -> bool:
        """Deliver events, now or after a delay; return whether the machine is up to date."""
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
            page = self._informer.store.list(self._kind)
            changes: Sequence[Change] = self._cache.listed(page.items, page.revision)
        else:
            self._cache, changes = self._informer.first_list()
            if self._runner.take_list(FirstList(self._kind, self._cache.objects)):
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
            self._runner.synced()

    def _next_arrival_s(self) -> float:
        """Draw when a delivery sent now arrives; never before an earlier delivery."""
        sent_s = self._timers.now_s + self._injector.watch_delay_s()
        self._arrival_s = max(self._arrival_s, sent_s)
        return self._arrival_s
