"""The controllers of pods, and the pods of a state by workload."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from podium.api.documents.report import pod_facts
from podium.api.kinds.snapshot_kinds import Identity, label
from podium.api.objects import Object, controller_key, is_terminating, key, name, namespace, uid
from podium.api.pods import is_finished, is_ready, node_name_of, priority_class_of, restarts_always
from podium.api.priority import pod_priority

if TYPE_CHECKING:
    from podium.simulation.timeline.pod_history import PodHistory


class WorkloadOwners:
    """The controller of each controller; of several objects with one name the last counts."""

    def __init__(self, controllers: Iterable[Object]) -> None:
        self._above: dict[Identity, Identity] = {}
        self._workloads: dict[Identity, str] = {}
        for obj in controllers:
            if above := controller_key(obj):
                self._above[str(obj["kind"]), namespace(obj), name(obj)] = above

    def above(self, owner: Identity | None) -> Iterator[Identity]:
        """Yield a controller, its own controller, and so on, each once even if there is a cycle."""
        seen: set[Identity] = set()
        while owner is not None and owner not in seen:
            yield owner
            seen.add(owner)
            owner = self._above.get(owner)

    def topmost(self, owner: Identity) -> Identity:
        """Return the topmost controller above a controller; of a cycle, the first by name."""
        chain = [*self.above(owner)]
        next_one = self._above.get(chain[-1])
        return chain[-1] if next_one is None else min(chain[chain.index(next_one) :])

    def workload(self, pod: str, owner: Identity | None) -> str:
        """Return the topmost controller of a pod, or the pod itself, as `Kind namespace/name`."""
        if owner is None:
            return f"Pod {pod}"
        if owner not in self._workloads:
            self._workloads[owner] = label(self.topmost(owner))
        return self._workloads[owner]

    def row(self, pod: "PodHistory") -> dict[str, Any]:
        """Return the fields of `PodRow` for a pod that may have been deleted."""
        return {
            "pod": pod.pod,
            "namespace": pod.pod.partition("/")[0],
            "owner": label(pod.owner) if pod.owner else "",
            "workload": self.workload(pod.pod, pod.owner),
            "priority": pod.priority,
            "priority_class": pod.priority_class,
        }

    def row_of(self, pod: Object) -> dict[str, Any]:
        """Return the fields of `PodRow` for an existing pod."""
        return {**pod_facts(pod), "workload": self.workload(key(pod), controller_key(pod))}


class PodsBefore:
    """The pods of a state; workloads are named `Kind namespace/name`."""

    def __init__(self, pods: Iterable[Object], owners: WorkloadOwners) -> None:
        self.by_uid = {uid(pod): pod for pod in pods}
        self.unbound: list[str] = []
        """The pods without a node, `namespace/name`."""
        self.pods: Counter[str] = Counter()
        self.ready: Counter[str] = Counter()
        """The number of ready pods by workload."""
        self.ready_uids: set[str] = set()
        self.serving: set[str] = set()
        """The workloads with a controller and ready pods with `restartPolicy: Always`."""
        self.priorities: dict[str, tuple[int, str]] = {}
        """By workload, the highest priority of a ready pod, and the name of its class."""
        for pod_uid, pod in self.by_uid.items():
            node = node_name_of(pod)
            if not node:
                self.unbound.append(key(pod))
            if is_terminating(pod) or is_finished(pod):
                continue
            owner = controller_key(pod)
            workload = owners.workload("" if owner else key(pod), owner)
            if node:
                self.pods[workload] += 1
            if is_ready(pod):
                self.ready[workload] += 1
                self.ready_uids.add(pod_uid)
                if owner and restarts_always(pod):
                    self.serving.add(workload)
                priority = pod_priority(pod), priority_class_of(pod)
                self.priorities[workload] = max(priority, self.priorities.get(workload, priority))
