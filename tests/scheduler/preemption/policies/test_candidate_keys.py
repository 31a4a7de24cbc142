"""The keys of cost, on a cluster in which two victims are equal to kube-scheduler."""

from typing import Any

import pytest

from podium.scheduler.config.scheduler_options import CandidateKey, SchedulerOptions
from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, node, pod, workload

NODES = [
    node("n-1", "3", labels={"disk": "fast"}),
    node("n-2", "3", labels={"disk": "slow"}),
    node("n-3", "2", labels={"disk": "slow"}),
]
START = "1970-01-01T00:00:00Z"


def victim(name: str, on: str, disk: str = "", **annotations: str) -> Obj:
    """A pod whose replacement has to go to a node with such a disk; without one it has none."""
    selected: Obj = {"nodeSelector": {"disk": disk}, "owner": workload("ReplicaSet", name)}
    noted = {key.replace("__", "/").replace("_", "-"): v for key, v in annotations.items()}
    fields = {"annotations": noted, "priority": 0, **(selected if disk else {})}
    return pod(name, "2", on=on, start=START, **fields)


COST = "controller.kubernetes.io__pod_deletion_cost"
CHECKPOINT = "podium.dev__last_checkpoint"


@pytest.mark.parametrize(
    ("key", "first", "second", "expected"),
    [
        ("DeletionCost", {}, {}, "n-1"),
        ("DeletionCost", {}, {COST: "-5"}, "n-2"),
        ("DeletionCost", {COST: "-9"}, {COST: "-5"}, "n-1"),
        ("LostRunTime", {}, {}, "n-1"),
        ("LostRunTime", {}, {CHECKPOINT: "1970-01-01T00:10:00Z"}, "n-2"),
        ("LostRunTime", {}, {CHECKPOINT: "lately"}, "n-1"),
        ("StrandedVictims", {}, {}, "n-1"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "fast"}, "n-1"),
    ],
)
def test_the_key_decides(key: str, first: Any, second: Any, expected: str) -> None:
    order = [CandidateKey(key), *list(CandidateKey)[:5]]
    scheduler = Scheduler(options=SchedulerOptions(candidate_order=order))
    scheduler.clock.now_s = 1000.0
    blocker = pod("blocker", "0", on="n-3", priority=2000)
    victims = [victim("a", "n-1", **first), victim("b", "n-2", **second)]
    scheduler.load(NODES, [*victims, blocker])
    decision = scheduler.decide(scheduler.pending(pod("large", "3", priority=1000)))
    assert decision.preemption is not None
    assert decision.preemption.node_name == expected
