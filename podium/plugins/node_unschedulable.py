"""NodeUnschedulable: cordoned nodes are only for pods that tolerate it.

That is for pods with a toleration of the taint `node.kubernetes.io/unschedulable:NoSchedule`,
whether or not the node has it.
"""

import numpy as np

from podium.api.taints import NO_SCHEDULE, tolerations_tolerate
from podium.core.fixed_codes import FixedCodes
from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.status import unresolvable

_TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": NO_SCHEDULE}
_CORDONED = -1
_REASON = "node(s) were unschedulable"


class NodeUnschedulable:
    """Rules out nodes with `spec.unschedulable` (Filter)."""

    name = "NodeUnschedulable"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        if tolerations_tolerate(pod.cls.spec.get("tolerations"), _TAINT):
            return None
        cordoned = self._snapshot.columns.unschedulable()
        codes = cordoned.lookup([_CORDONED if value else 0 for value in cordoned.values], np.int32)
        return FixedCodes(self.name, codes, lambda _: unresolvable(_REASON))
