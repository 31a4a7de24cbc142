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
from tests.objects import HOST, Obj, node, pod, workload

ORDER = (CandidateKey.CASCADE_SIZE, *list(CandidateKey)[:5])
KEPT = NeverPreempt(priority_classes=frozenset({"kept"}))
SHIELDED = SchedulerOptions(candidate_order=ORDER, protection=PreemptionProtection(never=KEPT))


def _pod(name: str, priority: int, on: str, *disks: str, hosts: Any = (), **fields: Any) -> Obj:
    """A pod with a replacement that goes to nodes with such disks, among these if any are named."""
    wanted = [{"key": "disk", "operator": "In", "values": disks}]
    wanted += [{"key": HOST, "operator": "In", "values": hosts}] if hosts else []
    terms = {"nodeSelectorTerms": [{"matchExpressions": wanted}]}
    near = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    owner = workload("ReplicaSet", name)
    given = {"priority": priority, "affinity": near, "owner": owner, "uid": name, **fields}
    return pod(name, "2", on=on, start="2026-01-01T00:00:00Z" if on else "", **given)


def _scheduler(options: SchedulerOptions) -> Scheduler:
    """Three pods push each other on from the first node; the victim on the second has room."""
    scheduler = Scheduler(options=options)
    disks = {"n-1": "a", "n-2": "b", "n-3": "a", "n-4": "c"}
    never = {"podium.dev/never-preempt": "true"}
    pods = [
        _pod("high-1", 5, "n-1", "a"),
        _pod("high-2", 5, "n-2", "b"),
        _pod("middle", 3, "n-3", "a", "c", annotations=never, priorityClassName="kept"),
        _pod("low", 1, "n-4", "c"),
    ]
    scheduler.load([node(name, "2", labels={"disk": disk}) for name, disk in disks.items()], pods)
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
    scheduler = _scheduler(options)
    before = [(pod.uid, pod.slot) for pods in scheduler.snapshot.pods_on for pod in pods]
    new = _pod("new", 9, "", "a", "b", hosts=("n-1", "n-2"))
    decision = scheduler.decide(scheduler.pending(new))
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
