"""When nodes renew their Leases in earnest: others than Podium's controller may look at them."""

import asyncio

import pytest

from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.cluster.embedded.cluster_clock import SPEEDS, STOPPED, ClockSpeed
from podium.cluster.embedded.defaults import NodeShape
from podium.cluster.embedded.initial_objects import simulated_nodes

_OTHERS = frozenset({"deployment-controller"})


async def writes(options: EmbeddedOptions) -> bool:
    async with EmbeddedCluster(options) as embedded:
        nodes = embedded.cluster.options.nodes
        assert nodes is not None
        return nodes.writes_heartbeats


@pytest.mark.parametrize(
    ("nodes", "speed", "controllers", "expected"),
    [
        (3, SPEEDS["1x"], None, True),
        (200, SPEEDS["1x"], None, True),
        (201, SPEEDS["1x"], None, False),
        (201, SPEEDS["1x"], _OTHERS, True),
        (21, SPEEDS["10x"], None, False),
        (3, SPEEDS["max"], None, False),
        (3, STOPPED, None, False),
    ],
)
def test_few_nodes_do_so_by_the_clock_and_all_if_they_must(
    nodes: int, speed: ClockSpeed, controllers: frozenset[str] | None, expected: bool
) -> None:
    options = EmbeddedOptions(
        objects=simulated_nodes(nodes, NodeShape()), port=0, speed=speed, controllers=controllers
    )
    assert asyncio.run(writes(options)) is expected
