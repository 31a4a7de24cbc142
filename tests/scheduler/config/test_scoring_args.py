"""Arguments of NodeResourcesFit and NodeResourcesBalancedAllocation."""

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


def test_balanced_allocation(args) -> None:
    given = args(
        "NodeResourcesBalancedAllocation",
        {"resources": [{"name": GPU}, {"name": "cpu", "weight": 1}, {"name": "x", "weight": 0}]},
    )
    assert given == NodeResourcesBalancedAllocationArgs(
        resources=(ResourceSpec(name=GPU), ResourceSpec(name="cpu"), ResourceSpec(name="x"))
    )
