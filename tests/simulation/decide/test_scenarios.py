"""`podium decide`: what is wrong with a scenario is told field by field, all at once."""

import json
from typing import Any

import pytest

from podium.simulation.decide.stream import answers

Json = dict[str, Any]

NODE = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}


def error(scenario: object) -> str:
    (answer,) = answers([json.dumps(scenario).encode()])
    found: str = json.loads(answer)["error"]
    return found


@pytest.mark.parametrize(
    ("scenario", "faults"),
    [
        ([], ["must be an object"]),
        ({"nodes": {}}, ["nodes: Invalid value: {}: must be a list"]),
        (
            {"pods": [5], "sequence": "yes"},
            [
                'sequence: Invalid value: "yes": must be true or false',
                "pods[0]: Invalid value: 5: must be an object",
            ],
        ),
        ({"node": []}, ["node: Forbidden: unknown field; known: id, defaults, sequence"]),
        (
            {"nodes": [NODE], "pending": [POD, {**POD, "spec": {"containers": 5}}]},
            ["pending[1].spec.containers: Invalid value: expected a list, got 5"],
        ),
        (
            {
                "nodes": [{**NODE, "metadata": {"name": "n", "labels": ["a"]}}],
                "pending": [{**POD, "metadata": 5}],
            },
            [
                "nodes[0].metadata.labels: Invalid value: expected an object, got a list",
                "pending[0].metadata: Invalid value: expected an object, got 5",
            ],
        ),
    ],
)
def test_what_is_misshapen_is_told_with_its_field(scenario: object, faults: list[str]) -> None:
    said = error(scenario)
    assert said.startswith("line 1: ")
    assert [fault for fault in faults if fault not in said] == []


def test_a_scenario_without_fault_has_no_error() -> None:
    assert error({"nodes": [NODE], "pending": [POD], "pods": None}) == ""
