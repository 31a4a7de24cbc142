"""NodeName: a pod with a node name fits no other node."""

from collections.abc import Sequence

import numpy as np

from podium.api.pods import node_name_of
from podium.scheduler.framework.cluster_events import Action, EventHint, EventResource, after_change
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FixedCodes
from podium.scheduler.framework.status import unresolvable
from podium.scheduler.snapshot.pod_info import PodInfo

_OTHER_NODE = -1
_REASON = "node(s) didn't match the requested node name"


class NodeName:
    """Rules out all nodes but the one in `spec.nodeName` (Filter)."""

    name = "NodeName"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot

    def events_to_register(self) -> Sequence[EventHint]:
        return (after_change(EventResource.NODE, Action.ADD),)

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        # From the pod's own object, since pods of its class on nodes have node names, too.
        wanted = node_name_of(pod.obj)
        if not wanted:
            return None
        codes = np.full(self._snapshot.node_count, _OTHER_NODE, np.int32)
        row = self._snapshot.row_of.get(wanted)
        if row is not None:
            codes[row] = 0
        return FixedCodes(self.name, codes, lambda _: unresolvable(_REASON))
