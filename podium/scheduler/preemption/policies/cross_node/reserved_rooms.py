"""Rooms that preemption on several nodes has made, kept free of pods that would block them."""

from collections.abc import Iterator
from contextlib import contextmanager

from podium.api.objects import spec_of
from podium.scheduler.framework.handle import Handle
from podium.scheduler.preemption.policies.cross_node.blockers import reaches_beyond_its_node
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod


@contextmanager
def reserved_rooms(handle: Handle, pod: PodInfo) -> Iterator[None]:
    """For one decision, nominated pods of no lower priority stand on their nodes.

    On its own node a nomination counts anyhow. Here it counts for other nodes, too: what is
    nominated is there with its labels and its affinity, but takes no room.
    """
    snapshot, stand_ins = handle.snapshot, []
    is_far_reaching = reaches_beyond_its_node(pod)
    for nominated in handle.nominator.nominated():
        counts = nominated.priority >= pod.priority and nominated.uid != pod.uid
        if counts and (is_far_reaching or reaches_beyond_its_node(nominated)):
            stand_in = placed_pod(
                {**nominated.obj, "spec": {**spec_of(nominated.obj), "containers": []}},
                snapshot.classes,
            )
            snapshot.add_pod(stand_in, nominated.nominated_node_name)
            stand_ins.append(stand_in)
    try:
        yield
    finally:
        for stand_in in reversed(stand_ins):
            snapshot.remove_pod(stand_in)
