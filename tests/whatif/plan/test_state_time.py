"""A plan starts at the latest time that its state mentions, and counts from those stored in it."""

from typing import Any

from podium.api.values.times import epoch_s
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, reference, workload
from tests.whatif.plan.plans import planned

CREATED, HEARD = "2026-05-01T08:00:00Z", "2026-05-01T12:00:00Z"
READY = {
    "phase": "Running",
    "startTime": CREATED,
    "conditions": [
        {"type": kind, "status": "True", "lastTransitionTime": CREATED}
        for kind in ("PodScheduled", "ContainersReady", "Ready")
    ],
}


def heard(name: str, **fields: Any) -> dict[str, Any]:
    """A node whose heartbeat is the latest time."""
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": HEARD}
    status = {"conditions": [{**ready, "lastTransitionTime": CREATED}]}
    return node(name, uid=name, status=status, **fields)


def test_pods_have_been_ready_for_as_long_as_they_say() -> None:
    db = workload("StatefulSet", "db", uid="db", replicas=2, serviceName="db", minReadySeconds=10)
    pods = [
        pod(f"db-{number}", on="a", owner=db, uid=f"p{number}", created=CREATED, status=READY)
        for number in range(2)
    ]
    container = {"name": "c", "image": "i:2", "resources": {"requests": {"cpu": "1"}}}
    new = workload("StatefulSet", "db", replicas=2, serviceName="db", minReadySeconds=10)
    new["spec"]["template"]["spec"]["containers"] = [container]
    outcome = planned([heard("a"), db, *pods], new)
    (rollout,) = outcome.rollouts
    assert rollout.state == "Complete"
    terminating = [one for one in outcome.timeline if one.happening == "terminating"]
    assert [one.pod for one in terminating] == ["default/db-1", "default/db-0"]
    assert terminating[0].at_s == 0.0


def test_a_taint_has_been_there_since_it_was_added() -> None:
    added = {"key": "broken", "effect": "NoExecute", "timeAdded": "2026-05-01T11:58:00Z"}
    owner = workload("ReplicaSet", "web", replicas=1, uid="rs")
    toleration = {"key": "broken", "operator": "Exists", "tolerationSeconds": 300}
    tolerating = pod("web-0", on="a", owner=owner, uid="p", status=READY, tolerations=[toleration])
    assert reference(owner)["uid"] == "rs"
    outcome = plan(
        PlanRequest(LoadedState([heard("a", taints=[added]), heard("b"), owner, tolerating]))
    )
    (lost,) = outcome.disruptions
    assert (lost.pod, lost.at_s) == ("default/web-0", 180.0)


def test_a_state_that_was_read_from_a_running_cluster_is_of_that_moment() -> None:
    assert LoadedState([heard("a")]).start_s == epoch_s(HEARD)
    assert LoadedState([heard("a")], epoch_s(HEARD) + 100).start_s == epoch_s(HEARD) + 100
    # Its clock may be ahead of the reader's.
    assert LoadedState([heard("a")], epoch_s(HEARD) - 100).start_s == epoch_s(HEARD)
