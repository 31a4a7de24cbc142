"""Jobs of a state go on where they were: with their back-off, and with pods not counted yet."""

from typing import Any

import pytest

from podium.whatif.plan.plan_report import Plan
from tests.objects import node, pod, workload
from tests.whatif.plan.plans import planned

Obj = dict[str, Any]

TIME = "2026-01-01T00:00:{:02}Z"
TRACKED = {"finalizers": ["batch.kubernetes.io/job-tracking"]}


def job(**status: Any) -> Obj:
    """A Job of a state that is written down at 00:00:30."""
    found = workload("Job", "train", uid="job", parallelism=1, completions=3, backoffLimit=6)
    found["metadata"]["creationTimestamp"] = TIME.format(0)
    found["status"] = {"startTime": TIME.format(0), "ready": 0, "terminating": 0, **status}
    return found


def ended(name: str, second: int, phase: str = "Failed", **metadata: Any) -> Obj:
    state = {"terminated": {"exitCode": 1, "finishedAt": TIME.format(second)}}
    status = {"phase": phase, "containerStatuses": [{"name": "c", "state": state}]}
    return pod(name, on="a", app="train", owner=job(), status=status, uid=name, metadata=metadata)


def outcome(*state: Obj) -> Plan:
    """What comes of a pod that is created beside a Job."""
    seen = {"type": "Ready", "status": "True", "lastHeartbeatTime": TIME.format(30)}
    a_node = node("a", status={"conditions": [seen]})
    return planned([a_node, *state], pod("x", on="a"))


def new_pods(plan: Plan) -> list[float]:
    return [one.at_s for one in plan.placements if one.owner == "Job default/train"]


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
    assert new_pods(outcome(job(**status), *pods)) == at_s


def test_pods_that_a_job_makes_anyway_are_no_matter_of_the_changes() -> None:
    found = outcome(job(failed=1), ended("f", 25))
    assert [fate.workload for fate in found.anyway] == ["Job default/train"]


def test_a_deadline_passes_in_the_course_of_a_plan() -> None:
    late = job(active=1, ready=1)
    late["spec"]["activeDeadlineSeconds"] = 40
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    found = outcome(late, pod("p", on="a", app="train", owner=late, status=ready, metadata=TRACKED))
    assert [(one.reason, one.at_s) for one in found.failed_jobs] == [("DeadlineExceeded", 10)]
