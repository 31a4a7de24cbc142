"""Who waited and who was disrupted, out of entries written by hand, and of a played scenario."""

from collections.abc import Mapping
from typing import Any

from podium.api.documents.report import plain
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.runner.simulation_report import (
    ClassSummary,
    simulation_report,
    summarize_classes,
)
from podium.simulation.scenario import read_scenario
from podium.simulation.timeline import TimelineEntry

PREEMPTED = {"disruption": "PreemptionByScheduler"}


def entry(at_s: float, kind: str, uid: str, details: Mapping[str, Any] = {}) -> TimelineEntry:
    return TimelineEntry(at_s, kind, "Pod", "default", uid[0], details=details, uid=uid)


def created(at_s: float, uid: str, called: str = "high", priority: int = 10) -> TimelineEntry:
    return entry(at_s, "PodCreated", uid, {"priority": priority, "priorityClass": called})


def bound(at_s: float, uid: str) -> TimelineEntry:
    return entry(at_s, "PodBound", uid, {"node": "n"})


def only(
    entries: list[TimelineEntry], before: list[Mapping[str, Any]] | None = None
) -> ClassSummary:
    (summary,) = summarize_classes(entries, before or [])
    return summary


def pod(name: str, **spec: Any) -> Mapping[str, Any]:
    return {"metadata": {"namespace": "default", "name": name, "uid": name}, "spec": spec}


def test_who_is_placed_within_a_second_has_not_waited() -> None:
    summary = only([created(1, "a"), created(1, "b"), bound(2, "a"), bound(2.1, "b")])
    assert (summary.pods, summary.placed_at_once, summary.waited) == (2, 1, 1)
    assert (summary.median_wait_seconds, summary.longest_wait_seconds) == (1.1, 1.1)


def test_the_median_is_of_those_that_waited() -> None:
    entries = [created(0, name) for name in "abcd"]
    entries += [bound(0, "a"), bound(2, "b"), bound(4, "c"), bound(60, "d")]
    summary = only(entries)
    assert (summary.waited, summary.median_wait_seconds, summary.longest_wait_seconds) == (3, 4, 60)


def test_without_anybody_waiting_there_is_no_wait() -> None:
    summary = only([created(0, "a"), bound(0, "a")])
    assert (summary.median_wait_seconds, summary.longest_wait_seconds) == (0, 0)


def test_who_is_pending_at_the_end_or_gone_without_a_node_was_never_placed() -> None:
    summary = only([created(0, "a"), created(0, "b"), entry(5, "PodGone", "b")])
    assert (summary.never_placed, summary.waited) == (2, 0)


def test_a_name_that_comes_again_is_another_pod() -> None:
    entries = [created(0, "a"), bound(0, "a"), entry(3, "PodGone", "a", PREEMPTED)]
    summary = only([*entries, created(4, "a2"), bound(9, "a2")])
    assert (summary.pods, summary.placed_at_once, summary.waited) == (2, 1, 1)


def test_a_disruption_counts_once() -> None:
    ends = ("PodTerminating", "PodFailed", "PodGone")
    summary = only([created(0, "a"), *(entry(1, end, "a", PREEMPTED) for end in ends)])
    assert (summary.preempted, summary.evicted, summary.lost) == (1, 0, 0)


def test_pods_that_were_there_before_are_told_apart() -> None:
    before = [pod("a", nodeName="n", priority=5), pod("b", priority=7)]
    summary = only([bound(30, "b")], before)
    assert (summary.placed_before, summary.waited, summary.longest_wait_seconds) == (1, 1, 30)
    assert (summary.priority_class, summary.priority) == ("", 7)


def test_the_highest_class_comes_first() -> None:
    summaries = summarize_classes([created(0, "a", "low", 1), created(0, "b", "high", 2)], [])
    assert [summary.priority_class for summary in summaries] == ["high", "low"]


def test_a_scenario_is_summed_up() -> None:
    simulation = simulate(read_scenario("s.yaml", _FULL_NODE))
    common = {"placedBefore": 0, "evicted": 0, "lost": 0}
    high = {
        "priorityClass": "high",
        "priority": 10,
        "pods": 1,
        "placedAtOnce": 0,
        "waited": 1,
        "medianWaitSeconds": 20.0,
        "longestWaitSeconds": 20.0,
        "neverPlaced": 0,
        "preempted": 0,
        **common,
    }
    low = {
        "priorityClass": "",
        "priority": 0,
        "pods": 2,
        "placedAtOnce": 1,
        "waited": 0,
        "medianWaitSeconds": 0.0,
        "longestWaitSeconds": 0.0,
        "neverPlaced": 1,
        "preempted": 1,
        **common,
    }
    assert plain(simulation_report(simulation))["classes"] == [high, low]


_FULL_NODE = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  until: 1m
  nodes: [{name: 'n', capacity: {cpu: "1"}}]
  manifests:
    - apiVersion: scheduling.k8s.io/v1
      kind: PriorityClass
      metadata: {name: high}
      value: 10
  steps:
    - at: 0s
      apply:
        apiVersion: v1
        kind: Pod
        metadata: {name: low}
        spec:
          terminationGracePeriodSeconds: 20
          containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
    - at: 10s
      apply:
        - apiVersion: v1
          kind: Pod
          metadata: {name: high}
          spec:
            priorityClassName: high
            containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]
        - apiVersion: v1
          kind: Pod
          metadata: {name: late}
          spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
"""
