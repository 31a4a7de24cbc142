"""Recorded stories of the real scheduler against Podium's: what there is after each step.

Pods must be equal in all that is recorded. Events that say the same are compared once, because
either side may have aggregated them.
"""

import json

import pytest

from podium.cluster.drivers.faults import INSTANT, ExponentialLatency, Latency
from tests.conformance.stories import Json, StoryPlayer
from tests.conftest import ROOT

STORIES: list[Json] = json.loads(
    (ROOT / "tests/conformance/data/live/stories.json").read_text("utf-8")
)
# Nothing that is told may depend on how fast things go.
LATENCIES = {
    INSTANT: "at once",
    Latency(0.01, 0.01, 0.05): "slow news",
    Latency(0.01, 0.1, 0.0): "slow answers",
    ExponentialLatency(0.02, 0.02, 0.02): "by chance",
}


def distinct(events: list[Json]) -> list[Json]:
    """Without repetitions, and without what events are related to: that wasn't recorded."""
    told = {
        json.dumps({field: value for field, value in event.items() if field != "related"})
        for event in (dict(sorted(event.items())) for event in events)
    }
    return [json.loads(text) for text in sorted(told)]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story["story"])
@pytest.mark.parametrize("latency", LATENCIES, ids=LATENCIES.get)
def test_each_step(story: Json, latency: Latency) -> None:
    player = StoryPlayer(story["nodes"], latency)
    for number, recorded in enumerate(story["steps"]):
        player.play(recorded["step"])
        assert player.pods() == recorded["pods"], number
        assert distinct(player.events()) == distinct(recorded["events"]), number
