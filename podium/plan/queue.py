"""Who is decided when: the order of the scheduling queue at the moment of a plan."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.api.meta import is_terminating
from podium.api.times import parse_time
from podium.config.types import DEFAULT_SCHEDULER_NAME
from podium.core.framework import QueueSortPlugin
from podium.core.pods import PodInfo
from podium.plan.state import node_name

Object = Mapping[str, Any]

_NEVER = 1 << 63


def scheduler_name(pod: Object) -> str:
    """The profile that a pod asks for."""
    return str((pod.get("spec") or {}).get("schedulerName") or DEFAULT_SCHEDULER_NAME)


def waiting(pods: Iterable[Object]) -> list[Object]:
    """The pods of a state that a scheduler would decide, the longest there first.

    Pods without a time of creation follow those with one; equals keep their order. Pods that are
    being deleted aren't scheduled any more.
    """
    pending = [pod for pod in pods if not node_name(pod) and not is_terminating(pod)]
    return sorted(pending, key=_created)


def in_queue_order(arrived: Sequence[PodInfo], queue_sort: QueueSortPlugin) -> list[PodInfo]:
    """The pods, given in order of their arrival, as they leave the queue."""
    turns = {id(pod): float(turn) for turn, pod in enumerate(arrived)}
    return sorted(arrived, key=lambda pod: queue_sort.sort_key(pod, turns[id(pod)]))


def _created(pod: Object) -> int:
    text = (pod.get("metadata") or {}).get("creationTimestamp")
    return parse_time(text) if text else _NEVER
