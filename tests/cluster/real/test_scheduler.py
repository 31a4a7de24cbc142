"""`podium scheduler` against the real API server: what it does to pods, and what it tells."""

import signal

import pytest

from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.world import World, pod, until

pytestmark = on_both_in_soak
ALONE = "--no-leader-elect"


def condition(found: dict, kind: str) -> dict:
    conditions = (found.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == kind), {})


def test_pods_are_bound_and_it_is_told(world: World, podium: StartPodium) -> None:
    world.node("a", disk="ssd")
    world.node("b")
    scheduler = podium(ALONE)
    other = pod("theirs-1", schedulerName="other")
    world.create(other, pod("fast-1", nodeSelector={"disk": "ssd"}), pod("big-1", cpu="9"))
    assert world.wait_bound("fast-1") == {"fast-1": "a"}
    found = until(lambda: condition(world.pod("big-1") or {}, "PodScheduled"))
    assert (found["status"], found["reason"]) == ("False", "Unschedulable")
    assert "2 Insufficient cpu" in found["message"]
    (event,) = until(lambda: world.events("Scheduled"))
    assert event["note"] == "Successfully assigned default/fast-1 to a"
    assert until(lambda: world.events("FailedScheduling"))
    assert scheduler.metric("scheduler_schedule_attempts_total") >= 2
    assert scheduler.metric("scheduler_cache_size") == 3
    assert scheduler.metric("rest_client_requests_total") >= 3
    for question in ("healthz", "livez", "readyz"):
        assert scheduler.get(f"/{question}").text == "ok"
    config = scheduler.get("/configz").json()["componentconfig"]
    assert config["profiles"][0]["schedulerName"] == "default-scheduler"
    assert config["leaderElection"]["leaderElect"] is False
    assert scheduler.get("/configz").json()["podium.dev"]["otherNominations"] is False
    assert world.places()["theirs-1"] == ""
    assert scheduler.end(signal.SIGINT) == 0
    (left,) = scheduler.said("has stopped")
    assert (left["bindings"], left["preemptions"], left["pending"]) == (0, 0, 1)


@pytest.mark.parametrize("grace_s", [0, 30])
def test_victims_make_room_and_budgets_are_spared(
    world: World, podium: StartPodium, grace_s: int
) -> None:
    world.priority("high", 1000)
    world.node("a", cpu="2")
    world.node("b", cpu="2")
    spec = {"terminationGracePeriodSeconds": grace_s}
    world.budget("guarded", allowed=0)
    world.create(
        pod("guarded-1", cpu="2", nodeName="a", **spec),
        pod("free-1", cpu="2", nodeName="b", **spec),
    )
    scheduler = podium(ALONE)
    world.create(pod("vip-1", cpu="2", priorityClassName="high"))
    if grace_s:
        # What a kubelet does in the end: until then the preemptor waits for its room.
        victim = until(lambda: _terminating(world, "free-1"))
        assert condition(victim, "DisruptionTarget")["reason"] == "PreemptionByScheduler"
        until(lambda: (world.pod("vip-1") or {})["status"].get("nominatedNodeName") == "b")
        assert world.places()["vip-1"] == ""
        world.delete("free-1", 0)
    assert world.wait_bound("vip-1") == {"vip-1": "b"}
    assert world.places() == {"vip-1": "b", "guarded-1": "a"}
    assert not (world.pod("vip-1") or {})["status"].get("nominatedNodeName")
    (event,) = until(lambda: world.events("Preempted"))
    assert event["regarding"]["name"] == "free-1"
    assert scheduler.metric("scheduler_preemption_victims_sum") == 1
    scheduler.wait_for("removed a victim")


def _terminating(world: World, name: str) -> dict | None:
    found = world.pod(name)
    return found if found and found["metadata"].get("deletionTimestamp") else None
