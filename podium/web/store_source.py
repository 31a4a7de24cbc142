"""Follows a cluster in this process: its store, its schedulers' queues, and its timeline."""

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter

from podium.api.objects import Object
from podium.cluster import Cluster
from podium.controllers.scheduler.machine import SchedulerMachine
from podium.simulation.timeline import Observer
from podium.store.watch import Watch
from podium.web.entries import of_events, told
from podium.web.source import KINDS, Change, places_in
from podium.web.views import Entry


class StoreSource:
    """A cluster's store as a `Source`.

    Args:
        cluster: that is followed.
        user_hooks: all are called when users have written something, while it is followed.
    """

    def __init__(self, cluster: Cluster, user_hooks: list[Callable[[], None]]) -> None:
        self.start_s = cluster.options.start_s
        self._cluster = cluster
        self._store = cluster.store
        self._user_hooks = user_hooks
        self._watches: list[Watch] = []
        self._observer: Observer | None = None
        self._past: list[Entry] = []

    def start(self) -> list[Change]:
        self.stop()
        self._observer = Observer(self._cluster)
        self._user_hooks.append(self._observer.look)
        revision = self._store.revision
        self._watches = [self._store.watch(kind, from_revision=revision) for kind in KINDS]
        self._past = of_events(self._store.list("Event").items, self.start_s)
        return [Change(kind, obj) for kind in KINDS for obj in self._store.list(kind).items]

    def stop(self) -> None:
        if self._observer is not None:
            self._user_hooks.remove(self._observer.look)
            self._observer.close()
        self._observer, self._watches = None, []

    def changes(self) -> Iterator[Change]:
        for watch in self._watches:
            for event in watch.take():
                yield Change(event.kind, event.obj, event.type == "DELETED")

    def entries(self) -> list[Entry]:
        past, self._past = self._past, []
        if self._observer is None:
            return past
        self._observer.look()
        noted = [*self._observer.entries]
        self._observer.entries.clear()
        return [*past, *told(noted)]

    def places(self) -> Mapping[str, str]:
        machines = map(attrgetter("machine"), self._cluster.schedulers.values())
        return places_in(one.queue for one in machines if isinstance(one, SchedulerMachine))

    def passed_s(self) -> float:
        return round(self._cluster.driver.now_s - self.start_s, 3)

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        return self._store.get(kind, namespace, name)
