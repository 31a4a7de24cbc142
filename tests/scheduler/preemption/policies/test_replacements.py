"""The size of a cascade, on nodes whose pods would push each other on."""

from typing import Any

import pytest

from podium.scheduler.config.scheduler_options import (
    CandidateKey,
    NeverPreempt,
    PreemptionProtection,
    SchedulerOptions,
)
from podium.scheduler.preemption.policies.replacements import Cascade
from podium.scheduler.scheduler import Scheduler

ORDER = (CandidateKey.CASCADE_SIZE, *list(CandidateKey)[:5])
NEVER = {"podium.dev/never-preempt": "true"}
KEPT = NeverPreempt(priority_classes=frozenset({"kept"}))
SHIELDED = SchedulerOptions(candidate_order=ORDER, protection=PreemptionProtection(never=KEPT))


def _scheduler(options: SchedulerOptions, **noted: str) -> Scheduler:
    """Who has to leave the first node pushes on another, who another; of the second, nobody."""
    scheduler = Scheduler(options=options)
    nodes = [("n-1", "a"), ("n-2", "b"), ("n-3", "a"), ("n-4", "c")]
    pods = [
        _pod("high-1", 5, "n-1", ["a"]),
        _pod("high-2", 5, "n-2", ["b"]),
        _pod("middle", 3, "n-3", ["a", "c"], **noted),
        _pod("low", 1, "n-4", ["c"]),
    ]
    scheduler.load([_node(*one) for one in nodes], pods)
    return scheduler


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (SchedulerOptions(), "n-1"),
        (SchedulerOptions(candidate_order=ORDER), "n-2"),
        # The replacement may not take the protected pod's place, so nothing follows.
        (SHIELDED, "n-1"),
    ],
)
def test_the_smaller_cascade_is_taken(options: SchedulerOptions, expected: str) -> None:
    scheduler = _scheduler(options, **NEVER)
    before = [(pod.uid, pod.slot) for pods in scheduler.snapshot.pods_on for pod in pods]
    (pending,) = scheduler.load([], [_pod("new", 9, "", ["a", "b"], name="n-1 n-2")])
    decision = scheduler.decide(pending)
    assert decision.preemption is not None
    assert decision.preemption.node_name == expected
    assert decision.post_filter is not None
    assert [one.name for one in decision.post_filter.victims] == [f"high-{expected[-1]}"]
    after = [(pod.uid, pod.slot) for pods in scheduler.snapshot.pods_on for pod in pods]
    assert after == before


def test_it_goes_on_to_the_last_node() -> None:
    """`high-1` has `middle` leave its node, and that one `low`."""
    scheduler = _scheduler(SchedulerOptions())
    (high,) = scheduler.snapshot.pods_on[0]
    for own_row in (-1, 0):
        assert Cascade(scheduler.handle)([high], own_row) == (3, {2, 3})


def _node(name: str, disk: str) -> dict[str, Any]:
    room = {"cpu": "2", "memory": "8Gi", "pods": "10"}
    return {
        "metadata": {"name": name, "labels": {"disk": disk, "name": name}},
        "status": {"allocatable": room},
    }


def _pod(
    uid: str, priority: int, node: str, disks: list[str], name: str = "", **noted: str
) -> dict[str, Any]:
    wanted = [{"key": "disk", "operator": "In", "values": disks}]
    if name:
        wanted.append({"key": "name", "operator": "In", "values": name.split()})
    terms = {"nodeSelectorTerms": [{"matchExpressions": wanted}]}
    owner = {"uid": f"owner-{uid}", "controller": True, "kind": "ReplicaSet"}
    return {
        "metadata": {
            "name": uid,
            "namespace": "default",
            "uid": uid,
            "ownerReferences": [owner],
            "annotations": noted,
        },
        "spec": {
            "priority": priority,
            "priorityClassName": "kept" if noted else "",
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}],
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
            **({"nodeName": node} if node else {}),
        },
        "status": {"startTime": "2026-01-01T00:00:00Z"} if node else {},
    }
