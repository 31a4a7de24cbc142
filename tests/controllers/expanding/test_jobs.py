"""Jobs run so many pods at a time, until enough have succeeded."""

from typing import Any

import pytest

from podium.controllers.expanding.templates import ClusterView, expand
from podium.controllers.job.pods import INDEX

Obj = dict[str, Any]


@pytest.mark.parametrize(
    ("spec", "made", "later"),
    [
        ({"parallelism": 1, "completions": 1}, 1, 0),
        ({"parallelism": 3, "completions": 10}, 3, 7),
        ({"parallelism": 5, "completions": 2}, 2, 0),
        ({"parallelism": 4}, 4, 0),
        ({"parallelism": 0, "completions": 2}, 0, 2),
        ({"parallelism": 3, "completions": 3, "suspend": True}, 0, 0),
        ({}, 1, 0),
    ],
)
def test_first_pods(make: Any, spec: Obj, made: int, later: int) -> None:
    expansion = expand(make.workload("Job", **spec), ClusterView())
    assert len(expansion.pods) == made
    expected = [f"Job ns/w runs {later} more pods after these"] if later else []
    assert expansion.notes == expected


def test_pods_are_labelled_with_their_job(make: Any) -> None:
    (pod,) = expand(make.workload("Job"), ClusterView()).pods
    assert pod["metadata"]["labels"] == {
        "app": "w",
        "batch.kubernetes.io/controller-uid": "uid-w",
        "batch.kubernetes.io/job-name": "w",
        "controller-uid": "uid-w",
        "job-name": "w",
    }
    (manual,) = expand(make.workload("Job", manualSelector=True), ClusterView()).pods
    assert manual["metadata"]["labels"] == {"app": "w"}


@pytest.mark.parametrize(
    ("spec", "succeeded", "running", "made", "surplus"),
    [
        ({"parallelism": 3, "completions": 5}, 1, 1, 2, 0),
        ({"parallelism": 3, "completions": 5}, 4, 0, 1, 0),
        ({"parallelism": 3, "completions": 5}, 5, 0, 0, 0),
        ({"parallelism": 1, "completions": 5}, 0, 3, 0, 2),
        ({"parallelism": 3}, 0, 1, 2, 0),
        ({"parallelism": 3}, 1, 1, 0, 0),
        ({"parallelism": 3, "completions": 5, "suspend": True}, 0, 2, 0, 2),
    ],
)
def test_progress(
    make: Any, spec: Obj, succeeded: int, running: int, made: int, surplus: int
) -> None:
    job = make.workload("Job", **spec)
    pods = [make.pod(f"s{i}", job, phase="Succeeded") for i in range(succeeded)]
    pods += [make.pod(f"r{i}", job) for i in range(running)]
    expansion = expand(job, ClusterView.of(pods))
    assert (len(expansion.pods), len(expansion.surplus)) == (made, surplus)


def test_what_the_status_counts_needs_no_pods(make: Any) -> None:
    job = make.workload("Job", parallelism=3, completions=5)
    assert len(expand({**job, "status": {"succeeded": 4}}, ClusterView()).pods) == 1


@pytest.mark.parametrize("condition", ["Complete", "Failed"])
def test_a_job_that_is_over_makes_nothing(make: Any, condition: str) -> None:
    status = {"conditions": [{"type": condition, "status": "True"}]}
    assert not expand({**make.workload("Job"), "status": status}, ClusterView()).pods


def numbered(make: Any, job: Obj, called: str, index: int, **fields: Any) -> Obj:
    metadata = {"annotations": {INDEX: str(index)}}
    pod: Obj = make.pod(called, job, metadata=metadata, **fields)
    return pod


def indexes(pods: Any) -> list[int]:
    return [int(pod["metadata"]["annotations"][INDEX]) for pod in pods]


def test_numbered_pods(make: Any) -> None:
    job = make.workload("Job", parallelism=2, completions=5, completionMode="Indexed")
    expansion = expand(job, ClusterView())
    assert indexes(expansion.pods) == [0, 1]
    assert all(name.startswith(f"w-{i}-") for i, name in enumerate(make.names(expansion.pods)))
    assert expansion.pods[1]["spec"]["hostname"] == "w-1"
    assert expansion.pods[1]["metadata"]["labels"][INDEX] == "1"
    assert expansion.notes == ["Job ns/w runs 3 more pods after these"]


def test_the_lowest_free_numbers_come_next(make: Any) -> None:
    job = make.workload("Job", parallelism=3, completions=9, completionMode="Indexed")
    job["status"] = {"completedIndexes": "0,2-4", "failedIndexes": "6"}
    pods = [numbered(make, job, "a", 5), numbered(make, job, "b", 1, phase="Succeeded")]
    assert indexes(expand(job, ClusterView.of(pods)).pods) == [7, 8]


def test_numbers_that_are_doubled_done_or_unknown_go(make: Any) -> None:
    job = make.workload("Job", parallelism=3, completions=3, completionMode="Indexed")
    job["status"] = {"completedIndexes": "2"}
    pods = [
        numbered(make, job, "kept", 0, node="n"),
        numbered(make, job, "double", 0),
        numbered(make, job, "done", 2),
        numbered(make, job, "beyond", 7),
        make.pod("plain", job),
    ]
    expansion = expand(job, ClusterView.of(pods))
    assert sorted(make.names(expansion.surplus)) == ["beyond", "done", "double", "plain"]
    assert indexes(expansion.pods) == [1]


def test_fewer_at_a_time(make: Any) -> None:
    job = make.workload("Job", parallelism=1, completions=3, completionMode="Indexed")
    pods = [numbered(make, job, "a", 0, node="n"), numbered(make, job, "b", 1)]
    assert make.names(expand(job, ClusterView.of(pods)).surplus) == ["b"]
