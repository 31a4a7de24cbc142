"""What a test asks of `podium.Cluster` that can't be had, and what it is told."""

import math

import pytest

import podium
from podium.api.errors import PodiumError

WIDGET = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}}
OLD_BUDGET = {**WIDGET, "apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget"}


@pytest.mark.parametrize("duration_s", [-5, -0.001, math.nan])
def test_the_clock_does_not_go_back(duration_s: float) -> None:
    with podium.Cluster(nodes=0) as cluster:
        began_s = cluster.now_s
        with pytest.raises(ValueError, match=r"duration_s: .*: a clock can't go back; must be 0"):
            cluster.advance(duration_s)
        assert cluster.now_s == began_s


def test_kinds_that_are_not_served_are_named() -> None:
    why = "kind Widget: isn't served; the kinds are Pod, Node,"
    with pytest.raises(PodiumError, match=why):
        podium.Cluster(nodes=0, manifests=[WIDGET])
    with podium.Cluster(nodes=0) as cluster:
        with pytest.raises(PodiumError, match=why):
            cluster.apply(WIDGET)
        with pytest.raises(PodiumError, match="policy/v1beta1, kind PodDisruptionBudget: isn't"):
            cluster.apply(OLD_BUDGET)
        for ask in (
            lambda: cluster.get("Widget", "a"),
            lambda: cluster.list("Widget"),
            lambda: cluster.delete("Widget", "a"),
        ):
            with pytest.raises(PodiumError, match="Widget: isn't served; the kinds are Pod, Node"):
                ask()
