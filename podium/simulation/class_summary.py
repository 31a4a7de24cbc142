"""Counts by priority class how long pods waited, and how many were disrupted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

from podium.api.objects import Object
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories

AT_ONCE_S = 1.0
"""Who is placed within this time hasn't waited for room, but for calls."""


@dataclass(slots=True)
class ClassSummary:
    """How the pods of one priority class fared.

    Attributes:
        priority_class: its name; empty for pods that name none.
        priority: the highest of its pods.
        pods: how many there have been, those included that replace others.
        placed_before: how many had a node at the start.
        waits_s: how long each of those took that were given a node since, in seconds.
        disrupted: how many were `preempted` by pods of higher priority, `evicted` through the API
            or for a taint, `lost` with their node or stopped by it.
    """

    priority_class: str
    priority: int
    pods: int = 0
    placed_before: int = 0
    waits_s: list[float] = field(default_factory=list)
    disrupted: Counter[str] = field(default_factory=Counter)

    @property
    def placed_at_once(self) -> int:
        """How many were given a node without waiting."""
        return len(self.waits_s) - self.waited

    @property
    def waited(self) -> int:
        """How many were given a node after they had waited."""
        return sum(wait_s > AT_ONCE_S for wait_s in self.waits_s)

    @property
    def never_placed(self) -> int:
        """How many had no node up to their end, or the simulation's."""
        return self.pods - self.placed_before - len(self.waits_s)

    def median_wait_s(self) -> float:
        """Of those that waited; 0 if nobody did."""
        waits_s = [wait_s for wait_s in self.waits_s if wait_s > AT_ONCE_S]
        return round(median(waits_s), 6) if waits_s else 0.0

    def longest_wait_s(self) -> float:
        """Of those that waited; 0 if nobody did."""
        return max((wait_s for wait_s in self.waits_s if wait_s > AT_ONCE_S), default=0.0)


def summarize_classes(
    entries: Iterable[TimelineEntry], pods_before: Iterable[Object]
) -> list[ClassSummary]:
    """What became of pods, the highest priority first.

    Args:
        entries: what happened.
        pods_before: the pods that were there at the start.
    """
    summaries: dict[str, ClassSummary] = {}
    for pod in PodHistories(entries, pods_before):
        called = pod.priority_class
        summary = summaries.setdefault(called, ClassSummary(called, pod.priority))
        summary.priority = max(summary.priority, pod.priority)
        summary.pods += 1
        if pod.bound_s is not None:
            summary.waits_s.append(round(pod.bound_s - pod.created_s, 6))
        elif pod.node:
            summary.placed_before += 1
        if pod.cause is not None:
            summary.disrupted[pod.cause.group] += 1
    return sorted(summaries.values(), key=lambda one: (-one.priority, one.priority_class))
