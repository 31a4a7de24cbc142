"""What a state says of times, waiting pods, unhealthy pods and nodes, and Jobs counts."""

from typing import Any

import pytest

from podium.api.values.times import epoch_s
from podium.whatif.plan.changes import parse_drain
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.request import LoadedState
from tests.objects import READY, Obj, budget, node, pod, priority_class, running, workload
from tests.whatif.plan.plans import places, planned

CREATED, HEARD = "2026-05-01T08:00:00Z", "2026-05-01T12:00:00Z"
SINCE_LONG = {
    "phase": "Running",
    "startTime": CREATED,
    "conditions": [
        {"type": kind, "status": "True", "lastTransitionTime": CREATED}
        for kind in ("PodScheduled", "ContainersReady", "Ready")
    ],
}


def heard(name: str, cpu: str = "4", **fields: Any) -> Obj:
    """A node whose heartbeat is the latest time."""
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": HEARD}
    status = {"conditions": [{**ready, "lastTransitionTime": CREATED}]}
    return node(name, cpu, uid=name, status=status, **fields)


def test_pods_have_been_ready_for_as_long_as_they_say() -> None:
    db = workload("StatefulSet", "db", uid="db", replicas=2, serviceName="db", minReadySeconds=10)
    pods = [
        pod(f"db-{number}", on="a", owner=db, uid=f"p{number}", created=CREATED, status=SINCE_LONG)
        for number in range(2)
    ]
    container = {"name": "c", "image": "i:2", "resources": {"requests": {"cpu": "1"}}}
    new = workload("StatefulSet", "db", replicas=2, serviceName="db", minReadySeconds=10)
    new["spec"]["template"]["spec"]["containers"] = [container]
    outcome = planned([heard("a"), db, *pods], new)
    (rollout,) = outcome.rollouts
    assert rollout.state == "Complete"
    terminating = [one for one in outcome.timeline if one.event == "terminating"]
    assert [one.pod for one in terminating] == ["default/db-1", "default/db-0"]
    assert terminating[0].at == 0.0


def test_a_taint_has_been_there_since_it_was_added() -> None:
    added = {"key": "broken", "effect": "NoExecute", "timeAdded": "2026-05-01T11:58:00Z"}
    toleration = {"key": "broken", "operator": "Exists", "tolerationSeconds": 300}
    web, one = running("ReplicaSet", "web", "a", tolerations=[toleration])
    (lost,) = planned(
        [heard("a", taints=[added]), heard("b"), web, {**one, "status": SINCE_LONG}]
    ).disruptions
    assert (lost.pod, lost.at) == ("default/web-0", 180.0)


def test_a_state_that_was_read_from_a_running_cluster_is_of_that_moment() -> None:
    assert LoadedState([heard("a")]).start_s == epoch_s(HEARD)
    assert LoadedState([heard("a")], epoch_s(HEARD) + 100).start_s == epoch_s(HEARD) + 100
    # Its clock may be ahead of the reader's.
    assert LoadedState([heard("a")], epoch_s(HEARD) - 100).start_s == epoch_s(HEARD)


LONG_AGO = {"reason": "Unschedulable", "lastTransitionTime": "2026-05-01T11:59:00Z"}


@pytest.mark.parametrize(
    ("condition", "first"),
    [(LONG_AGO, "waiting"), ({}, "db-0")],
    ids=["its backoff is long over", "it was never tried, is tried first, and backs off"],
)
def test_a_pod_that_has_waited_for_long_isnt_behind_a_successor_that_is_there_at_once(
    condition: dict[str, str], first: str
) -> None:
    scheduled = {"type": "PodScheduled", "status": "False", **condition}
    waits = pod(
        "waiting",
        uid="w",
        created="2026-05-01T11:59:00Z",
        status={"phase": "Pending", "conditions": [scheduled]},
        priority=1000,
        priorityClassName="never",
        preemptionPolicy="Never",
    )
    never = priority_class("never", 1000, preemptionPolicy="Never")
    db = running("StatefulSet", "db", "n", terminationGracePeriodSeconds=1)
    outcome = planned([heard("n", "1"), never, *db, waits], delete="pod/db-0")
    assert [*places(outcome)] == [first]


CRASHING = {
    "phase": "Running",
    "conditions": [{"type": "Ready", "status": "False"}],
    "containerStatuses": [
        {
            "name": "c",
            "ready": False,
            "restartCount": 9,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        }
    ],
}
SICK = {"conditions": [{"type": "Ready", "status": "False"}]}


def drained(name: str, *, heals: bool = False, **policy: str) -> Plan:
    """The drain of one of two nodes, with a crash-looping pod on a and one that is well on b."""
    web, crashing, well = running("ReplicaSet", "web", "a", "b")
    counted = {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 2}
    status = {**counted, "expectedPods": 2, "observedGeneration": 1}
    limit = budget("web", uid="pdb", minAvailable=2, status=status, **policy)
    limit["metadata"]["generation"] = 1
    state = [node("a"), node("b"), web, {**crashing, "status": CRASHING}, well, limit]
    return planned(state, parse_drain(name, ""), heals=heals)


def test_a_crash_looping_pod_counts_as_unhealthy_unless_all_are_taken_to_heal() -> None:
    outcome = drained("b")
    (drain,) = outcome.drains
    assert (drain.state, drain.evicted) == ("Open", 0)
    assert not [one for one in outcome.timeline if one.event == "ready"]
    assert outcome.notes == (
        "1 pod of the state isn't ready and stays so: default/web-0; --assume-healthy has it "
        "recover",
    )
    assert "has 1" in drain.reasons[0]
    healed = drained("b", heals=True)
    assert "has 1" not in healed.drains[0].reasons[0]
    assert not healed.notes


def test_an_unhealthy_pod_is_evicted_where_its_budget_lets_it() -> None:
    (drain,) = drained("a", unhealthyPodEvictionPolicy="AlwaysAllow").drains
    assert (drain.state, drain.evicted) == ("Done", 1)
    (blocked,) = drained("a").drains
    assert blocked.state == "Open"


def test_nodes_that_stay_unready_are_noted_and_get_no_pods() -> None:
    assert planned([node(name, status=SICK) for name in "abcde"]).notes == (
        "5 nodes of the state aren't ready and stay so: a, b, c and 2 more; --assume-healthy has "
        "them recover",
    )
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    for heals, count in ((False, 0), (True, 1)):
        state = [node("sick", status=SICK, taints=[taint]), pod("new")]
        assert len(planned(state, heals=heals, repairs=True).placements) == count


TIME = "2026-01-01T00:00:{:02}Z"
TRACKED = {"finalizers": ["batch.kubernetes.io/job-tracking"]}


def job(**status: Any) -> Obj:
    """A Job of a state that is written down at 00:00:30."""
    made = workload("Job", "train", uid="job", parallelism=1, completions=3, backoffLimit=6)
    made["metadata"]["creationTimestamp"] = TIME.format(0)
    made["status"] = {"startTime": TIME.format(0), "ready": 0, "terminating": 0, **status}
    return made


def ended(name: str, second: int, phase: str = "Failed", **metadata: Any) -> Obj:
    state = {"terminated": {"exitCode": 1, "finishedAt": TIME.format(second)}}
    status = {"phase": phase, "containerStatuses": [{"name": "c", "state": state}]}
    return pod(name, on="a", app="train", owner=job(), status=status, uid=name, metadata=metadata)


def beside(*state: Obj) -> Plan:
    """The plan of a pod that is created beside a Job."""
    seen = {"type": "Ready", "status": "True", "lastHeartbeatTime": TIME.format(30)}
    return planned([node("a", status={"conditions": [seen]}), *state], pod("x", on="a"))


@pytest.mark.parametrize(
    ("pods", "status", "at_s"),
    [
        ([ended("f", 25)], {"failed": 1}, [5]),
        ([ended("f", 25), ended("e", 5)], {"failed": 2}, [15]),
        # A failed pod that is gone counts, and so does one that has yet to be counted.
        ([ended("f", 25)], {"failed": 2}, [15]),
        ([ended("f", 30, **TRACKED)], {"active": 1}, [10]),
        ([ended("f", 29, **TRACKED), ended("e", 25)], {"active": 1, "failed": 1}, [19]),
        # No failed pod is left to tell when it failed: at the latest it was just now.
        ([], {"failed": 1}, [10]),
        # A success ends the row.
        ([ended("f", 25), ended("s", 26, "Succeeded")], {"failed": 1, "succeeded": 1}, [0]),
        # An export without its pods; they aren't made up for.
        ([], {"active": 1}, []),
    ],
)
def test_a_job_that_waits_makes_its_pod_when_it_would_have(
    pods: list[Obj], status: Obj, at_s: list[float]
) -> None:
    outcome = beside(job(**status), *pods)
    assert [one.at for one in outcome.placements if one.owner == "Job default/train"] == at_s


def test_pods_that_a_job_makes_anyway_are_no_matter_of_the_changes() -> None:
    outcome = beside(job(failed=1), ended("f", 25))
    assert [fate.workload for fate in outcome.anyway] == ["Job default/train"]


def test_a_deadline_passes_in_the_course_of_a_plan() -> None:
    late = job(active=1, ready=1)
    late["spec"]["activeDeadlineSeconds"] = 40
    p = pod("p", on="a", app="train", owner=late, status=READY, metadata=TRACKED)
    outcome = beside(late, p)
    assert [(one.reason, one.at) for one in outcome.failed_jobs] == [("DeadlineExceeded", 10)]
