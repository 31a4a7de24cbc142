"""What a test asks of `podium.Cluster` that can't be had, and what it is told."""

import math

import pytest

import podium
from podium.embedded.acting import UnknownKind

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
}


@pytest.mark.parametrize("duration_s", [-5, -0.001, math.nan])
def test_the_clock_does_not_go_back(duration_s: float) -> None:
    with podium.Cluster(nodes=0) as cluster:
        began_s = cluster.now_s
        with pytest.raises(ValueError, match=r"duration_s: .*: a clock can't go back; must be 0"):
            cluster.advance(duration_s)
        assert cluster.now_s == began_s


def test_kinds_that_are_not_served_are_named() -> None:
    why = "kind CustomResourceDefinition: isn't served; the kinds are Pod, Node,"
    with pytest.raises(UnknownKind, match=why):
        podium.Cluster(nodes=0, manifests=[DEFINITION])
    with podium.Cluster(nodes=0) as cluster:
        with pytest.raises(UnknownKind, match=why):
            cluster.apply(DEFINITION)
        for ask in (
            lambda: cluster.get("Widget", "a"),
            lambda: cluster.list("Widget"),
            lambda: cluster.delete("Widget", "a"),
        ):
            with pytest.raises(UnknownKind, match="Widget: isn't served; the kinds are Pod, Node"):
                ask()
