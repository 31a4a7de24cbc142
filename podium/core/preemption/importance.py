"""The order of a node's pods by importance, as preemption sees it: the most important first.

Higher priority first, then earlier start (MoreImportantPod of `pkg/scheduler/util/utils.go`,
v1.36). A pod that hasn't started counts as started just now, at each comparison anew, so that of
two such pods of equal priority the first one asked about is always the more important one.
kube-scheduler sorts with Go's unstable `sort.Slice`: for what order equals come out in, see
`go_sort`.
"""

from collections.abc import Callable

from podium.api.qos import stored_or_computed_qos
from podium.core.pods import PodInfo

MoreImportant = Callable[[PodInfo, PodInfo], bool]

_QOS_RANKS = {"Guaranteed": 2, "Burstable": 1, "BestEffort": 0}


def more_important(a: PodInfo, b: PodInfo) -> bool:
    """Whether `a` is kept rather than `b`."""
    if a.priority != b.priority:
        return a.priority > b.priority
    return _started_earlier(a, b)


def more_important_by_qos(a: PodInfo, b: PodInfo) -> bool:
    """As `more_important`, but among equal priorities the better QoS class is kept."""
    if a.priority != b.priority:
        return a.priority > b.priority
    rank_a, rank_b = qos_rank(a), qos_rank(b)
    return rank_a > rank_b if rank_a != rank_b else _started_earlier(a, b)


def qos_rank(pod: PodInfo) -> int:
    """0 for BestEffort, 1 for Burstable, 2 for Guaranteed."""
    return _QOS_RANKS[stored_or_computed_qos(pod.obj)]


def _started_earlier(a: PodInfo, b: PodInfo) -> bool:
    if a.start_ns is None:
        return b.start_ns is None
    return b.start_ns is None or a.start_ns < b.start_ns
