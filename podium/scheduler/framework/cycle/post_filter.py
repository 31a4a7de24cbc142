"""PostFilter: plugins that help a pod which fits on no node (RunPostFilterPlugins of v1.36)."""

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from podium.machines.effects import Effect
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import (
    PostFilterPlugin,
    PostFilterResult,
    PreemptionResult,
    PreFilterPlugin,
)
from podium.scheduler.framework.status import Code, Status, unresolvable, unschedulable
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot


class NodeToStatus(msgspec.Struct, frozen=True):
    """Status of each node for a pod that fits on none; columns are those of `Decision`."""

    snapshot: Snapshot
    pre_filter: Sequence[PreFilterPlugin]
    evaluation: Evaluation
    outcome: Codes
    blame: Codes

    def get(self, node_name: str) -> Status:
        filtering, row = self.evaluation.filtering, self.snapshot.row_of.get(node_name)
        if not filtering.pre_filter.is_success:
            return filtering.pre_filter
        if row is None:
            return unresolvable()
        return filtering.status(int(self.blame[row]), int(self.outcome[row]), row)

    def nodes_for(self, code: Code) -> list[str]:
        wanted = self.outcome > 0 if code is Code.UNSCHEDULABLE else self.outcome < 0
        return [self.snapshot.names[row] for row in np.flatnonzero(wanted).tolist()]

    def was_asked(self, plugin_name: str) -> bool:
        """Return whether a PreFilter plugin ran; those after a refusal of all nodes don't."""
        names = [plugin.name for plugin in self.pre_filter]
        refusal = self.evaluation.filtering.pre_filter
        if refusal.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            names = names[: names.index(refusal.plugin) + 1]
        return plugin_name in names


def run_post_filter_plugins(
    plugins: Sequence[PostFilterPlugin], pod: PodInfo, filtered: NodeToStatus
) -> tuple[PostFilterResult, PreemptionResult | None]:
    """Run PostFilter plugins; return the combined result, and the last preemption's, if any."""
    result, preemption = PostFilterResult(), None
    reasons: list[str] = []
    calls: tuple[Effect, ...] = ()
    for plugin in plugins:
        answer = plugin.post_filter(pod, filtered)
        calls += answer.calls
        if calls != answer.calls:
            answer = replace(answer, calls=calls)
        if answer.status.plugin != plugin.name:
            answer = replace(answer, status=answer.status.by(plugin.name))
        status = answer.status
        if isinstance(answer, PreemptionResult):
            preemption = answer
        if status.is_success or status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return answer, preemption
        if not status.is_rejection:
            return PostFilterResult(Status(Code.ERROR, status.reasons, plugin.name)), preemption
        if answer.nominated_node_name is not None:
            result = answer
        reasons += status.reasons
    refusal = unschedulable(*reasons, plugin=plugins[0].name if plugins else "")
    return replace(result, status=refusal, calls=calls), preemption
