"""When nodes count as silent, and the taints that follow from conditions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.nodes import CONTINUOUS, ENDED, node_lease
from podium.controllers.node_lifecycle.node_lifecycle_controller import (
    MonitorTimes,
    NodeLifecycleController,
    no_execute_patch,
    no_schedule_patch,
    unknown_patch,
    without_no_execute,
)
from podium.machines.effects import Patch
from tests import objects
from tests.controllers.builders import NOW_S, Hand, Obj

CREATED = "2026-01-01T00:00:00Z"


def node(name: str = "n1", *statuses: str, **spec: Any) -> Obj:
    """A node; of its conditions those are given that matter, such as `Ready=True`."""
    conditions = [
        {"type": kind, "status": status, "lastHeartbeatTime": CREATED}
        for kind, _, status in (one.partition("=") for one in statuses)
    ]
    made = objects.node(name, uid=f"uid-{name}", status={"conditions": conditions}, **spec)
    made["metadata"]["creationTimestamp"] = CREATED
    return made


def lease(renewed_s: float, heartbeats: str = "") -> Obj:
    made = node_lease(node(), NOW_S + renewed_s, heartbeats)
    if not heartbeats:
        del made["metadata"]["annotations"]
    return {**made, "metadata": {**made["metadata"], "uid": "uid-lease"}}


def falls_silent_s(hand: Hand, until_s: int) -> float | None:
    """When the node is said to be unknown, if it is."""
    for at_s in range(until_s):
        for effect in hand.wake(at_s):
            hand.carry_out(effect)
            if isinstance(effect, Patch) and effect.subresource:
                return at_s
    return None


@given(st.floats(0, 1e5), st.floats(0.5, 60))
def test_looks_are_a_period_apart(time_s: float, period_s: float) -> None:
    monitor_times = MonitorTimes(NOW_S, period_s)
    after_s = monitor_times.after(NOW_S + time_s)
    assert NOW_S + time_s < after_s + 1e-5 <= NOW_S + time_s + period_s + 2e-5
    assert abs(monitor_times.from_(after_s) - after_s) <= period_s + 1e-5


def test_the_first_look_is_the_first_of_all() -> None:
    assert MonitorTimes(100.0, 5.0).from_(3.0) == 100.0
    assert MonitorTimes(100.0, 5.0).from_(105.0) == 105.0
    assert MonitorTimes(100.0, 5.0).after(105.0) == 110.0


def test_a_lease_that_others_renew_counts_from_the_look_after() -> None:
    hand = Hand(NodeLifecycleController())
    hand.start(node("n1", "Ready=True"), lease(0))
    hand.run(0)
    for at_s in (10, 20, 31):
        hand.run(at_s)
        hand.tell(lease(at_s))
    assert falls_silent_s(hand, 200) == 85


def test_a_lease_renewed_all_along_wakes_nobody() -> None:
    hand = Hand(NodeLifecycleController())
    hand.start(node("n1", "Ready=True"), lease(0, CONTINUOUS))
    hand.run(0)
    assert hand.machine.next_wakeup_s() is None


def test_what_has_ended_is_noticed_however_late_it_is_said() -> None:
    hand = Hand(NodeLifecycleController())
    hand.start(node("n1", "Ready=True"), lease(0, CONTINUOUS))
    hand.run(100)
    hand.tell(lease(20, ENDED))
    assert falls_silent_s(hand, 200) == 105


def test_a_node_without_a_lease_counts_by_its_status() -> None:
    hand = Hand(NodeLifecycleController())
    hand.start(node("n1", "Ready=True"))
    hand.run(17)
    later = node("n1", "Ready=True")
    later["status"]["conditions"][0]["lastHeartbeatTime"] = "2026-01-01T00:00:17Z"
    hand.tell(later)
    assert falls_silent_s(hand, 200) == 70


def test_a_node_never_heard_of_has_longer() -> None:
    hand = Hand(NodeLifecycleController())
    hand.start(node("n1"))
    hand.run(0)
    assert falls_silent_s(hand, 200) == 60
    (condition, *_) = hand.objects["Node", "n1"]["status"]["conditions"]
    assert condition["reason"] == "NodeStatusNeverUpdated"
    assert "NodeNotReady" not in " ".join(hand.events)


def test_what_nobody_knows_keeps_the_time_of_its_last_heartbeat() -> None:
    patch = unknown_patch(node("n1", "Ready=True", "MemoryPressure=Unknown"), NOW_S)
    assert patch is not None
    conditions = {one["type"]: one for one in patch.body["status"]["conditions"]}
    assert set(conditions) == {"Ready", "DiskPressure", "PIDPressure"}
    assert conditions["Ready"]["reason"] == "NodeStatusUnknown"
    assert "lastHeartbeatTime" not in conditions["Ready"]
    assert conditions["DiskPressure"]["message"] == "Kubelet never posted node status."


PREFIX = "node.kubernetes.io/"


def taint(key: str, effect: str = "NoSchedule", **fields: str) -> Obj:
    return {"key": PREFIX + key, "effect": effect, **fields}


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        ("Ready=False", "not-ready"),
        ("Ready=Unknown", "unreachable"),
        ("MemoryPressure=True", "memory-pressure"),
        ("DiskPressure=True", "disk-pressure"),
        ("PIDPressure=True", "pid-pressure"),
        ("NetworkUnavailable=True", "network-unavailable"),
    ],
)
def test_each_condition_has_its_taint(condition: str, key: str) -> None:
    patch = no_schedule_patch(node("n1", condition), NOW_S)
    assert patch is not None
    assert patch.body["spec"]["taints"] == [taint(key, timeAdded=CREATED)]


def test_other_statuses_have_none() -> None:
    well = node("n1", "Ready=True", "MemoryPressure=False", "DiskPressure=Unknown", "Else=True")
    assert no_schedule_patch(well, NOW_S) is None


def test_a_cordoned_node_is_tainted_and_others_taints_stay() -> None:
    others = [
        taint("out-of-service", "NoExecute"),
        {"key": "node.cloudprovider.kubernetes.io/uninitialized", "effect": "NoSchedule"},
        taint("not-ready", "NoExecute", timeAdded=CREATED),
    ]
    stale = taint("not-ready")
    subject = node("n1", "Ready=True", unschedulable=True, taints=[*others, stale])
    patch = no_schedule_patch(subject, NOW_S)
    assert patch is not None
    assert patch.body["spec"]["taints"] == [*others, taint("unschedulable", timeAdded=CREATED)]
    tainted = {**subject, "spec": {"unschedulable": True, **patch.body["spec"]}}
    assert no_schedule_patch(tainted, NOW_S) is None


def test_of_the_two_that_send_pods_away_there_is_one_at_most() -> None:
    unready = taint("not-ready", "NoExecute", timeAdded="2025-12-31T00:00:00Z")
    patch = no_execute_patch(node("n1", "Ready=Unknown", taints=[unready]), NOW_S)
    assert patch is not None
    assert patch.body["spec"]["taints"] == [taint("unreachable", "NoExecute", timeAdded=CREATED)]
    assert no_execute_patch(node("n1", "Ready=False", taints=[unready]), NOW_S) is None
    back = no_execute_patch(node("n1", "Ready=True", taints=[unready]), NOW_S)
    assert back is not None
    assert back.body["spec"]["taints"] is None


def test_a_node_that_tells_nothing_keeps_them() -> None:
    unready = taint("not-ready", "NoExecute")
    assert no_execute_patch(node("n1", taints=[unready]), NOW_S) is None
    assert without_no_execute(node("n1", taints=[unready]), NOW_S) is not None
    assert without_no_execute(node("n1"), NOW_S) is None
