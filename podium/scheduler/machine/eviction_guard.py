"""Keeps replacements of evicted pods from the nodes that evicted them, for a while.

The design proposal of preemption asks for it; kube-scheduler has no such thing. The scheduler gets
such pods with a node affinity that rules these nodes out. Evictions are read from the evicted pods'
statuses, so that a restarted scheduler finds them again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from podium.api.objects import Object, condition_of, controller_uid, entries, part, status_of, uid
from podium.api.pods import affinity_of, is_finished, node_affinity_of, node_name_of
from podium.api.policy.disruption_target import BY_KUBELET, DISRUPTION_TARGET
from podium.api.values.times import epoch_s
from podium.api.well_known import REQUIRED
from podium.machines.events import Change


@dataclass(frozen=True, slots=True)
class _Held:
    obj: Object
    shown: Object
    nodes: tuple[str, ...]


class EvictionGuard:
    """Adds node affinity to pods, which rules out nodes that have evicted pods of their controller.

    `period_s` is counted from the eviction.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._until_s: dict[str, dict[str, float]] = {}
        self._held: dict[str, _Held] = {}

    def shown(self, change: Change, now_s: float) -> Change:
        """Return a change of a pod as the scheduler has to see it, with node affinity added."""
        pod = change.new
        if pod is None or is_finished(pod) or node_name_of(pod):
            gone = change.old if pod is None else pod
            if gone is not None:
                self._held.pop(uid(gone), None)
            target = None if pod is None else condition_of(pod, DISRUPTION_TARGET)
            if (
                pod is not None
                and target is not None
                and target.get("reason") == BY_KUBELET.reason
                and status_of(pod).get("reason") == "Evicted"
                and controller_uid(pod)
            ):
                until_s = epoch_s(target["lastTransitionTime"]) + self._period_s
                if until_s > now_s:
                    nodes_s = self._until_s.setdefault(controller_uid(pod), {})
                    node_name = node_name_of(pod)
                    nodes_s[node_name] = max(nodes_s.get(node_name, 0.0), until_s)
            return change
        nodes = self._avoided(pod, now_s)
        held = self._held.get(uid(pod))
        if held is None or held.obj is not pod or held.nodes != nodes:
            if not nodes:
                self._held.pop(uid(pod), None)
                return change
            spec, node_affinity = pod["spec"], node_affinity_of(pod["spec"])
            terms = part(node_affinity, REQUIRED).get("nodeSelectorTerms") or [{}]
            elsewhere = [
                {"key": "metadata.name", "operator": "NotIn", "values": [node]} for node in nodes
            ]
            guarded = [
                {**term, "matchFields": [*entries(term, "matchFields"), *elsewhere]}
                for term in terms
            ]
            required = {**node_affinity, REQUIRED: {"nodeSelectorTerms": guarded}}
            affinity = {**affinity_of(spec), "nodeAffinity": required}
            shown = {**pod, "spec": {**spec, "affinity": affinity}}
            held = self._held[uid(pod)] = _Held(pod, shown, nodes)
        return Change(change.kind, change.old, held.shown)

    def released(self, now_s: float) -> Iterator[Change]:
        """Yield a deletion and an addition for each pod whose excluded nodes have changed.

        A node is excluded for a time after it evicted a pod of the controller. By these changes the
        scheduler queues the pod again, with its current node affinity.
        """
        for held in list(self._held.values()):
            nodes = self._avoided(held.obj, now_s)
            if nodes == held.nodes:
                continue
            yield Change("Pod", held.shown, None)
            yield self.shown(Change("Pod", None, held.obj), now_s)

    def next_wakeup_s(self) -> float | None:
        times_s = (
            self._until_s[controller_uid(held.obj)][node]
            for held in self._held.values()
            for node in held.nodes
        )
        return min(times_s, default=None)

    def _avoided(self, pod: Object, now_s: float) -> tuple[str, ...]:
        nodes = self._until_s.get(controller_uid(pod), {})
        return tuple(sorted(node for node, until_s in nodes.items() if until_s > now_s))
