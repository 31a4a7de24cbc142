"""Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation."""

from collections.abc import Mapping
from typing import Any

import pytest

from podium.scheduler.config.args import (
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    RequestedToCapacityRatio,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    UtilizationShapePoint,
)

GPU = "example.com/gpu"


def ratio(*points: tuple[Any, Any]) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": shape}}


def test_fit_ignores(args) -> None:
    given = args(
        "NodeResourcesFit",
        {"ignoredResources": [GPU, "plain"], "ignoredResourceGroups": ["example.com"]},
    )
    assert given == NodeResourcesFitArgs(
        ignored_resources=frozenset({GPU, "plain"}),
        ignored_resource_groups=frozenset({"example.com"}),
    )


@pytest.mark.parametrize("kind", ["LeastAllocated", "MostAllocated"])
def test_strategies_without_shape(args, kind: str) -> None:
    given = args("NodeResourcesFit", {"scoringStrategy": {"type": kind}})
    assert given == NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(
            type=ScoringStrategyType(kind),
            resources=(ResourceSpec(name="cpu", weight=1), ResourceSpec(name="memory", weight=1)),
        )
    )


def test_requested_to_capacity_ratio(args) -> None:
    strategy = ratio((0, 0), (60, 4), (100, 10))
    strategy["resources"] = [
        {"name": "cpu", "weight": 3},
        {"name": GPU, "weight": 0},
        {"name": "x"},
    ]
    given = args("NodeResourcesFit", {"scoringStrategy": strategy})
    assert given.scoring_strategy == ScoringStrategy(
        type=ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO,
        resources=(
            ResourceSpec(name="cpu", weight=3),
            ResourceSpec(name=GPU, weight=1),
            ResourceSpec(name="x", weight=1),
        ),
        requested_to_capacity_ratio=RequestedToCapacityRatio(
            shape=(
                UtilizationShapePoint(utilization=0, score=0),
                UtilizationShapePoint(utilization=60, score=4),
                UtilizationShapePoint(utilization=100, score=10),
            )
        ),
    )


@pytest.mark.parametrize(
    ("raw", "starts"),
    [
        (
            {"ignoredResources": ["a b", GPU]},
            ['ignoredResources[0]: Invalid value: "a b": name part must consist of '],
        ),
        ({"ignoredResources": [1]}, ["ignoredResources[0]: Invalid value: 1: must be a string"]),
        ({"ignoredResources": GPU}, ["ignoredResources: Invalid value: "]),
        (
            {"ignoredResourceGroups": [GPU, ""]},
            [
                'ignoredResourceGroups[0]: Invalid value: "example.com/gpu": must be what stands ',
                'ignoredResourceGroups[1]: Invalid value: "": name part must be non-empty',
            ],
        ),
    ],
)
def test_faulty_ignored_resources(args_faults, raw: object, starts: list[str]) -> None:
    found = args_faults("NodeResourcesFit", raw)
    assert len(found) == len(starts)
    assert all(text.startswith(start) for text, start in zip(found, starts, strict=True)), found


LEAST = {"type": "LeastAllocated"}
SHAPE = "requestedToCapacityRatio.shape"


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        # Only a strategy that is left out altogether has a default type.
        (
            {},
            [
                'type: Unsupported value: "": supported values: "LeastAllocated", '
                '"MostAllocated", "RequestedToCapacityRatio"'
            ],
        ),
        (
            {"type": "Least"},
            [
                'type: Unsupported value: "Least": supported values: "LeastAllocated", '
                '"MostAllocated", "RequestedToCapacityRatio"'
            ],
        ),
        (
            LEAST | {"resources": [{"name": "cpu", "weight": 101}, {"name": "x", "weight": -1}]},
            [
                "resources[0].weight: Invalid value: 101: must be from 1 to 100",
                "resources[1].weight: Invalid value: -1: must be from 1 to 100",
            ],
        ),
        (
            LEAST | {"resources": [{"resource": "cpu"}]},
            ["resources[0].resource: Forbidden: unknown field; known: name, weight"],
        ),
        (
            LEAST | {"requestedToCapacityRatio": {}},
            ["requestedToCapacityRatio: Forbidden: only with type RequestedToCapacityRatio"],
        ),
        (
            {"type": "RequestedToCapacityRatio"},
            ["requestedToCapacityRatio: Required value: type RequestedToCapacityRatio needs it"],
        ),
        (
            ratio(),
            [
                f"{SHAPE}: Required value: at least one point is needed, "
                "such as {utilization: 0, score: 0}"
            ],
        ),
        (
            ratio((101, 11), (200, -1)),
            [
                f"{SHAPE}[0].utilization: Invalid value: 101: must be from 0 to 100",
                f"{SHAPE}[0].score: Invalid value: 11: must be from 0 to 10",
                f"{SHAPE}[1].utilization: Invalid value: 200: must be from 0 to 100",
                f"{SHAPE}[1].score: Invalid value: -1: must be from 0 to 10",
            ],
        ),
        (
            ratio((0, 0), (50, 1), (50, 2), (40, 3)),
            [
                f"{SHAPE}[2].utilization: Invalid value: 50: must be greater than the one before",
                f"{SHAPE}[3].utilization: Invalid value: 40: must be greater than the one before",
            ],
        ),
        (ratio((0, "x")), [f'{SHAPE}[0].score: Invalid value: "x": must be an integer']),
    ],
)
def test_faulty_strategies(args_faults, strategy: Mapping[str, Any], expected: list[str]) -> None:
    found = args_faults("NodeResourcesFit", {"scoringStrategy": strategy})
    assert found == [f"scoringStrategy.{text}" for text in expected]


def test_balanced_allocation(args) -> None:
    given = args(
        "NodeResourcesBalancedAllocation",
        {"resources": [{"name": GPU}, {"name": "cpu", "weight": 1}, {"name": "x", "weight": 0}]},
    )
    assert given == NodeResourcesBalancedAllocationArgs(
        resources=(ResourceSpec(name=GPU), ResourceSpec(name="cpu"), ResourceSpec(name="x"))
    )


def test_faulty_balanced_allocation(args_faults) -> None:
    resources = [{"name": "cpu", "weight": 2}, {"name": "cpu"}]
    assert args_faults("NodeResourcesBalancedAllocation", {"resources": resources}) == [
        "resources[0].weight: Invalid value: 2: must be 1: balance knows no weights",
        'resources[1].name: Duplicate value: "cpu"',
    ]
