"""Pods of other schedulers that wait for room which was made for them on a node.

kube-scheduler looks at the nominations of its own pods only, and so fills room that another
scheduler has made. Here they count as its own do.
"""

from podium.api.objects import Object, uid
from podium.api.pods import nominated_node_of
from podium.controllers.scheduler.context import SchedulerContext
from podium.core.pods import PodInfo, pending_pod


class OtherNominations:
    """Has nominations of other schedulers' pods counted.

    Args:
        context: of the scheduler.
    """

    def __init__(self, context: SchedulerContext) -> None:
        self._context = context
        self._pods: dict[str, PodInfo] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def seen(self, obj: Object) -> None:
        """A pod of another scheduler waits, nominated or not."""
        node_name, before = nominated_node_of(obj), self._pods.get(uid(obj))
        if not node_name and before is None:
            return
        if before is not None:
            if before.obj is obj:
                return
            self.gone(uid(obj), frees=node_name != nominated_node_of(before.obj))
        if node_name:
            scheduler = self._context.scheduler
            pod = self._pods[uid(obj)] = pending_pod(obj, scheduler.snapshot.classes)
            scheduler.nominator.nominate(pod, node_name)

    def gone(self, pod_uid: str, *, frees: bool) -> None:
        """A pod waits no more.

        Args:
            pod_uid: of any pod.
            frees: whether others can have the room that it was nominated to.
        """
        pod = self._pods.pop(pod_uid, None)
        if pod is None:
            return
        self._context.scheduler.nominator.withdraw(pod)
        if frees:
            self._context.tell_nomination_gone(pod)
