"""NodeUnschedulable: pods fit a cordoned node only with a toleration.

They need one for `node.kubernetes.io/unschedulable:NoSchedule`, even if the node has no such taint.
"""

from collections.abc import Sequence

import numpy as np

from podium.api.nodes import NO_SCHEDULE, is_cordoned, tolerations_tolerate
from podium.api.objects import Object, spec_of
from podium.scheduler.framework.cluster_events import Action, EventHint, EventResource, after_change
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FixedCodes, fixed_codes
from podium.scheduler.framework.status import unresolvable
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes

_TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": NO_SCHEDULE}
_CORDONED = -1
_REASON = "node(s) were unschedulable"


class NodeUnschedulable:
    """Rules out nodes with `spec.unschedulable` (Filter)."""

    name = "NodeUnschedulable"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._filters: PerNodes[FixedCodes | None] = PerNodes(handle.snapshot)

    def events_to_register(self) -> Sequence[EventHint]:
        opened = Action.ADD | Action.UPDATE_NODE_TAINT
        tolerant = Action.UPDATE_POD_TOLERATION
        return (
            after_change(
                EventResource.NODE,
                opened,
                lambda pod, old, new: not is_cordoned(new) and (old is None or is_cordoned(old)),
            ),
            after_change(
                EventResource.UNSCHEDULED_POD, tolerant, lambda pod, old, new: _tolerates(new)
            ),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        def make() -> FixedCodes | None:
            if _tolerates(pod.obj):
                return None
            nodes = self._snapshot.columns.unschedulable()
            codes = nodes.lookup([_CORDONED if value else 0 for value in nodes.values], np.int32)
            return fixed_codes(self.name, codes, lambda _: unresolvable(_REASON))

        return self._filters.of(pod.cls.tolerations_key, make)


def _tolerates(pod: Object) -> bool:
    return tolerations_tolerate(spec_of(pod).get("tolerations"), _TAINT)
