"""The outcome of a scheduling cycle in codes and numbers; text is made when it is needed."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import PostFilterResult, PreemptionResult
from podium.scheduler.framework.status import Status
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.pod_info import PodInfo


class Decision(msgspec.Struct, frozen=True, eq=False):
    """The outcome of one cycle.

    Exactly one of these holds: `error` is set, `gate` is set, `node_name` is set, or the pod can't
    be scheduled now.

    Attributes:
        error: why the cycle ended in an error; nodes filtered by then are still in `outcome`.
        gate: the refusal of PreEnqueue; the cycle didn't begin.
        nominated_only: the pod's nominated node fitted, and no other was looked at.
        evaluation: of the pod's class; it goes on changing with the cluster.
        outcome: int32[nodes], the filters' codes with nominated pods counted; None if no node was
            looked at, or if a node was chosen.
        blame: int32[nodes], the index of the objecting filter.
        pre_filter: the refusal of PreFilter, which holds for all nodes.
        visited: bool[nodes], the rows that were looked at; None if all were.
        gang: why its gang isn't placed, whatever was decided for the pod alone.
    """

    pod: PodInfo
    error: str = ""
    gate: Status | None = None
    node_name: str = ""
    row: int = -1
    nominated_only: bool = False
    evaluation: Evaluation | None = None
    outcome: Codes | None = None
    blame: Codes | None = None
    pre_filter: Status | None = None
    visited: NDArray[np.bool_] | None = None
    post_filter: PostFilterResult | None = None
    preemption: PreemptionResult | None = None
    gang: str = ""
