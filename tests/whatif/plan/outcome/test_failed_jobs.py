"""Jobs that fail because a pod of theirs was taken: what a plan says is lost."""

from typing import Any

import pytest

from podium.whatif.plan.changes import Drain
from podium.whatif.plan.fail_on import findings, parse_gates
from podium.whatif.plan.plan_report import Plan, Return
from tests.objects import Obj, node, running
from tests.whatif.plan.plans import planned

DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
FAIL_JOB = {"rules": [{"action": "FailJob", "onPodConditions": [DISRUPTED]}]}
IGNORE = {"rules": [{"action": "Ignore", "onPodConditions": [DISRUPTED]}]}
INDEX = "batch.kubernetes.io/job-completion-index"
PER_INDEX = {"completionMode": "Indexed", "backoffLimitPerIndex": 0, "backoffLimit": 2**31 - 1}
# What every Job has that was created by kube-apiserver.
AS_STORED = {"completionMode": "NonIndexed", "suspend": False, "podReplacementPolicy": "Failed"}


def drained(*, pods: int = 2, lost: int = 1, **spec: Any) -> Plan:
    """A plan that drains the node of the first pods of a Job; the others are on another node."""
    job, *there = running("Job", "train", *("ab"[index >= lost] for index in range(pods)))
    job["spec"] |= {"parallelism": pods, "completions": pods, **AS_STORED, **spec}
    job["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    job["status"] = {"active": pods, "ready": pods, "startTime": "2026-01-01T00:00:00Z"}
    for index, one in enumerate(there):
        one["metadata"]["annotations"] = {INDEX: str(index)}
    return planned([node("a"), node("b"), job, *there], Drain(node="a"))


def met(outcome: Plan, gate: str) -> list[str]:
    return [one.object for one in findings(outcome, parse_gates([gate], None))]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"backoffLimit": 0}, "BackoffLimitExceeded"),
        ({"backoffLimit": 6, "podFailurePolicy": FAIL_JOB}, "PodFailurePolicy"),
        ({"backoffLimit": 6, "activeDeadlineSeconds": 35}, "DeadlineExceeded"),
        ({**PER_INDEX, "maxFailedIndexes": 0}, "MaxFailedIndexesExceeded"),
    ],
)
def test_a_job_that_loses_a_pod_may_lose_all_its_work(spec: Obj, reason: str) -> None:
    outcome = drained(**spec)
    (job,) = outcome.failed_jobs
    assert (job.job, job.reason, job.indexes, job.pods) == ("Job default/train", reason, "", 2)
    (disruption,) = outcome.disruptions
    assert disruption.comes_again is Return.NEVER
    assert [(one.pod, one.reason) for one in outcome.removed] == [
        ("default/train-1", "its Job fails")
    ]
    assert (outcome.counts.lost_for_good, outcome.counts.failed_jobs) == (1, 1)
    assert met(outcome, "lost-work") == ["Job default/train"]
    assert met(outcome, "lost-work:workload=default/other*") == []


def test_a_job_that_ignores_disruptions_loses_nothing() -> None:
    outcome = drained(backoffLimit=0, podFailurePolicy=IGNORE)
    assert outcome.failed_jobs == ()
    (disruption,) = outcome.disruptions
    assert (disruption.comes_again, disruption.replaced_on) == (Return.CERTAIN, "b")
    assert met(outcome, "lost-work") == []


@pytest.mark.parametrize(
    ("lost", "message", "indexes"),
    [(1, "index 0 has failed", "0"), (2, "indexes 0,1 have failed", "0,1")],
)
def test_indexes_may_be_lost_though_the_job_goes_on(lost: int, message: str, indexes: str) -> None:
    outcome = drained(pods=3, lost=lost, **PER_INDEX)
    (job,) = outcome.failed_jobs
    assert (job.reason, job.message) == ("FailedIndexes", message)
    assert (job.indexes, job.pods) == (indexes, lost)
    assert [one.comes_again for one in outcome.disruptions] == [Return.NEVER] * lost
    assert outcome.removed == ()
    assert met(outcome, "lost-work") == ["Job default/train"]
