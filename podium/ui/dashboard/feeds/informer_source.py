"""The objects of a real cluster, from the informers of its scheduler."""

from collections.abc import Callable, Iterator, Mapping

from podium.api.kinds.builtin_kinds import KINDS as ALL_KINDS
from podium.api.objects import Object, metadata_of, place_of
from podium.api.pods import node_name_of, priority_class_of
from podium.api.priority import pod_priority
from podium.cluster.drivers.driver_events import Called, DriverEvent, Started, Stepped
from podium.cluster.drivers.live import LiveDriver
from podium.machines import events
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.timeline.facts import (
    PodFacts,
    TimelineEntry,
    budget_facts,
    event_facts,
    node_facts,
)
from podium.simulation.timeline.observer import USER, Facts
from podium.ui.dashboard.descriptions import described_entries
from podium.ui.dashboard.feeds.cluster_metrics import ClusterMetrics
from podium.ui.dashboard.feeds.disruption_log import DisruptionLog
from podium.ui.dashboard.scene import KINDS, LostTrackError, SceneChange, places_in
from podium.ui.dashboard.views import Entry, SignalRow

_CLASS = "PriorityClass"


class InformerSource:
    """A real cluster's objects in the scheduler's informers; has the methods of `StoreSource`."""

    def __init__(
        self,
        driver: LiveDriver,
        machine: Callable[[], SchedulerMachine],
        now_s: Callable[[], float],
        metrics: ClusterMetrics,
    ) -> None:
        self.start_s = now_s()
        self._driver = driver
        self._machine = machine
        self._now_s = now_s
        self._metrics = metrics
        self._changes: list[SceneChange] = []
        self._entries: list[TimelineEntry] = []
        self._classes: set[str] = set()
        self._facts: Mapping[str, Facts] = {}
        self._has_lost_track = self._is_followed = False
        self.disruptions = DisruptionLog(self, None)
        driver.hooks.append(self._happened)

    def start(self) -> list[SceneChange]:
        self.stop()
        self._has_lost_track = False
        self._facts = {
            "Pod": PodFacts(),
            "Node": node_facts,
            "PodDisruptionBudget": budget_facts,
            "Event": event_facts,
        }
        self._is_followed = True
        classes = self._priority_classes()
        self._classes = {class_["metadata"]["name"] for class_ in classes}
        return [
            *(SceneChange(_CLASS, class_) for class_ in classes),
            *(
                SceneChange(kind, obj)
                for kind in KINDS
                if kind != _CLASS
                for obj in self.known(kind)
            ),
        ]

    def stop(self) -> None:
        self._is_followed = False
        self._changes, self._entries = [], []

    def close(self) -> None:
        self._driver.hooks.remove(self._happened)
        self.disruptions.close()

    def changes(self) -> list[SceneChange]:
        if self._has_lost_track:
            raise LostTrackError("the scheduler has restarted")
        changes, self._changes = self._changes, []
        return changes

    def entries(self) -> list[Entry]:
        noted, self._entries = self._entries, []
        return [*described_entries(noted)]

    def places(self) -> Mapping[str, str]:
        return places_in([self._machine().queue])

    def passed_s(self) -> float:
        return round(self._now_s() - self.start_s, 3)

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        informer = self._driver.informers(self._machine().name).get(kind)
        return None if informer is None else informer.get(namespace, name)

    def machines(self) -> list[SchedulerMachine]:
        return [self._machine()]

    def signals(self, _: str) -> list[SignalRow]:
        """Return an empty list, as kubelets don't publish their eviction signals."""
        return []

    async def usage(self, node: str) -> Mapping[str, Mapping[str, int]]:
        known = await self._metrics.nodes()
        if node not in known:
            return {}
        pods = [place_of(pod) for pod in self.known("Pod") if node_name_of(pod) == node]
        return {"": known[node], **await self._metrics.pods(pods)}

    async def node_usage(self) -> Mapping[str, Mapping[str, int]]:
        return await self._metrics.nodes()

    def state(self) -> list[Object]:
        """Return all objects in the informers, and the PriorityClasses to which pods refer."""
        informers = self._driver.informers(self._machine().name)
        objects = [obj for known in informers.values() for obj in known]
        return objects if _CLASS in informers else [*objects, *self._priority_classes()]

    def known(self, kind: str) -> Iterator[Object]:
        return iter(self._driver.informers(self._machine().name).get(kind) or ())

    def _priority_classes(self) -> list[Object]:
        # A scheduler doesn't watch PriorityClasses: they are made of what the pods have.
        pod_of = {name: pod for pod in self.known("Pod") if (name := priority_class_of(pod))}
        return [_class_of(pod) for _, pod in sorted(pod_of.items())]

    def _happened(self, event: DriverEvent) -> None:
        if isinstance(event, Stepped) and isinstance(event.event, events.Change):
            change = event.event
            if change.kind == "Pod":
                self.disruptions.pod_changed(change.old, change.new, self._now_s())
        if not self._is_followed:
            return
        if isinstance(event, Started):
            self._has_lost_track = True
        elif isinstance(event, Stepped) and isinstance(event.event, events.Change):
            change = event.event
            if change.kind not in KINDS:
                return
            self._changes.append(SceneChange(change.kind, change.obj, change.new is None))
            self._note(change.kind, change.old, change.new)
            called = priority_class_of(change.obj) if change.kind == "Pod" else ""
            if called and called not in self._classes:
                self._classes.add(called)
                self._changes.append(SceneChange(_CLASS, _class_of(change.obj)))
        elif isinstance(event, Called) and (event.obj or {}).get("kind") == "Event":
            self._note("Event", None, event.obj)

    def _note(self, kind: str, old: Object | None, new: Object | None) -> None:
        facts = self._facts.get(kind)
        metadata = metadata_of(new or old or {})
        place, name = metadata.get("namespace") or "", metadata.get("name") or ""
        for fact in () if facts is None else facts(old, new):
            entry = TimelineEntry(self.passed_s(), fact.type, kind, place, name, USER, fact.details)
            self._entries.append(entry)


def _class_of(pod: Object) -> Object:
    return {
        "apiVersion": ALL_KINDS[_CLASS].api_version,
        "kind": _CLASS,
        "metadata": {"name": priority_class_of(pod)},
        "value": pod_priority(pod),
    }
