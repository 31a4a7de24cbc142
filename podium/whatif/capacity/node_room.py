"""Whether there can be room at all for the pods that wait, by plain sums."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from podium.api.objects import Object
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.scheduler.snapshot.snapshot import allocatable_amounts
from podium.whatif.capacity.node_shapes import NodeShape
from podium.whatif.capacity.node_trials import Counts
from podium.whatif.plan.play import Play

_PODS = "pods"


class NodeRoom:
    """What the pods of a play that has come to rest lack, and what each shape of nodes has of it.

    It takes all that is free on all nodes for usable, so that nothing it rules out could do.

    Args:
        play: with the nodes that there are.
        shapes: of those that may be added.
        pods: that are to get a place.
    """

    def __init__(self, play: Play, shapes: Sequence[NodeShape], pods: Iterable[Object]) -> None:
        snapshot = play.scheduler.snapshot
        columns, wanted = snapshot.resources, Counter[str]()
        for pod in pods:
            wanted[_PODS] += 1
            requests = pending_pod(pod, snapshot.classes).cls.requests
            wanted.update({columns.names[at]: n for at, n in columns.counted(requests)})
        free = {name: columns.free[columns.index_of(name)] for name in wanted if name != _PODS}
        free[_PODS] = columns.free_pods
        self._lacking = {
            name: amount - int(np.maximum(free[name], 0).sum()) for name, amount in wanted.items()
        }
        self._amounts = [allocatable_amounts(shape.node) for shape in shapes]

    def is_enough(self, counts: Counts) -> bool:
        """Whether so many nodes of each shape have all that lacks, taken together."""
        return all(
            sum(n * one.get(name, 0) for n, one in zip(counts, self._amounts, strict=True)) >= lacks
            for name, lacks in self._lacking.items()
        )
