"""TaintToleration: nodes with taints that a pod doesn't tolerate.

A taint with the effect NoSchedule or NoExecute rules its node out; one with PreferNoSchedule lowers
the node's score. Each distinct list of taints is compared once, however many nodes have it.
"""

from collections.abc import Sequence

import numpy as np

from podium.api.nodes import (
    NO_EXECUTE,
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    taints_of,
    tolerations_tolerate,
    untolerated,
)
from podium.api.objects import Object
from podium.api.pods import tolerations_of
from podium.scheduler.framework.cluster_events import Action, EventHint, EventResource, after_change
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    MAX_NODE_SCORE,
    FixedCodes,
    FixedScores,
    LocalScore,
    NormalizedScores,
    RelativeScore,
    fixed_codes,
)
from podium.scheduler.framework.status import unresolvable
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes

_UNTOLERATED = -1
_REASON = "node(s) had untolerated taint(s)"


class TaintToleration:
    """Rules out nodes by their taints, and scores the others (Filter, Score)."""

    name = "TaintToleration"

    def __init__(self, handle: Handle) -> None:
        self._snapshot = handle.snapshot
        self._filters: PerNodes[FixedCodes | None] = PerNodes(handle.snapshot)
        self._scores: PerNodes[LocalScore | RelativeScore] = PerNodes(handle.snapshot)

    def events_to_register(self) -> Sequence[EventHint]:
        tainted = Action.ADD | Action.UPDATE_NODE_TAINT
        return (
            after_change(
                EventResource.NODE,
                tainted,
                lambda pod, old, new: (
                    not _keep_away(taints_of(new), pod)
                    and (old is None or _keep_away(taints_of(old), pod))
                ),
            ),
            after_change(EventResource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATION),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        def make() -> FixedCodes | None:
            groups = self._snapshot.columns.taints()
            verdicts = [_UNTOLERATED if _keep_away(taints, pod) else 0 for taints in groups.values]
            codes = groups.lookup(verdicts, np.int32)
            return fixed_codes(self.name, codes, lambda _: unresolvable(_REASON))

        return self._filters.of(pod.cls.tolerations_key, make)

    def score(self, pod: PodInfo) -> LocalScore | RelativeScore | None:
        def make() -> LocalScore | RelativeScore:
            tolerations = [
                toleration
                for toleration in tolerations_of(pod.cls.spec)
                if toleration.get("effect") in (None, "", PREFER_NO_SCHEDULE)
            ]
            groups = self._snapshot.columns.taints()
            counts = [
                sum(
                    taint.get("effect") == PREFER_NO_SCHEDULE
                    and not tolerations_tolerate(tolerations, taint)
                    for taint in taints
                )
                for taints in groups.values
            ]
            if any(counts):
                return NormalizedScores(self.name, groups.lookup(counts), reverse=True)
            # All nodes have the highest score, whichever are feasible.
            best = np.full(self._snapshot.node_count, MAX_NODE_SCORE, np.int64)
            return FixedScores(self.name, best, MAX_NODE_SCORE)

        return self._scores.of(pod.cls.tolerations_key, make)


def _keep_away(taints: Sequence[Object] | None, pod: PodInfo) -> bool:
    tolerations = pod.cls.spec.get("tolerations")
    return untolerated(taints, tolerations, (NO_SCHEDULE, NO_EXECUTE)) is not None
