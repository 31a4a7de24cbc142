"""Taints that follow from conditions."""

import pytest

from podium.controllers.node_lifecycle.node_lifecycle_controller import (
    no_execute_patch,
    no_schedule_patch,
    without_no_execute,
)
from tests.controllers.builders import NOW_S, Obj
from tests.controllers.node_lifecycle.test_node_heartbeats import node

NOW = "2026-01-01T00:00:00Z"
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
    assert patch.body["spec"]["taints"] == [taint(key, timeAdded=NOW)]


def test_other_statuses_have_none() -> None:
    well = node("n1", "Ready=True", "MemoryPressure=False", "DiskPressure=Unknown", "Else=True")
    assert no_schedule_patch(well, NOW_S) is None


def test_a_cordoned_node_is_tainted_and_others_taints_stay() -> None:
    others = [
        taint("out-of-service", "NoExecute"),
        {"key": "node.cloudprovider.kubernetes.io/uninitialized", "effect": "NoSchedule"},
        taint("not-ready", "NoExecute", timeAdded=NOW),
    ]
    stale = taint("not-ready")
    subject = node("n1", "Ready=True", unschedulable=True, taints=[*others, stale])
    patch = no_schedule_patch(subject, NOW_S)
    assert patch is not None
    assert patch.body["spec"]["taints"] == [*others, taint("unschedulable", timeAdded=NOW)]
    tainted = {**subject, "spec": {"unschedulable": True, **patch.body["spec"]}}
    assert no_schedule_patch(tainted, NOW_S) is None


def test_of_the_two_that_send_pods_away_there_is_one_at_most() -> None:
    unready = taint("not-ready", "NoExecute", timeAdded="2025-12-31T00:00:00Z")
    patch = no_execute_patch(node("n1", "Ready=Unknown", taints=[unready]), NOW_S)
    assert patch is not None
    assert patch.body["spec"]["taints"] == [taint("unreachable", "NoExecute", timeAdded=NOW)]
    assert no_execute_patch(node("n1", "Ready=False", taints=[unready]), NOW_S) is None
    back = no_execute_patch(node("n1", "Ready=True", taints=[unready]), NOW_S)
    assert back is not None
    assert back.body["spec"]["taints"] is None


def test_a_node_that_tells_nothing_keeps_them() -> None:
    unready = taint("not-ready", "NoExecute")
    assert no_execute_patch(node("n1", taints=[unready]), NOW_S) is None
    assert without_no_execute(node("n1", taints=[unready]), NOW_S) is not None
    assert without_no_execute(node("n1"), NOW_S) is None
