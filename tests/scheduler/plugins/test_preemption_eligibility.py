"""Which pods may preempt others at all."""

import pytest

from podium.scheduler.plugins.default_preemption import VICTIMS_TERMINATING
from podium.scheduler.preemption.choice import Preemption
from podium.scheduler.scheduler import Scheduler
from tests.objects import Obj, node, pod


def leaving(priority: int = 0, reason: str = "PreemptionByScheduler", status: str = "True") -> Obj:
    """A pod on n1 that takes all of it and is being removed."""
    obj = pod("old", "4", on="n1", priority=priority)
    obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    condition = {"type": "DisruptionTarget", "status": status, "reason": reason}
    obj["status"] = {"conditions": [{"type": "Ready", "status": "True"}, condition]}
    return obj


def preemption(pods: list[Obj], *, first: Obj, nominated: str = "n1") -> Preemption:
    """Of a pod of priority 5 which is nominated; there is a second node with a victim, too."""
    scheduler = Scheduler()
    scheduler.load([first, node("n2")], [*pods, pod("low", "4", on="n2")])
    wanting = scheduler.pending(pod("high", priority=5))
    scheduler.nominator.nominate(wanting, nominated)
    found = scheduler.decide(wanting).preemption
    assert found is not None
    return found


def test_it_waits_for_its_victims_to_go() -> None:
    found = preemption([leaving()], first=node("n1"))
    assert (found.eligible, found.message) == (False, VICTIMS_TERMINATING)
    assert not found.clears_nomination


@pytest.mark.parametrize(
    "there",
    [
        leaving(reason="EvictionByEvictionAPI"),
        leaving(status="False"),
        leaving(priority=5),
        pod("old", "4", on="n1"),
    ],
    ids=["evicted", "not disrupted", "no victim", "not leaving"],
)
def test_it_waits_for_nobody_else(there: Obj) -> None:
    assert preemption([there], first=node("n1")).eligible


def test_it_looks_elsewhere_if_waiting_is_in_vain() -> None:
    closed = node("n1") | {"spec": {"unschedulable": True}}
    found = preemption([leaving()], first=closed)
    assert found.eligible
    assert found.node_name == "n2"
