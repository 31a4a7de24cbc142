"""The policies of Jobs, judged as kube-apiserver v1.36 did when it was asked."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import validate

EXIT_CODES = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}
PARSING = "successPolicy.rules[0].succeededIndexes: Invalid value: {}: error parsing "


def faults(**changes: Any) -> list[str]:
    """Of an indexed Job of three, without `spec.` in front."""
    spec = {
        "completionMode": "Indexed",
        "completions": 3,
        "parallelism": 2,
        "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
        },
        **changes,
    }
    job = {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "x"}, "spec": spec}
    return [str(fault).removeprefix("spec.") for fault in validate(job)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (EXIT_CODES, []),
        (
            {},
            [
                '.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
                ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
            ],
        ),
        (
            {"action": "Never", "onExitCodes": {"operator": "x", "containerName": "z"}},
            [
                '.action: Unsupported value: "Never": '
                'supported values: "Count", "FailIndex", "FailJob", "Ignore"',
                '.onExitCodes.operator: Unsupported value: "x": supported values: "In", "NotIn"',
                '.onExitCodes.containerName: Invalid value: "z": '
                "must be one of the container or initContainer names in the pod template",
                ".onExitCodes.values: Invalid value: null: at least one value is required",
            ],
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [1, 0, 1]}},
            [
                ".onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
                ".onExitCodes.values[2]: Duplicate value: 1",
                ".onExitCodes.values: Invalid value: [1,0,1]: must be ordered",
            ],
        ),
        (
            {
                **EXIT_CODES,
                "action": "FailIndex",
                "onPodConditions": [{"type": "X", "status": "b"}],
            },
            [
                '.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
                '.onPodConditions[0].status: Unsupported value: "b": '
                'supported values: "False", "True", "Unknown"',
                ": Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
            ],
        ),
    ],
)
def test_failure_policy(rule: dict[str, Any], expected: list[str]) -> None:
    found = faults(podFailurePolicy={"rules": [rule]})
    assert found == [f"podFailurePolicy.rules[0]{fault}" for fault in expected]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"rules": [{"succeededIndexes": "0,1-2", "succeededCount": 3}]}, []),
        (
            {},
            [
                "successPolicy.rules: Required value: "
                "at least one rules must be specified when the successPolicy is specified"
            ],
        ),
        (
            {"rules": [{}]},
            [
                "successPolicy.rules[0]: Required value: "
                "at least one of succeededCount or succeededIndexes must be specified"
            ],
        ),
        (
            {"rules": [{"succeededIndexes": "1", "succeededCount": 4}]},
            [
                "successPolicy.rules[0].succeededCount: Invalid value: 4: "
                "must be less than or equal to 3 (the number of specified completions)",
                "successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or "
                "equal to 1 (the number of indexes in the specified succeededIndexes field)",
            ],
        ),
    ],
)
def test_success_policy(policy: dict[str, Any], expected: list[str]) -> None:
    assert faults(successPolicy=policy) == expected


@pytest.mark.parametrize(
    ("indexes", "expected"),
    [
        ("b", 'cannot convert string to integer for index: "b"'),
        ("0-", 'cannot convert string to integer for index: ""'),
        ("3", 'too large index: "3"'),
        ("2-1", "non-increasing order, previous: 2, current: 1"),
        ("1,1", "non-increasing order, previous: 1, current: 1"),
        (
            "0-1-2",
            'the fragment "0-1-2" violates the requirement that an index interval can have at '
            "most two parts separated by '-'",
        ),
    ],
)
def test_indexes_that_cannot_be_read(indexes: str, expected: str) -> None:
    found = faults(successPolicy={"rules": [{"succeededIndexes": indexes}]})
    quoted = f'"{indexes}"'
    assert found == [f"{PARSING.format(quoted)}succeededIndexes: {expected}"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"completionMode": "NonIndexed", "backoffLimitPerIndex": 1, "successPolicy": {}},
            [
                "backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
                "successPolicy: Invalid value: {}: requires indexed completion mode",
            ],
        ),
        (
            {"parallelism": 100_001, "maxFailedIndexes": 4},
            [
                "backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
                "parallelism: Invalid value: 100001: "
                "must be less than or equal to 100000 when completion mode is Indexed",
                "maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
            ],
        ),
        (
            {"completions": 200_000, "parallelism": 20_000, "backoffLimitPerIndex": 1},
            [
                "maxFailedIndexes: Required value: "
                "must be specified when completions is above 100000",
                "parallelism: Invalid value: 20000: must be less than or equal to 10000 when "
                "completions are above 100000 and used with backoff limit per index",
            ],
        ),
        (
            {"podReplacementPolicy": "x"},
            [
                'podReplacementPolicy: Unsupported value: "x": '
                'supported values: "Failed", "TerminatingOrFailed"'
            ],
        ),
        (
            {"podReplacementPolicy": "x", "podFailurePolicy": {"rules": [EXIT_CODES]}},
            ['podReplacementPolicy: Unsupported value: "x": supported values: "Failed"'],
        ),
        ({"completions": "x"}, ['completions: Invalid value: "x": must be an integer']),
    ],
)
def test_the_rest(changes: dict[str, Any], expected: list[str]) -> None:
    assert faults(**changes) == expected


def test_pods_of_a_job_that_judges_failures_never_restart() -> None:
    container = {"name": "c", "image": "i"}
    template = {"spec": {"restartPolicy": "OnFailure", "containers": [container]}}
    assert faults(podFailurePolicy={"rules": [EXIT_CODES]}, template=template) == [
        'template.spec.restartPolicy: Invalid value: "OnFailure": '
        'only "Never" is supported when podFailurePolicy is specified'
    ]


def test_the_pod_with_the_last_index_has_a_name_for_its_host() -> None:
    job = {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "a.b"}}
    found = validate({**job, "spec": {"completionMode": "Indexed", "completions": 3}})
    assert str(found[-1]) == (
        'metadata.name: Invalid value: "a.b": '
        "will not able to create pod with invalid DNS label: a.b-2"
    )
