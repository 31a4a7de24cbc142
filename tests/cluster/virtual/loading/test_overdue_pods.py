"""Pods of a state that should have been gone long ago stay, and why is told."""

from typing import Any

import pytest

from podium.cluster.virtual.loading.overdue_pods import LATE_S, is_overdue
from podium.whatif.plan.plan_report import Plan, Return
from tests.objects import node, pod, workload
from tests.whatif.plan.plans import places, planned

READY = {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T09:10:00Z"}
NOON_S = 1_772_366_400.0
SILENT = {**READY, "status": "Unknown"}


def leaving(until: str, **metadata: Any) -> Any:
    deleted = {"deletionTimestamp": until, "deletionGracePeriodSeconds": 3600}
    created = {"creationTimestamp": "2026-03-01T08:00:00Z", "uid": "old-uid"}
    status = {"phase": "Running", "startTime": "2026-03-01T08:00:00Z"}
    return pod("old", "4", on="n", metadata={**created, **deleted, **metadata}, status=status)


def plan_of(old: Any, ready: Any = READY, **settings: Any) -> Plan:
    return planned([node("n", status={"conditions": [ready]}), old], pod("want", "4"), **settings)


def said_of(outcome: Plan) -> str:
    (found,) = [one for one in outcome.warnings if "default/old" in one]
    return found


def test_a_pod_is_overdue_a_minute_after_its_grace_period() -> None:
    old = leaving("2026-03-01T12:00:00Z")
    assert not is_overdue(old, NOON_S + LATE_S)
    assert is_overdue(old, NOON_S + LATE_S + 1)
    assert not is_overdue(pod("there", on="n"), NOON_S)


def test_a_pod_has_what_is_left_of_its_grace_period() -> None:
    outcome = plan_of(leaving("2026-03-01T09:11:00Z"))
    assert [(one.pod, one.at_s) for one in outcome.placements] == [("default/want", 60.0)]
    assert not [one for one in outcome.warnings if "default/old" in one]


def test_a_pod_that_is_hardly_late_goes_at_once() -> None:
    outcome = plan_of(leaving("2026-03-01T09:09:50Z"))
    assert [(one.pod, one.at_s) for one in outcome.placements] == [("default/want", 0.0)]


@pytest.mark.parametrize(
    ("old", "ready", "why"),
    [
        (
            leaving("2026-03-01T09:00:00Z", finalizers=["example.com/a", "example.com/b"]),
            READY,
            "held by the finalizers example.com/a, example.com/b",
        ),
        (leaving("2026-03-01T09:00:00Z"), SILENT, "node n doesn't answer; delete the Node, or"),
        (leaving("2026-03-01T09:00:00Z"), READY, "the state doesn't say why node n doesn't end it"),
    ],
    ids=["finalizers", "silent node", "unknown"],
)
def test_a_pod_that_is_long_overdue_stays_and_why_is_told(old: Any, ready: Any, why: str) -> None:
    outcome = plan_of(old, ready)
    assert not places(outcome)
    stays = "pod default/old should be gone by its deletionTimestamp, and stays: "
    assert said_of(outcome).startswith(stays + why)


def test_deleting_it_by_force_ends_it() -> None:
    outcome = plan_of(leaving("2026-03-01T09:00:00Z"), delete="pod/old:force")
    assert places(outcome) == {"want": "n"}


def test_a_pod_of_a_silent_node_is_replaced_only_once_the_node_answers() -> None:
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    silent = node("n", status={"conditions": [SILENT]}, taints=[taint])
    db = workload("StatefulSet", "db", uid="db-uid", replicas=1)
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    old = pod("db-0", on="n", owner=db, uid="db-0-uid", status=status)
    outcome = planned([silent, node("m"), db, old], pod("new"))
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.comes_again) == ("default/db-0", Return.AFTER_NODE)
