"""The observer of a simulated cluster, which adds entries for all writes to a timeline."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from podium.api.objects import Object
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.driver_events import Called, DriverEvent, Started, Stopped
from podium.cluster.virtual import Cluster
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.timeline.facts import (
    Fact,
    NodeFacts,
    PodFacts,
    TimelineEntry,
    budget_facts,
    event_facts,
    workload_facts,
)

Facts = Callable[[Object | None, Object | None], Iterator[Fact]]

USER = "user"
_NOTHING: Mapping[str, Any] = {}
_FACTS: Mapping[str, Facts] = {
    "PodDisruptionBudget": budget_facts,
    "Deployment": workload_facts,
    "ReplicaSet": workload_facts,
    "ReplicationController": workload_facts,
    "StatefulSet": workload_facts,
    "DaemonSet": workload_facts,
    "Job": workload_facts,
    "Event": event_facts,
}


class Observer:
    """The timeline of all writes from now on, with the state machines that made them."""

    def __init__(self, cluster: Cluster) -> None:
        self.entries: list[TimelineEntry] = []
        self._driver = cluster.driver
        self._start_s = cluster.options.start_s
        self._schedulers = cluster.schedulers
        self._store = cluster.store
        self._seen = self._store.revision
        self._facts: dict[str, Facts] = {
            "Pod": PodFacts(),
            "Node": NodeFacts(self._store.list("Node").items),
            **_FACTS,
        }
        self._awake: list[str] = []
        self._stopped: set[str] = set()
        self._watches: dict[str, Watch] = {}
        for kind in self._facts:
            wake = partial(self._awake.append, kind)
            self._watches[kind] = self._store.watch(kind, from_revision=self._seen, wake=wake)
        self._driver.hooks.append(self._happened)

    def close(self) -> None:
        self._driver.hooks.remove(self._happened)
        for watch in self._watches.values():
            watch.close()

    def look(self, by: str = USER) -> None:
        """Add entries for the writes since the last call, made by a state machine or the user."""
        if self._store.revision == self._seen:
            return
        self._seen = self._store.revision
        awake, self._awake[:] = [*self._awake], ()
        events = [event for kind in awake for event in self._watches[kind].take()]
        if len(events) > 1:
            events.sort(key=lambda event: event.revision)
        for event in events:
            new = None if event.type == "DELETED" else event.obj
            for fact in self._facts[event.kind](event.previous, new):
                uid = event.obj["metadata"].get("uid") or ""
                self._note(fact, event.kind, event.namespace, event.name, by, uid)

    def passed_s(self) -> float:
        """Return the simulated seconds since the start, rounded to milliseconds."""
        return round(self._driver.now_s - self._start_s, 3)

    def note(
        self,
        what: str,
        details: Mapping[str, Any] = _NOTHING,
        *,
        about: tuple[str, str, str] = ("", "", ""),
        by: str = USER,
    ) -> None:
        """Add an entry for an event other than a write, after entries for all writes up to now."""
        self.look(by)
        self._note(Fact(what, details), *about, by)

    def _note(
        self, fact: Fact, kind: str, namespace: str, name: str, by: str, uid: str = ""
    ) -> None:
        at_s = round(self._driver.now_s - self._start_s, 6)
        details = fact.details
        handle = self._schedulers.get(by) if fact.type == "PodBound" else None
        if handle is not None and isinstance(handle.machine, SchedulerMachine):
            waited_s = handle.machine.context.overslept_s.get(uid)
            if waited_s is not None:
                details = {**details, "overslept": round(waited_s, 3)}
        entry = TimelineEntry(at_s, fact.type, kind, namespace, name, by, details, uid)
        self.entries.append(entry)

    def _happened(self, happening: DriverEvent) -> None:
        if isinstance(happening, Called):
            self.look(happening.who)
        elif isinstance(happening, Stopped):
            self._stopped.add(happening.who)
            self.note("MachineStopped", by=happening.who)
        elif isinstance(happening, Started) and happening.who in self._stopped:
            self.note("MachineRestarted", by=happening.who)
