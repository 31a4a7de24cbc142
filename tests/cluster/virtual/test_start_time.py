"""A cluster that goes on from a state starts at the latest time of what has happened in it."""

from typing import Any

import pytest

from podium.api.state_times import ahead_of, latest_time
from podium.api.values.times import epoch_s
from podium.cluster.virtual.cluster_options import START_S, start_s

EARLY, LATE, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2027-01-01T00:00:00Z"


def obj(kind: str = "Pod", metadata: Any = None, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": "x", **(metadata or {})}, **fields}


@pytest.mark.parametrize(
    "late",
    [
        obj("PriorityClass", {"creationTimestamp": LATE}),
        obj("Deployment", {"managedFields": [{"manager": "kubectl", "time": LATE}]}),
        obj(status={"startTime": LATE}),
        obj(status={"conditions": [{"type": "Ready", "lastTransitionTime": LATE}]}),
        obj(status={"containerStatuses": [{"state": {"running": {"startedAt": LATE}}}]}),
        obj(status={"containerStatuses": [{"lastState": {"terminated": {"finishedAt": LATE}}}]}),
        obj("Node", status={"conditions": [{"type": "Ready", "lastHeartbeatTime": LATE}]}),
        obj("Node", spec={"taints": [{"key": "k", "effect": "NoExecute", "timeAdded": LATE}]}),
        obj("Deployment", status={"conditions": [{"lastUpdateTime": LATE}]}),
        obj("Job", status={"completionTime": LATE}),
        obj("PodDisruptionBudget", status={"disruptedPods": {"web-0": LATE}}),
        obj("Lease", spec={"renewTime": "2026-01-02T00:00:00.000000Z"}),
        obj("Pod", {"deletionTimestamp": "2026-01-02T00:00:30Z", "deletionGracePeriodSeconds": 30}),
        obj("Namespace", {"deletionTimestamp": LATE}),
    ],
)
def test_every_time_of_what_has_happened_counts(late: dict[str, Any]) -> None:
    early = obj(metadata={"creationTimestamp": EARLY})
    assert start_s([late, early]) == start_s([early, late]) == epoch_s(LATE)


@pytest.mark.parametrize(
    "ahead",
    [
        obj("CronJob", status={"nextScheduleTime": LATER}),
        obj("Certificate", status={"notAfter": LATER, "renewalTime": LATER}),
        obj(spec={"note": LATER, "startTime": LATER}),
        obj(metadata={"annotations": {"time": LATER}}),
        obj(status={"startTime": "soon"}),
    ],
)
def test_what_is_meant_to_lie_ahead_and_what_is_no_time_does_not(ahead: dict[str, Any]) -> None:
    assert start_s([obj(metadata={"creationTimestamp": LATE}), ahead]) == epoch_s(LATE)


def test_without_any_time_the_start_is_a_fixed_one() -> None:
    assert start_s([obj()]) == START_S
    assert latest_time([obj()]) is None


def test_a_time_that_is_yet_to_come_is_told() -> None:
    node = obj("Node", status={"conditions": [{"type": "Ready", "lastHeartbeatTime": LATE}]})
    (told,) = ahead_of(epoch_s(EARLY), [node], "so be it")
    assert told == (
        f"the state mentions a time that is yet to come, {LATE} (lastHeartbeatTime of Node x): "
        "so be it"
    )
    assert not [*ahead_of(epoch_s(LATE) - 30, [node], "clocks differ by as much")]
