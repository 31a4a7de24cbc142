"""Scores by example, worked out by hand."""

from typing import Any

import numpy as np
import pytest

from podium.scheduler.config import args as plugin_args
from podium.scheduler.framework.interface import LocalScore, RelativeScore
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
        (plugin_args.ScoringStrategyType.LEAST_ALLOCATED, (25 + 75) // 2),
        (plugin_args.ScoringStrategyType.MOST_ALLOCATED, (75 + 25) // 2),
        # The shape climbs to 10 at 50 % and falls to 5 at 100 %: cpu 75, memory 50.
        (plugin_args.ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO, 63),
    ],
)
@pytest.mark.parametrize(("mi", "gi"), [("Mi", "Gi"), ("Ti", "Pi")])
def test_strategies(kind: plugin_args.ScoringStrategyType, score: int, mi: str, gi: str) -> None:
    shape = (
        plugin_args.UtilizationShapePoint(utilization=0, score=0),
        plugin_args.UtilizationShapePoint(utilization=50, score=10),
        plugin_args.UtilizationShapePoint(utilization=100, score=5),
    )
    needs_shape = kind is plugin_args.ScoringStrategyType.REQUESTED_TO_CAPACITY_RATIO
    given = plugin_args.RequestedToCapacityRatio(shape=shape) if needs_shape else None
    args = plugin_args.NodeResourcesFitArgs(
        scoring_strategy=plugin_args.ScoringStrategy(type=kind, requested_to_capacity_ratio=given)
    )
    held = requesting("held", cpu="2", memory=f"512{mi}")
    handle = cluster([node("n", cpu="4", memory=f"4{gi}", pods="9")], [(held, "n")])
    wanted = pending(handle, requesting(cpu="1", memory=f"512{mi}"))
    scores = NodeResourcesFit(handle, args).score(wanted)
    assert (scores.score(0), scores.scores(ROWS)) == (score, [score])


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
