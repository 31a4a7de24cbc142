"""The state machine that runs the kubelets of all simulated nodes.

A node without scripted usage takes no computation between changes.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.objects import Object, name, uid
from podium.api.pods import node_name_of
from podium.api.usage import Usage
from podium.kubelet.eviction.node_statistics import Observation
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.kubelets import Kubelets
from podium.kubelet.simulated.behaviour import NodeSettings, is_marked
from podium.kubelet.simulated.node_pressure import NodePressure
from podium.kubelet.simulated.simulated_kubelet import Addresses, SimulatedKubelet
from podium.kubelet.simulated.stats_provider import container_usages
from podium.machines.effects import Effect
from podium.machines.events import Event, Woken
from podium.machines.machine import NEVER_S
from podium.scheduler.snapshot.pod_classes import PodClasses


class _PressureKey(msgspec.Struct, frozen=True):
    name: str


class SimulatedKubelets(Kubelets[SimulatedKubelet]):
    """The kubelets of all simulated nodes, as one reconciler."""

    def __init__(
        self, settings: NodeSettings | None = None, register: Iterable[Object] = ()
    ) -> None:
        self._settings = settings or NodeSettings()
        super().__init__(register, writes_heartbeats=self._settings.writes_heartbeats)
        self._classes = PodClasses()
        self._pressures: dict[str, NodePressure] = {}
        self._count_nodes = 0
        self._looked_s = 0.0

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Woken):
            self._looked_s = now_s
        return super().step(event, now_s)

    def next_wakeup_s(self) -> float | None:
        next_s, gathers_s = super().next_wakeup_s(), self._settings.gathers_s
        if next_s is None or not gathers_s:
            return next_s
        return max(next_s, self._looked_s + gathers_s)

    def node_usage(self, node_name: str, now_s: float) -> Usage | None:
        """Return the usage of a node; None if its kubelet is down, or it isn't simulated."""
        self.rouse(node_name)
        kubelet, pressure = self.kubelets.get(node_name), self._pressures.get(node_name)
        if kubelet is None or kubelet.is_down:
            return None
        used = [container_usages(worker, now_s).values() for worker in kubelet.pods.active()]
        cpu_nanos = sum(usage.cpu_nanos for containers in used for usage in containers)
        return Usage(cpu_nanos, 0 if pressure is None else pressure.memory_bytes(now_s))

    def pod_usage(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """Return the usage of a pod's containers by name; None if the pod isn't simulated."""
        self.rouse(node_name_of(pod))
        kubelet = self.kubelets.get(node_name_of(pod))
        worker = None if kubelet is None else kubelet.pods.get(uid(pod))
        if kubelet is None or worker is None or kubelet.is_down:
            return None
        return container_usages(worker, now_s) or None

    def readings(
        self, node_name: str, now_s: float
    ) -> Iterator[tuple[Threshold, Observation | None]]:
        """Yield a node's eviction thresholds, each with the observation of its signal, if known."""
        self.rouse(node_name)
        kubelet, pressure = self.kubelets.get(node_name), self._pressures.get(node_name)
        if kubelet is None:
            return iter(())
        if pressure is None or kubelet.is_down:
            return ((threshold, None) for threshold in self._settings.eviction.thresholds)
        return pressure.readings(now_s)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        if not isinstance(key, _PressureKey):
            return super().reconcile(key, now_s)
        kubelet, pressure = self.kubelets.get(key.name), self._pressures.get(key.name)
        if kubelet is None or pressure is None or kubelet.is_down:
            return ()
        effects = [*pressure.advance(now_s), *self._status(kubelet, now_s)]
        if (next_s := pressure.next_s(now_s)) < NEVER_S:
            self.look_again(key, next_s)
        return effects

    def _is_ours(self, node: Object) -> bool:
        return self._settings.simulates_all or is_marked(node)

    def _kubelet_of(self, node: Object, now_s: float) -> SimulatedKubelet:
        addresses = Addresses(node, self._count_nodes)
        self._count_nodes += 1
        self._pressures.pop(name(node), None)
        return SimulatedKubelet(node, addresses, self._settings, self._classes, self.revisit, now_s)

    def _left(self, node_name: str) -> None:
        super()._left(node_name)
        self._pressures.pop(node_name, None)

    def _synced_kubelet(self, kubelet: SimulatedKubelet, now_s: float) -> None:
        # The usage may have changed, or may now be scripted.
        if kubelet.is_measured:
            node_name = name(kubelet.node)
            self.rouse(node_name)
            if node_name not in self._pressures:
                self._pressures[node_name] = NodePressure(kubelet, self._settings, now_s)
            self.look_again(_PressureKey(node_name), now_s)
