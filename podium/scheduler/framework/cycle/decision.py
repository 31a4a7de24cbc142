"""The outcome of a scheduling cycle as codes and numbers; messages are made on demand."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.interface import PostFilterResult, PreemptionResult
from podium.scheduler.framework.status import Status
from podium.scheduler.snapshot.arrays import Codes
from podium.scheduler.snapshot.pod_info import PodInfo


class Decision(msgspec.Struct, frozen=True, eq=False):
    """The outcome of one scheduling cycle.

    Exactly one of these holds: `error` is set, `gate` is set, `node_name` is set, or the pod can't
    be scheduled now.
    """

    pod: PodInfo
    error: str = ""
    """Why the cycle ended in an error; `outcome` has the nodes filtered by then."""
    gate: Status | None = None
    """The refusal of a PreEnqueue plugin; no node was filtered then."""
    node_name: str = ""
    row: int = -1
    nominated_only: bool = False
    """Whether the pod's nominated node was filtered alone, as the pod fits it."""
    evaluation: Evaluation | None = None
    """The evaluation of the pod's class; later cycles update it in place."""
    outcome: Codes | None = None
    """Int32[nodes], codes of filters with nominated pods counted; None if no node was filtered, or
    if a node was chosen."""
    blame: Codes | None = None
    """Int32[nodes], for each code of `outcome` the index of its filter state."""
    pre_filter: Status | None = None
    """The refusal of all nodes by a PreFilter plugin."""
    visited: NDArray[np.bool_] | None = None
    """Bool[nodes], the rows that were filtered; None if all were."""
    post_filter: PostFilterResult | None = None
    preemption: PreemptionResult | None = None
    gang: str = ""
    """Why the pod's gang isn't placed, even if the pod alone would fit."""
