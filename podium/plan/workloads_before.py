"""The workloads of a state: how many pods each has, and how many of them are ready."""

from collections import Counter
from collections.abc import Iterable

from podium.api.objects import Object, controller_of, is_terminating, key, namespace, uid
from podium.api.pods import is_finished, is_ready, node_name_of
from podium.plan.owners import Owners


class WorkloadsBefore:
    """The workloads of a state, by name as in `Owners.workload`.

    Attributes:
        pods: how many pods on nodes each has.
        ready: how many pods that are ready.
        ready_uids: the uids of those.

    Args:
        pods: of the state.
        owners: of its pods.
    """

    def __init__(self, pods: Iterable[Object], owners: Owners) -> None:
        self.pods: Counter[str] = Counter()
        self.ready: Counter[str] = Counter()
        self.ready_uids: set[str] = set()
        for pod in pods:
            if is_terminating(pod) or is_finished(pod):
                continue
            owner = controller_of(pod)
            above = owner and (str(owner["kind"]), namespace(pod), str(owner["name"]))
            workload = owners.workload(key(pod), above or None)
            if node_name_of(pod):
                self.pods[workload] += 1
            if is_ready(pod):
                self.ready[workload] += 1
                self.ready_uids.add(uid(pod))
