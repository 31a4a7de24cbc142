"""Recorded stories of the real scheduler against Podium's: what there is after each step.

Pods must be equal in all that is recorded. Events that say the same are compared once, because
either side may have aggregated them.
"""

import json

import pytest

from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.cluster.virtual.virtual_server import VirtualServer
from tests.conformance.stories import Json, build, distinct, play, told
from tests.conftest import ROOT

STORIES: list[Json] = json.loads(
    (ROOT / "tests/conformance/data/live/stories.json").read_text("utf-8")
)
# How long a step takes that doesn't say so.
STEP_S = 2.0
# Nothing that is told may depend on how fast things go.
LATENCIES = {
    INSTANT: "at once",
    Latency(0.01, 0.01, 0.05): "slow news",
    Latency(0.01, 0.1, 0.0): "slow answers",
    Latency(0.02, 0.02, 0.02, is_exponential=True): "by chance",
}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["story"])
@pytest.mark.parametrize("latency", LATENCIES, ids=LATENCIES.get)
def test_each_step(story: Json, latency: Latency) -> None:
    cluster = Cluster(ClusterOptions(nodes=None, latency=latency))
    cluster.start()
    server = VirtualServer(cluster)
    build(server, story["nodes"])
    cluster.driver.advance(STEP_S)
    for number, recorded in enumerate(story["steps"]):
        play(server, recorded["step"])
        cluster.driver.advance(recorded["step"].get("wait", STEP_S))
        assert told(server) == (recorded["pods"], distinct(recorded["events"])), number
