"""Indexes, failure policies and delays of Jobs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.controllers.job.completion_indexes import read_indexes, write_indexes
from podium.controllers.job.job_pods import (
    BACKOFF,
    BackoffRecord,
    match_pod_failure_policy,
    sync_context,
)
from podium.controllers.job.job_status import finished_condition
from tests.controllers.builders import NOW_S, pod
from tests.objects import Obj


@given(st.frozensets(st.integers(0, 60)))
def test_indexes_are_read_as_they_were_written(indexes: frozenset[int]) -> None:
    assert read_indexes(write_indexes(indexes)) == indexes


def test_only_three_in_a_row_make_a_range() -> None:
    assert write_indexes({1, 2, 4, 6, 7, 8}) == "1,2,4,6-8"
    assert read_indexes(None) == frozenset()


@pytest.mark.parametrize(
    "text", ["x", "1-", "-1", "1,x", "0-999999999999", "0-2147483646", "9" * 5_000]
)
def test_indexes_that_cannot_be_read_are_none(text: str) -> None:
    assert read_indexes(text) == frozenset()


def test_delays_double_up_to_ten_minutes() -> None:
    waits_s = [BACKOFF.wait_s(count) for count in (0, 1, 2, 3, 6, 7, 99)]
    assert waits_s == [0, 10, 20, 40, 320, 600, 600]


def test_a_success_ends_the_row_of_failures() -> None:
    def ended(name: str, phase: str, second: int) -> Obj:
        at = f"2026-01-01T00:00:{second:02}Z"
        state = {"terminated": {"exitCode": 1, "finishedAt": at}}
        return {**pod(name), "status": {"phase": phase, "containerStatuses": [{"state": state}]}}

    backoff = BackoffRecord().after([], [ended("b", "Failed", 2), ended("a", "Failed", 1)])
    assert backoff == BackoffRecord(2, NOW_S + 2)
    assert backoff.remaining_s(NOW_S + 5) == 17
    backoff = backoff.after([], [ended("c", "Failed", 3)])
    assert backoff.remaining_s(NOW_S + 5) == 38
    backoff = backoff.after([ended("d", "Succeeded", 4)], [ended("e", "Failed", 5)])
    assert backoff == BackoffRecord(1, NOW_S + 5)
    assert backoff.after([ended("f", "Succeeded", 6)], []).remaining_s(NOW_S + 6) == 0


def test_a_job_fails_at_the_moment_of_its_deadline() -> None:
    context = sync_context({"spec": {"template": {}}}, [])
    assert finished_condition(context, NOW_S, NOW_S - 0.001) is None
    finished = finished_condition(context, NOW_S, NOW_S)
    assert finished is not None
    assert finished.reason == "DeadlineExceeded"


@pytest.mark.parametrize(
    ("restarts", "reason"), [([1, 0], None), ([2, 0], "BackoffLimitExceeded"), ([0, 0], None)]
)
def test_restarts_of_all_containers_count_towards_the_limit(
    restarts: list[int], reason: str | None
) -> None:
    template = {"spec": {"restartPolicy": "OnFailure"}}
    statuses = [{"restartCount": count} for count in restarts]
    running = {**pod("p"), "status": {"phase": "Running", "containerStatuses": statuses}}
    context = sync_context({"spec": {"template": template, "backoffLimit": 2}}, [running])
    finished = finished_condition(context, None, NOW_S)
    assert (None if finished is None else finished.reason) == reason


def failed(code: int, *conditions: str) -> Obj:
    status = {"name": "c", "state": {"terminated": {"exitCode": code}}}
    found = [{"type": kind, "status": "True"} for kind in conditions]
    full = {"phase": "Failed", "containerStatuses": [status], "conditions": found}
    return {**pod("p"), "status": full}


def policed(*rules: Obj, **spec: Any) -> Obj:
    return {"spec": {"podFailurePolicy": {"rules": [*rules]}, **spec}}


def exits(action: str, operator: str, *values: int) -> Obj:
    return {"action": action, "onExitCodes": {"operator": operator, "values": [*values]}}


IGNORING = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
FAIL_42, FAIL_INDEX_3 = exits("FailJob", "In", 42), exits("FailIndex", "In", 3)
FAIL_OTHERS = exits("FailJob", "NotIn", 1, 2)


@pytest.mark.parametrize(
    ("job", "failure", "action"),
    [
        (policed(IGNORING, FAIL_42, FAIL_INDEX_3), failed(1), "Count"),
        (policed(IGNORING, FAIL_42, FAIL_INDEX_3), failed(42), "FailJob"),
        (policed(IGNORING, FAIL_42, FAIL_INDEX_3), failed(42, "DisruptionTarget"), "Ignore"),
        # Single indexes fail only where they have limits.
        (policed(FAIL_INDEX_3), failed(3), "Count"),
        (policed(FAIL_INDEX_3, backoffLimitPerIndex=1), failed(3), "FailIndex"),
        # Other codes than those listed match, except 0.
        (policed(FAIL_OTHERS), failed(0), "Count"),
        (policed(FAIL_OTHERS), failed(1), "Count"),
        (policed(FAIL_OTHERS), failed(3), "FailJob"),
    ],
)
def test_the_first_rule_that_matches_decides(job: Obj, failure: Obj, action: str) -> None:
    assert match_pod_failure_policy(job, failure).action == action


def test_a_match_names_container_code_and_rule() -> None:
    message = (
        "Container c for pod default/p failed with exit code 42 matching FailJob rule at index 1"
    )
    assert match_pod_failure_policy(policed(IGNORING, FAIL_42), failed(42)).message == message
