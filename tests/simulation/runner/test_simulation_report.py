"""Who waited and who was disrupted, out of entries written by hand."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.simulation.runner.simulation_report import summarize_classes
from podium.simulation.timeline.facts import TimelineEntry
from podium.simulation.timeline.pod_history import PodHistories, pods_by_uid

PREEMPTED = {"disruption": "PreemptionByScheduler"}


def entry(at_s: float, kind: str, uid: str, details: Mapping[str, Any] = {}) -> TimelineEntry:
    return TimelineEntry(at_s, kind, "Pod", "default", uid[0], details=details, uid=uid)


def created(at_s: float, uid: str, called: str = "high", priority: int = 10) -> TimelineEntry:
    return entry(at_s, "PodCreated", uid, {"priority": priority, "priorityClass": called})


def bound(at_s: float, uid: str) -> TimelineEntry:
    return entry(at_s, "PodBound", uid, {"node": "n"})


def pod(name: str, **spec: Any) -> Mapping[str, Any]:
    return {"metadata": {"namespace": "default", "name": name, "uid": name}, "spec": spec}


@pytest.mark.parametrize(
    ("entries", "summary"),
    [
        pytest.param(
            [created(1, "a"), created(1, "b"), bound(2, "a"), bound(2.1, "b")],
            {"pods": 2, "placed_at_once": 1, "waited": 1, "median_wait_seconds": 1.1},
            id="a pod that is bound within a second hasn't waited",
        ),
        pytest.param(
            [
                *(created(0, name) for name in "abcd"),
                *(bound(at_s, name) for at_s, name in ((0, "a"), (2, "b"), (4, "c"), (60, "d"))),
            ],
            {"waited": 3, "median_wait_seconds": 4, "longest_wait_seconds": 60},
            id="the median is that of the pods that waited",
        ),
        pytest.param(
            [created(0, "a"), bound(0, "a")],
            {"waited": 0, "median_wait_seconds": 0, "longest_wait_seconds": 0},
            id="without pods that waited there is no wait",
        ),
        pytest.param(
            [created(0, "a"), created(0, "b"), entry(5, "PodGone", "b")],
            {"never_placed": 2, "waited": 0},
            id="pods that are pending at the end, or deleted without a node, were never placed",
        ),
        pytest.param(
            [
                *(created(0, "a"), bound(0, "a"), entry(3, "PodGone", "a", PREEMPTED)),
                *(created(4, "a2"), bound(9, "a2")),
            ],
            {"pods": 2, "placed_at_once": 1, "waited": 1},
            id="a pod with the name of a deleted one is another pod",
        ),
        pytest.param(
            [
                created(0, "a"),
                *(entry(1, end, "a", PREEMPTED) for end in ("PodTerminating", "PodFailed")),
                entry(1, "PodGone", "a", PREEMPTED),
            ],
            {"preempted": 1, "evicted": 0, "lost": 0},
            id="a disruption counts once",
        ),
    ],
)
def test_pods_are_summed_up(entries: list[TimelineEntry], summary: dict[str, float]) -> None:
    (found,) = summarize_classes(PodHistories(entries))
    assert {field: getattr(found, field) for field in summary} == summary


def test_pods_that_were_there_before_are_counted_apart() -> None:
    before = [pod("a", nodeName="n", priority=5), pod("b", priority=7)]
    (summary,) = summarize_classes(PodHistories([bound(30, "b")], pods_by_uid(before)))
    assert (summary.placed_before, summary.waited, summary.longest_wait_seconds) == (1, 1, 30)
    assert (summary.priority_class, summary.priority) == ("", 7)


def test_the_highest_class_comes_first() -> None:
    entries = [created(0, "a", "low", 1), created(0, "b", "high", 2)]
    summaries = summarize_classes(PodHistories(entries))
    assert [summary.priority_class for summary in summaries] == ["high", "low"]
