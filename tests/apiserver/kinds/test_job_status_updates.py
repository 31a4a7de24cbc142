"""What the status of a job may tell."""

from typing import Any

import pytest

from tests.apiserver.kinds.updates import stored, texts

Obj = dict[str, Any]

TEMPLATE: Obj = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}
INDEXED: Obj = {"completions": 4, "completionMode": "Indexed", "backoffLimitPerIndex": 1}
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def true(*types: str) -> list[Obj]:
    return [{"type": kind, "status": "True"} for kind in types]


COMPLETE: Obj = {
    "conditions": true("SuccessCriteriaMet", "Complete"),
    "startTime": EARLY,
    "completionTime": LATE,
}
FAILED: Obj = {"conditions": true("FailureTarget", "Failed"), "startTime": EARLY}


def said(status: Obj, before: Obj | None = None, **spec: Any) -> list[str]:
    old = stored("Job", spec={"template": TEMPLATE, **spec}, status=before or {})
    return [
        text.removeprefix("status.") for text in texts({**old, "status": status}, old, "status")
    ]


@pytest.mark.parametrize(
    "status",
    [
        COMPLETE,
        FAILED,
        {"conditions": true("FailureTarget")},
        {"conditions": [{"type": "", "status": "zzz"}]},
        {"active": 3, "ready": 2, "terminating": 1},
        {"uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]}},
    ],
)
def test_what_fits_together(status: Obj) -> None:
    assert said(status) == []


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {"conditions": true("Complete")},
            [
                "completionTime: Required value: completionTime is required for Complete jobs",
                "conditions: Invalid value: cannot set Complete=True condition without the "
                "SuccessCriteriaMet=true condition",
                "startTime: Required value: startTime is required for finished job",
            ],
        ),
        (
            {**FAILED, "conditions": true("Failed")},
            [
                "conditions: Invalid value: cannot set Failed=True condition without the "
                "FailureTarget=true condition",
            ],
        ),
        (
            {**COMPLETE, "completionTime": EARLY, "startTime": LATE},
            [
                f'completionTime: Invalid value: "{EARLY}": must be equal to or after `startTime`',
            ],
        ),
        (
            {"completionTime": LATE},
            [
                f'completionTime: Invalid value: "{LATE}": cannot set completionTime when there '
                "is no Complete=True condition",
            ],
        ),
        (
            {"conditions": true("SuccessCriteriaMet", "FailureTarget")},
            [
                "conditions: Invalid value: cannot set SuccessCriteriaMet=True and "
                "FailureTarget=true conditions",
            ],
        ),
        (
            {**COMPLETE, "active": 1, "terminating": 2},
            [
                "active: Invalid value: 1: active>0 is invalid for finished job",
                "terminating: Invalid value: 2: terminating>0 is invalid for finished job",
            ],
        ),
        (
            {**COMPLETE, "uncountedTerminatedPods": {"succeeded": ["a"]}},
            [
                'uncountedTerminatedPods: Invalid value: {"Succeeded":["a"],"Failed":null}: '
                "must be empty for finished job",
            ],
        ),
        (
            {"uncountedTerminatedPods": {"succeeded": ["a", ""], "failed": ["a"]}},
            [
                'uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
                'uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
            ],
        ),
        (
            {"active": 1, "ready": 2},
            ["ready: Invalid value: 2: cannot set more ready pods than active"],
        ),
        (
            {"completedIndexes": "0", "failedIndexes": ""},
            [
                'completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes '
                "when non-indexed completion mode",
                'failedIndexes: Invalid value: "": cannot set non-null failedIndexes when '
                "backoffLimitPerIndex is null",
            ],
        ),
    ],
)
def test_what_does_not(status: Obj, expected: list[str]) -> None:
    assert said(status) == expected


@pytest.mark.parametrize("text", ["", "0", "0,2", "0-3", "01,2-3"])
def test_indexes(text: str) -> None:
    assert said({"completedIndexes": text}, **INDEXED) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", 'cannot convert string to integer for index: "x"'),
        (
            "0-1-2",
            'the fragment "0-1-2" violates the requirement that an index interval can have at '
            "most two parts separated by '-'",
        ),
        ("1-", 'cannot convert string to integer for index: ""'),
        ("1,,2", 'cannot convert string to integer for index: ""'),
        ("9" * 5_000, f'cannot convert string to integer for index: "{"9" * 5_000}"'),
        ("4", 'too large index: "4"'),
        ("0-999999999999", 'too large index: "999999999999"'),
        ("1,0", "non-increasing order, previous: 1, current: 0"),
        ("0-1,1-2", "non-increasing order, previous: 1, current: 1"),
    ],
)
def test_indexes_that_are_none(text: str, why: str) -> None:
    for field in ("completedIndexes", "failedIndexes"):
        expected = f'{field}: Invalid value: "{text}": error parsing {field}: {why}'
        assert said({field: text}, **INDEXED) == [expected]


def test_no_index_has_both_succeeded_and_failed() -> None:
    (fault,) = said({"completedIndexes": "0-2", "failedIndexes": "2-3"}, **INDEXED)
    assert fault.endswith("failedIndexes and completedIndexes overlap at index: 2")


def test_what_has_been_said_stays_said() -> None:
    assert said({"succeeded": 1}, {"succeeded": 2, "failed": 1}) == [
        "succeeded: Invalid value: 1: cannot decrease the succeeded counter",
        "failed: Invalid value: 0: cannot decrease the failed counter",
    ]
    assert said({}, {"conditions": true("Complete", "SuccessCriteriaMet")}) == [
        "conditions: Invalid value: cannot disable the terminal Complete=True condition",
        "conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ]
    (fault,) = said({**COMPLETE, "completionTime": "2026-01-03T00:00:00Z"}, COMPLETE)
    assert fault.endswith("field is immutable")


def test_indexes_that_succeeded_are_lost_with_the_completions() -> None:
    scaled = {**INDEXED, "completions": 2, "parallelism": 2}
    assert said({"succeeded": 2}, {"succeeded": 3}, **scaled) == []


def test_no_more_are_ready_than_active_once_either_changes() -> None:
    (fault,) = said({"ready": 2, "terminating": 0}, {"active": 2, "ready": 2, "terminating": 1})
    assert fault == "ready: Invalid value: 2: cannot set more ready pods than active"


def test_only_changes_are_judged() -> None:
    odd = {"conditions": true("Complete"), "completionTime": EARLY, "ready": 5}
    assert said({**odd, "succeeded": 3}, odd) == []
