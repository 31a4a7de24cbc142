"""`podium drain`, `fail` and `resilience`: outputs, exit codes, errors."""

import json

import pytest

from tests.objects import budget, node, pod, workload

WEB = workload("ReplicaSet", "web", replicas=3)
STATE = [
    node("a", "2", zone="west"),
    node("b", "2", zone="east"),
    WEB,
    *(pod(f"web-{number}", on=on, owner=WEB) for number, on in enumerate("aab")),
    budget("web", maxUnavailable=0),
]


@pytest.fixture
def state(write) -> list[str]:
    return ["-f", write("state.yaml", *STATE)]


def test_a_zone_that_fails(podium, state) -> None:
    result = podium("fail", "zone/west", *state, "--fail-on", "pending")
    assert result.exit_code == 2
    assert result.stdout.startswith("Failure of zone west: 2 pods lose a place; 1 gets another one")
    assert podium("fail", "west", *state, "--fail-on", "undrained").exit_code == 0


def test_wide_tables_tell_of_all(podium, write) -> None:
    bare = [pod(f"p{number:02}", "10m", on="a") for number in range(60)]
    asked = ["fail", "a", "-f", write("bare.yaml", node("a"), *bare)]
    shown, wide = podium(*asked).stdout, podium(*asked, "-o", "wide").stdout
    assert "10 more, with -o wide." in shown
    assert "more, with -o wide" not in wide
    assert wide.count("default/p59") > shown.count("default/p59")
    asked = ["resilience", "a", "--no-drains", *asked[2:], "--workers", "1"]
    shown, wide = podium(*asked).stdout, podium(*asked, "-o", "wide").stdout
    assert "and 55 more" in shown
    assert "default/p59" in wide


def test_resilience_as_json(podium, state) -> None:
    result = podium("resilience", *state, "-o", "json", "--worst", "1", "--workers", "1")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["tried"] == {"Drain": 2, "NodeFailure": 2, "ZoneFailure": 2}
    assert [one["name"] for one in told["ranking"]][:2] == [
        "failure of node a",
        "failure of zone west",
    ]
    assert len(told["worst"]) == 1
    assert [one["budget"] for one in told["blockingBudgets"]] == ["default/web"]
    (room,) = told["spareRooms"]
    assert (room["count"], room["cures"], room["of"]) == (2, 4, 4)


def test_resilience_as_a_gate_says_what_fails(podium, state) -> None:
    result = podium("resilience", "a", *state, "--no-drains", "--fail-on", "pending")
    assert result.exit_code == 2
    assert "(failure of node a)" in result.stderr


def test_the_work_of_a_job_that_fails_is_lost(podium, write) -> None:
    job = workload("Job", "train", uid="j", backoffLimit=0, parallelism=2, completions=2)
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    tracked = {"finalizers": ["batch.kubernetes.io/job-tracking"]}
    pods = [pod(f"train-{on}", on=on, owner=job, status=ready, metadata=tracked) for on in "ab"]
    state = ["-f", write("jobs.yaml", node("a"), node("b"), node("c"), job, *pods)]
    result = podium("drain", "a", *state, "-o", "json", "--fail-on", "lost-work")
    assert (result.exit_code, result.stderr.count("loses its work")) == (2, 1)
    told = json.loads(result.stdout)
    assert [(one["job"], one["reason"]) for one in told["failedJobs"]] == [
        ("Job default/train", "BackoffLimitExceeded")
    ]
    assert [(one["pod"], one["reason"]) for one in told["unplaced"]] == [
        ("default/train-a", "its work is lost"),
        ("default/train-b", "its work is lost: its Job fails"),
    ]
    told = podium("fail", "a", *state).stdout
    assert "Job default/train fails at t+" in told
    resilience = podium("resilience", *state, "--no-drains", "--fail-on", "lost-work")
    assert resilience.exit_code == 2
    assert "its work is lost: its Job fails" in resilience.stdout
