"""The keys that Podium's options compare candidate nodes by: kube-scheduler's, and costs."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from podium.api.deletion_cost import deletion_cost
from podium.api.objects import annotations
from podium.api.times import EARLIEST_NS, NANOS_PER_SECOND, TimeError, parse_time
from podium.config.preemption_options import CandidateKey
from podium.core.clock import Clock
from podium.core.framework import Rows
from podium.core.handle import Handle
from podium.core.pods import PodInfo
from podium.core.preemption.cascade import Cascade
from podium.core.preemption.choice import (
    LATEST_START,
    PRIORITY_SUM,
    TOP_PRIORITY,
    VICTIMS,
    VIOLATIONS,
    Key,
)
from podium.core.preemption.dry_run import DryRun
from podium.core.preemption.stranding import Stranding

LAST_CHECKPOINT = "podium.dev/last-checkpoint"

_OF_KUBERNETES: Mapping[CandidateKey, Key] = {
    CandidateKey.PDB_VIOLATIONS: VIOLATIONS,
    CandidateKey.HIGHEST_PRIORITY: TOP_PRIORITY,
    CandidateKey.PRIORITY_SUM: PRIORITY_SUM,
    CandidateKey.VICTIM_COUNT: VICTIMS,
    CandidateKey.LATEST_START: LATEST_START,
}
CostOf = Callable[[str, Sequence[PodInfo]], int]
"""What it costs that these pods leave a node, by the node's name."""


def keys_of(handle: Handle) -> tuple[Key, ...]:
    """The keys that the options of a handle name, in their order."""
    return tuple(_key(one, handle) for one in handle.options.candidate_order)


def _key(which: CandidateKey, handle: Handle) -> Key:
    match which:
        case CandidateKey.DELETION_COST:
            return _cost_key("lowest deletion cost", "DELETION COST", handle, _deletion_costs)
        case CandidateKey.LOST_RUN_TIME:
            lost = partial(_lost_run_times_s, handle.clock)
            return _cost_key("least run time lost", "LOST RUN TIME", handle, lost)
        case CandidateKey.STRANDED_VICTIMS:
            return _cost_key("fewest stranded victims", "STRANDED", handle, Stranding(handle))
        case CandidateKey.CASCADE_SIZE:
            return _cost_key("smallest cascade", "CASCADE", handle, Cascade(handle))
        case _:
            return _OF_KUBERNETES[which]


def _cost_key(name: str, heading: str, handle: Handle, cost: CostOf) -> Key:
    def values(run: DryRun, rows: Rows) -> NDArray[np.int64]:
        names = handle.snapshot.names
        return np.array([cost(names[row], run.victims[row]) for row in rows.tolist()], np.int64)

    return Key(name, heading, values)


def _deletion_costs(_: str, victims: Sequence[PodInfo]) -> int:
    return sum(deletion_cost(pod.obj) for pod in victims)


def _lost_run_times_s(clock: Clock, _: str, victims: Sequence[PodInfo]) -> int:
    return sum(lost_run_time_s(pod, clock) for pod in victims)


def lost_run_time_s(pod: PodInfo, clock: Clock) -> int:
    """The seconds of work that are lost if the pod goes now; 0 if it goes anyhow."""
    if pod.start_ns is None or pod.cls.terminating:
        return 0
    since_ns = max(pod.start_ns, _checkpoint_ns(pod))
    return max(int(clock.now_s - since_ns / NANOS_PER_SECOND), 0)


def _checkpoint_ns(pod: PodInfo) -> int:
    try:
        return parse_time(annotations(pod.obj).get(LAST_CHECKPOINT, ""))
    except TimeError:
        return EARLIEST_NS
