"""The objects of a cluster in this process, from its store, scheduling queues and timeline."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from podium.api.objects import Object, key, name
from podium.api.pods import node_name_of
from podium.api.usage import Usage
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity, ceil_milli
from podium.apiserver.store.errors import ExpiredError
from podium.apiserver.store.watch import FieldValue, Watch
from podium.cluster.drivers.driver_events import DriverEvent
from podium.cluster.virtual import Cluster
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.scheduler.preemption.record import EVENT_REASON
from podium.simulation.timeline.observer import Observer
from podium.ui.dashboard.descriptions import described_entries, described_events
from podium.ui.dashboard.feeds.disruption_log import DisruptionLog
from podium.ui.dashboard.scene import KINDS, SceneChange, places_in
from podium.ui.dashboard.views import Entry, SignalRow

_NO_USAGE = Usage(0, 0)
# The first reading of a node begins to simulate its pods.
_NODES_AT_ONCE = 10


class StoreObjects:
    """Objects in the store of a cluster, and the scheduling queues of its pods."""

    def __init__(
        self, cluster: Cluster, path: Path | None = None, revision: int | None = None
    ) -> None:
        self.start_s = cluster.options.start_s
        """Start of the cluster's clock, in seconds since the epoch."""
        self.cluster = cluster
        self.disruptions = DisruptionLog(self, path)
        store = cluster.store
        since = store.revision if revision is None else max(revision, store.oldest_revision("Pod"))
        self._pods = store.watch("Pod", from_revision=since)
        self._watches: list[Watch] = []

    def start(self) -> list[SceneChange]:
        """Return all objects of `KINDS`, and start to record their changes."""
        store = self.cluster.store
        revision = store.revision
        self._watches = [store.watch(kind, from_revision=revision) for kind in KINDS]
        return [SceneChange(kind, obj) for kind in KINDS for obj in self.known(kind)]

    def known(self, kind: str) -> Sequence[Object]:
        """Return all objects of a kind."""
        return self.cluster.store.list(kind).items

    def stop(self) -> None:
        """Stop recording changes."""
        self._watches = []

    def changes(self) -> Iterator[SceneChange]:
        """Yield the changes of objects since the last call."""
        self._note_disruptions()
        for watch in self._watches:
            for event in watch.take():
                yield SceneChange(event.kind, event.obj, event.type == "DELETED")

    def places(self) -> Mapping[str, str]:
        """Return the scheduling queue of each pending pod by its uid."""
        return places_in(machine.queue for machine in self.machines())

    def machines(self) -> list[SchedulerMachine]:
        """Return the running schedulers."""
        found = (scheduler.machine for scheduler in self.cluster.schedulers.values())
        return [machine for machine in found if isinstance(machine, SchedulerMachine)]

    def passed_s(self) -> float:
        """Return the seconds since the start of the cluster's clock."""
        return round(self.cluster.driver.now_s - self.start_s, 3)

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """Return the current state of an object."""
        return self.cluster.store.get(kind, namespace, name)

    async def usage(self, node: str) -> Mapping[str, Mapping[str, int]]:
        """Return what a node, under an empty key, and each of its pods is known to use."""
        reader, now_s = self.cluster.server.usage, self.cluster.driver.now_s
        obj = self.find("Node", "", node)
        if reader is None or obj is None:
            return {}
        pods = [pod for pod in self.known("Pod") if node_name_of(pod) == node]
        of_pods = {key(pod): _amounts((reader.pod(pod, now_s) or {}).values()) for pod in pods}
        measured = {"": _amounts([reader.node(obj, now_s) or _NO_USAGE]), **of_pods}
        # Simulated nodes and pods without a script use nothing.
        return {called: amounts for called, amounts in measured.items() if any(amounts.values())}

    async def node_usage(self) -> Mapping[str, Mapping[str, int]]:
        """Return what each node is known to use; empty if none uses anything."""
        reader, found = self.cluster.server.usage, dict[str, Mapping[str, int]]()
        if reader is None:
            return found
        for number, node in enumerate(self.known("Node")):
            if usage := reader.node(node, self.cluster.driver.now_s):
                found[name(node)] = _amounts([usage])
            if number % _NODES_AT_ONCE == 0:
                # Let other requests of the server proceed.
                await asyncio.sleep(0)
        return found if any(any(amounts.values()) for amounts in found.values()) else {}

    def signals(self, node: str) -> list[SignalRow]:
        """Return the eviction signals of a simulated node."""
        machine = None if self.cluster.kubelets is None else self.cluster.kubelets.machine
        if not isinstance(machine, SimulatedKubelets):
            return []
        rows = []
        for threshold, observed in machine.readings(node, self.cluster.driver.now_s):
            signal, available, value = threshold.signal, "", str(threshold.value)
            if observed is not None:
                left = Quantity(observed.available * NANOS_PER_UNIT, signal.starved.unit)
                available = str(left)
                if threshold.value.quantity is None:
                    value = f"{value} ({threshold.value.of(observed.capacity)})"
            kind = "hard" if threshold.is_hard else f"soft, for {threshold.grace_period_s:g} s"
            rows.append(SignalRow(signal=signal, available=available, threshold=value, kind=kind))
        return rows

    def _note_disruptions(self, _: DriverEvent | None = None) -> None:
        try:
            events = self._pods.take()
        except ExpiredError:
            # More pods were written at once than the history keeps, as when a state is applied.
            events, store = [], self.cluster.store
            self._pods = store.watch("Pod", from_revision=store.revision)
        for event in events:
            new = None if event.type == "DELETED" else event.obj
            self.disruptions.pod_changed(event.previous, new, self.cluster.driver.now_s)


class StoreSource(StoreObjects):
    """A running cluster's objects, scheduling queues and timeline.

    Args:
        path: file in which disruptions are kept; None for memory.
        revision: revision after which disruptions are noted; None for the current one.
        user_hooks: called by the cluster after each write of a user.
    """

    def __init__(
        self,
        cluster: Cluster,
        user_hooks: list[Callable[[], None]],
        path: Path | None = None,
        revision: int | None = None,
    ) -> None:
        super().__init__(cluster, path, revision)
        cluster.driver.hooks.append(self._note_disruptions)
        store = cluster.store
        since = (
            store.revision if revision is None else max(revision, store.oldest_revision("Event"))
        )
        told = FieldValue(_reason, EVENT_REASON)
        self._preempted = store.watch("Event", from_revision=since, field=told)
        self._user_hooks = user_hooks
        # Where no machine runs in this process, only users, such as another scheduler, write.
        user_hooks.append(self._note_disruptions)
        self._observer: Observer | None = None
        self._past: list[Entry] = []

    def start(self) -> list[SceneChange]:
        self.stop()
        self._observer = Observer(self.cluster)
        self._user_hooks.append(self._observer.look)
        self._past = described_events(self.cluster.store.list("Event").items, self.start_s)
        return super().start()

    def stop(self) -> None:
        super().stop()
        if self._observer is not None:
            self._user_hooks.remove(self._observer.look)
            self._observer.close()
        self._observer = None

    def close(self) -> None:
        """Stop noting disruptions."""
        self._preempted.close()
        self._user_hooks.remove(self._note_disruptions)
        self.cluster.driver.hooks.remove(self._note_disruptions)
        self.disruptions.close()

    def entries(self) -> list[Entry]:
        """Return the timeline entries since the last call; at first, also those of older Events."""
        past, self._past = self._past, []
        if self._observer is None:
            return past
        self._observer.look()
        noted = [*self._observer.entries]
        self._observer.entries.clear()
        return [*past, *described_entries(noted)]

    def _note_disruptions(self, event: DriverEvent | None = None) -> None:
        super()._note_disruptions(event)
        for told in self._preempted.take():
            self.disruptions.event_written(told.obj)


def _reason(event: Object) -> str:
    return str(event.get("reason") or "")


def _amounts(usages: Iterable[Usage]) -> Mapping[str, int]:
    listed = [*usages]
    return {
        "cpu": sum(ceil_milli(usage.cpu_nanos) for usage in listed),
        "memory": sum(usage.memory_bytes for usage in listed),
    }
