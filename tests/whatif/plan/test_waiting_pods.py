"""Pods that have waited in the state for long aren't behind those that come with the changes."""

from typing import Any

from podium.whatif.plan.changes import parse_delete
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, priority_class, workload
from tests.whatif.plan.plans import places

NEVER = priority_class("never", 1000, preemptionPolicy="Never")
HEARD = "2026-05-01T12:00:00Z"


def waiting(**condition: str) -> dict[str, Any]:
    scheduled = {"type": "PodScheduled", "status": "False", **condition}
    status = {"phase": "Pending", "conditions": [scheduled]}
    spec = {"priority": 1000, "priorityClassName": "never", "preemptionPolicy": "Never"}
    return pod("waiting", uid="w", created="2026-05-01T11:59:00Z", status=status, **spec)


def first_place(waits: dict[str, Any]) -> str:
    """The pod that takes the room of a StatefulSet's pod, whose successor is there at once."""
    heartbeat = {"type": "Ready", "status": "True", "lastHeartbeatTime": HEARD}
    db = workload("StatefulSet", "db", replicas=1, serviceName="db", uid="db")
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    running = pod("db-0", on="n", owner=db, uid="p", status=ready, terminationGracePeriodSeconds=1)
    state = [node("n", "1", uid="n", status={"conditions": [heartbeat]}), NEVER, db, running, waits]
    (first,) = places(plan(PlanRequest(LoadedState(state), [parse_delete("pod/db-0", "default")])))
    return first


def test_its_backoff_is_long_over() -> None:
    since = {"reason": "Unschedulable", "lastTransitionTime": "2026-05-01T11:59:00Z"}
    assert first_place(waiting(**since)) == "waiting"


def test_one_that_was_never_tried_is_tried_first_and_backs_off() -> None:
    assert first_place(waiting()) == "db-0"
