"""Follows a cluster in this process: its store, its schedulers' queues, and its timeline."""

from collections.abc import Callable, Iterator, Mapping

from podium.api.objects import Object
from podium.api.values.quantity import NANOS_PER_UNIT, Quantity
from podium.apiserver.store.watch import Watch
from podium.cluster.virtual import Cluster
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.timeline import Observer
from podium.ui.dashboard.entries import of_events, told
from podium.ui.dashboard.pages import SignalRow
from podium.ui.dashboard.scene import KINDS, Change, places_in
from podium.ui.dashboard.views import Entry


class StoreObjects:
    """The objects of a cluster's store, and where its pods wait.

    Attributes:
        start_s: what times are counted from, in seconds since the epoch.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.start_s = cluster.options.start_s
        self.cluster = cluster
        self._watches: list[Watch] = []

    def start(self) -> list[Change]:
        """All objects of `KINDS`; from now on what changes is noted."""
        store = self.cluster.store
        revision = store.revision
        self._watches = [store.watch(kind, from_revision=revision) for kind in KINDS]
        return [Change(kind, obj) for kind in KINDS for obj in store.list(kind).items]

    def stop(self) -> None:
        """Note nothing any more."""
        self._watches = []

    def changes(self) -> Iterator[Change]:
        """What has changed since the last time."""
        for watch in self._watches:
            for event in watch.take():
                yield Change(event.kind, event.obj, event.type == "DELETED")

    def places(self) -> Mapping[str, str]:
        """Where pods wait that aren't bound, by uid."""
        return places_in(machine.queue for machine in self.machines())

    def machines(self) -> list[SchedulerMachine]:
        """The schedulers that run."""
        found = (one.machine for one in self.cluster.schedulers.values())
        return [one for one in found if isinstance(one, SchedulerMachine)]

    def passed_s(self) -> float:
        """The time, in seconds since the start."""
        return round(self.cluster.driver.now_s - self.start_s, 3)

    def find(self, kind: str, namespace: str, name: str) -> Object | None:
        """An object as it is now."""
        return self.cluster.store.get(kind, namespace, name)

    def signals(self, node: str) -> list[SignalRow]:
        """The eviction signals of a node."""
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


class StoreSource(StoreObjects):
    """A cluster that runs.

    Args:
        user_hooks: all are called when users have written something, while it is followed.
    """

    def __init__(self, cluster: Cluster, user_hooks: list[Callable[[], None]]) -> None:
        super().__init__(cluster)
        self._user_hooks = user_hooks
        self._observer: Observer | None = None
        self._past: list[Entry] = []

    def start(self) -> list[Change]:
        self.stop()
        self._observer = Observer(self.cluster)
        self._user_hooks.append(self._observer.look)
        self._past = of_events(self.cluster.store.list("Event").items, self.start_s)
        return super().start()

    def stop(self) -> None:
        super().stop()
        if self._observer is not None:
            self._user_hooks.remove(self._observer.look)
            self._observer.close()
        self._observer = None

    def entries(self) -> list[Entry]:
        """What has happened since the last time; first what is known of the time before."""
        past, self._past = self._past, []
        if self._observer is None:
            return past
        self._observer.look()
        noted = [*self._observer.entries]
        self._observer.entries.clear()
        return [*past, *told(noted)]
