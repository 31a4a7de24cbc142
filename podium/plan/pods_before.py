"""The pods of a state: which there are, how many each workload has, and how many are ready."""

from collections import Counter
from collections.abc import Iterable

from podium.api.objects import Object, controller_of, is_terminating, key, namespace
from podium.api.pods import is_finished, is_ready, node_name_of
from podium.plan.owners import Owners
from podium.simulation.timeline.pod_history import pods_by_uid


class PodsBefore:
    """The pods of a state, and its workloads by name as in `Owners.workload`.

    Attributes:
        by_uid: the pods.
        unbound: `namespace/name` of those on no node.
        pods: how many pods on nodes each workload has.
        ready: how many pods that are ready.
        ready_uids: the uids of those.

    Args:
        pods: of the state.
        owners: of its pods.
    """

    def __init__(self, pods: Iterable[Object], owners: Owners) -> None:
        self.by_uid = pods_by_uid(pods)
        self.unbound: list[str] = []
        self.pods: Counter[str] = Counter()
        self.ready: Counter[str] = Counter()
        self.ready_uids: set[str] = set()
        for pod_uid, pod in self.by_uid.items():
            node = node_name_of(pod)
            if not node:
                self.unbound.append(key(pod))
            if is_terminating(pod) or is_finished(pod):
                continue
            owner = controller_of(pod)
            above = owner and (str(owner["kind"]), namespace(pod), str(owner["name"]))
            workload = owners.workload(key(pod), above or None)
            if node:
                self.pods[workload] += 1
            if is_ready(pod):
                self.ready[workload] += 1
                self.ready_uids.add(pod_uid)
