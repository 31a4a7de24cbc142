"""Counts by priority class how long pods waited, and how many were disrupted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self

from podium.api.documents.report import Report
from podium.api.objects import Object
from podium.api.policy.disruption_target import EVICTED, LOST, PREEMPTED
from podium.simulation.timeline import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, PodHistory, pods_by_uid

AT_ONCE_S = 1.0
"""Who is placed within this time hasn't waited for room, but for calls."""


@dataclass(frozen=True, slots=True)
class ClassSummary(Report):
    """How the pods of one priority class fared.

    Attributes:
        priority_class: its name; empty for pods that name none.
        priority: the highest of its pods.
        pods: how many there have been, those included that replace others.
        placed_before: how many had a node at the start.
        placed_at_once: how many were given a node without waiting.
        waited: how many were given a node after they had waited.
        median_wait_seconds: of those that waited; 0 if nobody did.
        longest_wait_seconds: likewise.
        never_placed: how many had no node up to their end, or the simulation's.
        preempted: by pods of higher priority.
        evicted: through the API, or for a taint.
        lost: with their node, or stopped by it.
    """

    priority_class: str
    priority: int
    pods: int
    placed_before: int
    placed_at_once: int
    waited: int
    median_wait_seconds: float
    longest_wait_seconds: float
    never_placed: int
    preempted: int
    evicted: int
    lost: int

    @classmethod
    def of(cls, priority_class: str, pods: Sequence[PodHistory]) -> Self:
        waits_s = [round(p.bound_s - p.created_s, 6) for p in pods if p.bound_s is not None]
        long_s = [wait_s for wait_s in waits_s if wait_s > AT_ONCE_S]
        placed_before = sum(pod.bound_s is None and bool(pod.node) for pod in pods)
        disrupted = Counter(pod.cause.group for pod in pods if pod.cause is not None)
        return cls(
            priority_class=priority_class,
            priority=max(pod.priority for pod in pods),
            pods=len(pods),
            placed_before=placed_before,
            placed_at_once=len(waits_s) - len(long_s),
            waited=len(long_s),
            median_wait_seconds=round(median(long_s), 6) if long_s else 0.0,
            longest_wait_seconds=max(long_s, default=0.0),
            never_placed=len(pods) - placed_before - len(waits_s),
            preempted=disrupted[PREEMPTED],
            evicted=disrupted[EVICTED],
            lost=disrupted[LOST],
        )


def summarize_classes(
    entries: Iterable[TimelineEntry], pods_before: Iterable[Object]
) -> list[ClassSummary]:
    """Summarize the pods of each priority class, the highest priority first."""
    by_class: dict[str, list[PodHistory]] = {}
    for pod in PodHistories(entries, pods_by_uid(pods_before)):
        by_class.setdefault(pod.priority_class, []).append(pod)
    summaries = [ClassSummary.of(called, pods) for called, pods in by_class.items()]
    return sorted(summaries, key=lambda one: (-one.priority, one.priority_class))
