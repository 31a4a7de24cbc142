"""The record of the decisions about one pod in a simulated cluster."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from podium.api.documents.report import pod_facts
from podium.api.objects import Object
from podium.scheduler.explain.explanation import Explanation, explain
from podium.scheduler.explain.obstacles import obstacles
from podium.scheduler.explain.volume_details import refusal_details
from podium.scheduler.framework.cycle.decision import Decision
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from podium.scheduler.plugins.volume_binding import VolumeBinding
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.affinity_terms import with_known_namespaces
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot
from podium.simulation.timeline.preemption import PreemptionRecorder
from podium.whatif.explain.explanation import (
    Blocker,
    DecisionView,
    FreedPort,
    NodeScore,
    PreemptionView,
    SparedPod,
    Whose,
)

_ALL = 1 << 62


class DecisionWatcher:
    """Records the decisions about one pod, except repeated ones; used as `Scheduler.watch`."""

    def __init__(
        self,
        scheduler: Scheduler,
        preemptions: PreemptionRecorder,
        passed_s: Callable[[], float],
        pod_key: str,
    ) -> None:
        self.views: list[DecisionView] = []
        self.pod: Object | None = None
        self._scheduler = scheduler
        self._preemptions = preemptions
        self._passed_s = passed_s
        self._pod_key = pod_key

    def __call__(self, decision: Decision) -> None:
        if decision.pod.key == self._pod_key:
            view = self._view(decision)
            self.pod = decision.pod.obj
            if not self.views or _gist(view) != _gist(self.views[-1]):
                self.views.append(view)
        self._preemptions.record(decision)

    def _view(self, decision: Decision) -> DecisionView:
        scheduler = self._scheduler
        explanation = explain(decision, scheduler.snapshot)
        closed = [
            node
            for node, status in explanation.filter.items()
            if status.plugin == InterPodAffinity.name and "anti-affinity" in status.message
        ]
        snapshot, details = scheduler.snapshot, list[str]()
        if decision.pre_filter is not None and decision.pre_filter.plugin == VolumeBinding.name:
            details += refusal_details(scheduler.listers, decision.pod)
        freed = [
            FreedPort(snapshot.names[row], str(port), holder.key)
            for row, ports in snapshot.freed_ports.items()
            for port in ports
            if any(map(port.conflicts, decision.pod.cls.host_ports))
            for holder in snapshot.pods_on[row]
            if port in holder.cls.host_ports
        ]
        return DecisionView(
            node=decision.node_name,
            error=decision.error,
            message="" if decision.node_name else failure_message(decision, snapshot),
            gate=decision.gate,
            pre_filter=decision.pre_filter,
            pre_filter_details=tuple(details),
            nominated_only=decision.nominated_only,
            filter=explanation.filter,
            obstacles=obstacles(decision, scheduler, explanation.filter),
            feasible_nodes=explanation.feasible,
            feasible=tuple(
                NodeScore(node, explanation.scores[node], explanation.totals[node])
                for node in explanation.feasible
                if node in explanation.scores
            ),
            best=explanation.best,
            preemption=self._preemption(decision, explanation),
            blockers=tuple(blockers(snapshot, scheduler.listers, decision.pod, closed)),
            freed_ports=tuple(sorted(freed, key=lambda one: (one.node, one.port, one.pod))),
            at=round(self._passed_s(), 3),
        )

    def _preemption(self, decision: Decision, explanation: Explanation) -> PreemptionView | None:
        preemption = decision.preemption
        if not isinstance(preemption, Preemption):
            return None
        outcome, spared = None, list[SparedPod]()
        if preemption.node_name:
            outcome = self._preemptions.read(decision.pod, preemption, _ALL)
            snapshot = self._scheduler.snapshot
            victims = {victim.uid for victim in preemption.victims}
            highest = max(victim.priority for victim in preemption.victims)
            spared = [
                SparedPod(pod.key, pod.priority)
                for pod in snapshot.pods_on[snapshot.row_of[preemption.node_name]]
                if pod.uid not in victims and pod.priority < highest
            ]
            spared.sort(key=lambda one: (-one.priority, one.pod))
        candidates = () if outcome is None else (outcome.chosen, *outcome.alternatives)
        return PreemptionView(
            preemption.eligible,
            preemption.message,
            preemption.node_name,
            candidates,
            explanation.rejected,
            outcome,
            tuple(spared),
        )


def _gist(view: DecisionView) -> tuple[Any, ...]:
    outcome = None if view.preemption is None else view.preemption.outcome
    return view.node, view.message, view.error, outcome and outcome.chosen


def blockers(
    snapshot: Snapshot, listers: Listers, pod: PodInfo, closed: Iterable[str]
) -> list[Blocker]:
    """List the pods on other nodes that keep a pod off nodes by anti-affinity of either pod.

    Preemption removes pods only from the nominated node (v1.36). So a pod of low priority on
    another node of the topology domain keeps out a pod of high priority.
    """
    opponents = list(_opponents(snapshot, listers, pod))
    blocking = []
    for node_name in sorted(closed):
        here = snapshot.row_of[node_name]
        for other, row, topology_key, whose in opponents:
            value = snapshot.labels_of(here).get(topology_key)
            shared = value is not None and snapshot.labels_of(row).get(topology_key) == value
            if row != here and shared:
                on = snapshot.names[row]
                blocking.append(
                    Blocker(
                        **pod_facts(other.obj),
                        node=node_name,
                        on=on,
                        topology_key=topology_key,
                        anti_affinity_of=whose,
                    )
                )
    return blocking


def _opponents(
    snapshot: Snapshot, listers: Listers, pod: PodInfo
) -> Iterator[tuple[PodInfo, int, str, Whose]]:
    own = with_known_namespaces(pod.cls.peer_group.terms.required_anti_affinity, listers)
    around = listers.namespace_labels(pod.namespace)
    for row, pods in enumerate(snapshot.pods_on):
        for other in pods:
            for term in own:
                if term.matches(other.cls.peer_group, {}):
                    yield other, row, term.topology_key, "incoming"
            for term in other.cls.peer_group.terms.required_anti_affinity:
                if term.matches(pod.cls.peer_group, around):
                    yield other, row, term.topology_key, "existing"
