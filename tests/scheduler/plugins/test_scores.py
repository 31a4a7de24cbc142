"""Scores by example, worked out by hand."""

from typing import Any

import numpy as np
import pytest

from podium.scheduler.config.args import (
    NodeResourcesFitArgs,
    RequestedToCapacityRatio,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    UtilizationShapePoint,
)
from podium.scheduler.framework.interface import LocalScore, RelativeScore, default_normalize
from podium.scheduler.plugins.image_locality import ImageLocality
from podium.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from podium.scheduler.plugins.taint_toleration import TaintToleration
from tests.scheduler.plugins.small_cluster import cluster, node, pending, pod, requesting

ROWS = np.array([0])
GI = 1024**3


@pytest.mark.parametrize(
    ("kind", "score"),
    [
        # cpu: 3 of 4 used, 25 % left; memory: 1 of 4 Gi used, 75 % left.
        (ScoringStrategyType.LEAST_ALLOCATED, (25 + 75) // 2),
        (ScoringStrategyType.MOST_ALLOCATED, (75 + 25) // 2),
        # The shape climbs to 10 at 50 % and falls to 5 at 100 %: cpu 75, memory 50.
        (ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO, 63),
    ],
)
@pytest.mark.parametrize(("mi", "gi"), [("Mi", "Gi"), ("Ti", "Pi")])
def test_strategies(kind: ScoringStrategyType, score: int, mi: str, gi: str) -> None:
    shape = (
        UtilizationShapePoint(utilization=0, score=0),
        UtilizationShapePoint(utilization=50, score=10),
        UtilizationShapePoint(utilization=100, score=5),
    )
    needs_shape = kind is ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
    given = RequestedToCapacityRatio(shape=shape) if needs_shape else None
    args = NodeResourcesFitArgs(
        scoring_strategy=ScoringStrategy(type=kind, requested_to_capacity_ratio=given)
    )
    held = requesting("held", cpu="2", memory=f"512{mi}")
    handle = cluster([node("n", cpu="4", memory=f"4{gi}", pods="9")], [(held, "n")])
    wanted = pending(handle, requesting(cpu="1", memory=f"512{mi}"))
    scores = NodeResourcesFit(handle, args).score(wanted)
    assert (scores.score(0), scores.scores(ROWS)) == (score, [score])


def test_a_resource_of_which_a_node_has_one_is_used_up_by_one() -> None:
    gpus = ResourceSpec(name="example.com/gpu", weight=1)
    least = ScoringStrategyType.LEAST_ALLOCATED
    args = NodeResourcesFitArgs(scoring_strategy=ScoringStrategy(type=least, resources=(gpus,)))
    nodes = [node(f"n{count}", pods="9", **{gpus.name: str(count)}) for count in (1, 2)]
    handle = cluster(nodes, [])
    scores = NodeResourcesFit(handle, args).score(pending(handle, requesting(**{gpus.name: "1"})))
    assert [*scores.all_scores(2)] == [scores.score(row) for row in range(2)] == [0, 50]


@pytest.mark.parametrize("plugin", [NodeResourcesFit, NodeResourcesBalancedAllocation])
def test_some_rows_in_any_order_score_as_they_do_among_all(plugin: Any) -> None:
    nodes = [node(name, cpu=name[1:], memory="4Gi", pods="9") for name in ("n4", "n5", "n8")]
    held = requesting("held", cpu="2", memory="1Gi")
    handle = cluster(nodes, [(held, "n5")])
    scores = plugin(handle).score(pending(handle, requesting(cpu="1", memory="512Mi")))
    among_all = [*scores.all_scores(3)]
    assert among_all == [scores.score(row) for row in range(3)]
    assert [*scores.scores(np.array([2, 0]))] == [among_all[2], among_all[0]]
    assert [*scores.scores(np.array([1]))] == [among_all[1]]


def test_containers_that_request_nothing_score_as_if_they_did() -> None:
    handle = cluster([node("n", cpu="1", memory="1000Mi", pods="9")], [(requesting("h"), "n")])
    # Twice 100 thousandths of cpu and 200 Mi: 80 % and 60 % are left.
    assert NodeResourcesFit(handle).score(pending(handle, requesting())).score(0) == 70


def test_pods_that_request_no_resource_that_counts_score_nothing() -> None:
    handle = cluster([node("n", cpu="1", memory="1Gi", pods="9")], [])
    counted = (ResourceSpec(name="example.com/gpu"),)
    strategy = ScoringStrategy(type=ScoringStrategyType.LEAST_ALLOCATED, resources=counted)
    args = NodeResourcesFitArgs(scoring_strategy=strategy)
    state = NodeResourcesFit(handle, args).score(pending(handle, requesting(cpu="1")))
    assert [*state.all_scores(1)] == [*state.scores(ROWS)] == [state.score(0)] == [0]


@pytest.mark.parametrize(
    ("held", "wanted", "score"),
    [
        # From perfectly even to 50 % against 0 %: 50 + (50 + 75 - 100) // 2.
        ({}, {"cpu": "2"}, 62),
        # From 50 % against 0 % to even.
        ({"cpu": "2"}, {"memory": "2Gi"}, 87),
        ({"cpu": "2"}, {"cpu": "1", "memory": "1Gi"}, 75),
    ],
)
def test_balance(held: dict[str, str], wanted: dict[str, str], score: int) -> None:
    handle = cluster([node("n", cpu="4", memory="4Gi")], [(requesting("held", **held), "n")])
    state = NodeResourcesBalancedAllocation(handle).score(pending(handle, requesting(**wanted)))
    assert state is not None
    assert state.score(0) == score


def test_pods_that_request_nothing_are_not_balanced() -> None:
    handle = cluster([node("n", cpu="4", memory="4Gi")])
    assert NodeResourcesBalancedAllocation(handle).score(pending(handle, requesting())) is None


def test_images_count_by_size_and_spread() -> None:
    image = {"names": ["web:latest", "web@sha256:1"], "sizeBytes": GI}
    nodes = [node("a"), node("b")]
    nodes[0]["status"]["images"] = [image]
    handle = cluster(nodes)
    score = ImageLocality(handle).score
    wanting = pending(handle, pod(containers=[{"name": "c", "image": "web"}]))
    rows = np.array([handle.snapshot.row_of[name] for name in "ab"])
    # Half of the nodes have it: 512 of 1000 Mi count, 23 of which are too few to score.
    assert score(wanting).scores(rows).tolist() == [100 * (512 - 23) // (1000 - 23), 0]
    twice = pending(handle, pod(containers=[{"name": n, "image": "web"} for n in "cd"]))
    assert score(twice).scores(rows).tolist() == [100 * (1024 - 23) // (2000 - 23), 0]


def test_an_image_has_one_size_however_large_nodes_say_it_is() -> None:
    nodes = [node("a"), node("b"), node("c")]
    for one, size in zip(nodes, (GI // 2, GI), strict=False):
        one["status"]["images"] = [{"names": ["web:latest"], "sizeBytes": size}]
    handle = cluster(nodes)
    wanting = pending(handle, pod(containers=[{"name": "c", "image": "web"}]))
    state = ImageLocality(handle).score(wanting)
    score = 100 * (512 * 2 // 3 - 23) // (1000 - 23)
    assert [state.score(handle.snapshot.row_of[name]) for name in "abc"] == [score, score, 0]


def test_a_pod_without_containers_has_no_images() -> None:
    handle = cluster([node("n")])
    assert ImageLocality(handle).score(pending(handle, pod())).score(0) == 0


@pytest.mark.parametrize(("effect", "kind"), [("", LocalScore), ("x", RelativeScore)])
def test_taints_are_relative_only_where_there_are_any(
    effect: str, kind: type[LocalScore | RelativeScore]
) -> None:
    tainted = node("a")
    if effect:
        tainted["spec"]["taints"] = [{"key": "k", "effect": "PreferNoSchedule"}]
    handle = cluster([tainted, node("b")])
    state = TaintToleration(handle).score(pending(handle, pod()))
    assert isinstance(state, kind)
    rows = np.array([handle.snapshot.row_of[name] for name in "ab"])
    assert state.scores(rows).tolist() == [0 if effect else 100, 100]


@pytest.mark.parametrize(
    ("raw", "reverse", "scores"),
    [
        ([0, 0], False, [0, 0]),
        ([0, 0], True, [100, 100]),
        ([1, 3, 2], False, [33, 100, 66]),
        ([1, 3, 2], True, [67, 0, 34]),
        ([], False, []),
    ],
)
def test_default_normalization(raw: list[int], reverse: bool, scores: list[int]) -> None:
    assert default_normalize(np.array(raw, np.int64), reverse).tolist() == scores
