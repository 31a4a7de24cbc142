"""What was found out about a pod that fits nowhere and helps itself to no room.

While nothing has changed, all pods of its class meet the same refusal.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import PostFilterResult, PreemptionResult
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.pod_info import PodInfo

State = tuple[object, ...]


class PostFilterByClass(Protocol):
    """A PostFilter plugin whose answers may be those of a whole class of pods."""

    def by_class(self, pod: PodInfo) -> bool:
        """Whether all pods of the class that aren't nominated get the same answer.

        It holds for as long as no pod, node, nomination, budget or other object changes.
        """
        ...


class Refusal(msgspec.Struct, frozen=True, eq=False):
    """The last refusal of a class.

    Attributes:
        state: of all that it depends on.
        outcome: int32[nodes], the filters' codes with nominated pods counted.
        blame: int32[nodes], who objected.
        post_filter: what the PostFilter plugins came to; None if none was asked.
        preemption: how DefaultPreemption came to its answer; None if it wasn't asked.
    """

    state: State
    outcome: Codes
    blame: Codes
    post_filter: PostFilterResult | None
    preemption: PreemptionResult | None


def state_of(
    pod: PodInfo, pipeline: Pipeline, filtering: Filtering, handle: Handle
) -> State | None:
    """All that a pod's refusal depends on; None where it may be the pod itself, or something else.

    Args:
        pod: fits nowhere.
        pipeline: of its profile.
        filtering: of its class, up to date.
        handle: the cluster.
    """
    snapshot, nominator, budgets = handle.snapshot, handle.nominator, handle.budgets
    is_nominated = pod.nominated_node_name or nominator.rows_of(pod, snapshot)
    if is_nominated or not _answer_by_class(pipeline.post_filter, pod):
        return None
    logs = (snapshot.log, snapshot.restarts, nominator.log, budgets.log)
    ends = [log.end for log in logs]
    return filtering, filtering.generation, *ends, budgets.epoch, *pipeline.post_filter


def _answer_by_class(plugins: Sequence[Any], pod: PodInfo) -> bool:
    shaped: list[PostFilterByClass] = [one for one in plugins if hasattr(one, "by_class")]
    return len(shaped) == len(plugins) and all(one.by_class(pod) for one in shaped)
