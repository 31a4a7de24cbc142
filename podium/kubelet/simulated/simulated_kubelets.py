"""The machine that runs the kubelets of all simulated nodes.

A node without scripted usage costs nothing between changes.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse

import msgspec

from podium.api.objects import Object, name, uid
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import is_critical
from podium.api.usage import Usage
from podium.kubelet.eviction.node_statistics import Observation
from podium.kubelet.eviction.thresholds import Threshold
from podium.kubelet.kubelet import Kubelet
from podium.kubelet.kubelet_events import node_record
from podium.kubelet.kubelets import Kubelets
from podium.kubelet.pod_manager import PodManager
from podium.kubelet.simulated.behaviour import BehaviourError, is_marked
from podium.kubelet.simulated.node_pressure import NodePressure
from podium.kubelet.simulated.node_settings import NodeSettings
from podium.kubelet.simulated.scripted_runtime import Addresses, ScriptedRuntime
from podium.kubelet.simulated.stats_provider import container_usages
from podium.machines.effects import Effect
from podium.machines.events import Event, Woken
from podium.machines.machine import NEVER_S
from podium.scheduler.snapshot.pod_classes import PodClasses


class _PressureKey(msgspec.Struct, frozen=True):
    name: str


class SimulatedKubelets(Kubelets):
    """The kubelets of all simulated nodes."""

    def __init__(
        self, settings: NodeSettings | None = None, register: Iterable[Object] = ()
    ) -> None:
        self._settings = settings or NodeSettings()
        super().__init__(register, writes_heartbeats=self._settings.writes_heartbeats)
        self._classes = PodClasses()
        self._runtimes: dict[str, ScriptedRuntime] = {}
        self._pressures: dict[str, NodePressure] = {}
        self._count_nodes = 0
        self._looked_s = 0.0

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        if isinstance(event, Woken):
            self._looked_s = now_s
        return super().step(event, now_s)

    def next_wakeup_s(self) -> float | None:
        next_s, gathers_s = super().next_wakeup_s(), self._settings.gathers_s
        return (
            next_s if next_s is None or not gathers_s else max(next_s, self._looked_s + gathers_s)
        )

    def node_usage(self, called: str, now_s: float) -> Usage | None:
        """The usage of a node; None if it is silent, or not simulated."""
        self.rouse(called)
        kubelet, pressure = self.kubelets.get(called), self._pressures.get(called)
        if kubelet is None or kubelet.runtime.is_down:
            return None
        used = [container_usages(one, now_s).values() for one in kubelet.pods.active()]
        cpu_nanos = sum(one.cpu_nanos for containers in used for one in containers)
        return Usage(cpu_nanos, 0 if pressure is None else pressure.memory_bytes(now_s))

    def pod_usage(self, pod: Object, now_s: float) -> Mapping[str, Usage] | None:
        """The usage of a pod's containers by name; None if they don't run, or not here."""
        self.rouse(node_name_of(pod))
        kubelet = self.kubelets.get(node_name_of(pod))
        worker = None if kubelet is None else kubelet.pods.get(uid(pod))
        if kubelet is None or worker is None or kubelet.runtime.is_down:
            return None
        return container_usages(worker, now_s) or None

    def readings(self, called: str, now_s: float) -> Iterator[tuple[Threshold, Observation | None]]:
        """The eviction thresholds of a node, and the readings of their signals, if measured."""
        self.rouse(called)
        kubelet, pressure = self.kubelets.get(called), self._pressures.get(called)
        if kubelet is None:
            return iter(())
        if pressure is None or kubelet.runtime.is_down:
            return ((one, None) for one in self._settings.eviction.thresholds)
        return pressure.readings(now_s)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        if isinstance(key, _PressureKey):
            kubelet, pressure = self.kubelets.get(key.name), self._pressures.get(key.name)
            if kubelet is None or pressure is None or kubelet.runtime.is_down:
                return ()
            effects = [*pressure.advance(now_s), *self._status(kubelet, now_s)]
            if (next_s := pressure.next_s(now_s)) < NEVER_S:
                self.look_again(key, next_s)
            return effects
        return super().reconcile(key, now_s)

    def _is_ours(self, node: Object) -> bool:
        return self._settings.simulates_all or is_marked(node)

    def _kubelet_of(self, node: Object, now_s: float) -> Kubelet:
        called = name(node)
        runtime = ScriptedRuntime(self._settings, Addresses(node, self._count_nodes))
        self._count_nodes += 1
        self._runtimes[called] = runtime
        self._pressures.pop(called, None)
        return Kubelet(node, runtime, PodManager(self._classes), self.revisit, now_s)

    def _goes_on(self, kubelet: Kubelet, pod: Object) -> bool:
        return self._runtimes[name(kubelet.node)].goes_on(pod)

    def _only_count(self, kubelet: Kubelet, pods: Collection[Object], newcomer: Object) -> bool:
        # Pods that may be stopped or measured, or need an address, need workers.
        runtime, running = self._runtimes[name(kubelet.node)], [*filterfalse(is_finished, pods)]
        if runtime.is_measured or is_critical(newcomer) or not runtime.keep_addresses(running):
            return False
        for pod in running:
            kubelet.pods.foresee(pod)
        return True

    def _left(self, called: str) -> None:
        super()._left(called)
        self._runtimes.pop(called, None)
        self._pressures.pop(called, None)

    def _see(self, kubelet: Kubelet, node: Object, now_s: float) -> Iterable[Effect]:
        try:
            kubelet.see(node, now_s)
        except BehaviourError as error:
            yield node_record(node, "Warning", "InvalidBehaviour", str(error))
        if (pressure := self._pressures.get(name(node))) is not None:
            pressure.see(node, self._runtimes[name(node)].node_script)

    def _synced_node(self, kubelet: Kubelet, now_s: float) -> None:
        # The usage may have changed, or may now be scripted.
        called = name(kubelet.node)
        runtime = self._runtimes[called]
        if not runtime.is_measured:
            return
        self.rouse(called)
        if called not in self._pressures:
            script, settings = runtime.node_script, self._settings
            self._pressures[called] = NodePressure(kubelet, script, settings, now_s)
        self.look_again(_PressureKey(called), now_s)
