"""Recorded stories of the real kube-scheduler, told again by `podium scheduler` on real servers."""

import json

import pytest

from tests.cluster.real.conftest import StartPodium, on_both
from tests.cluster.real.server import PATIENCE_S, Json
from tests.cluster.real.test_scheduler import ALONE
from tests.cluster.real.world import World, until
from tests.conformance.stories import build, distinct, play, told
from tests.conformance.test_live_stories import STORIES

ALWAYS = {"higher-takes-place"}


def marked(story: Json) -> object:
    marks = () if story["story"] in ALWAYS else pytest.mark.soak
    return pytest.param(story, marks=marks, id=story["story"])


@pytest.mark.parametrize("story", [marked(story) for story in STORIES])
@on_both
def test_each_step_comes_to_the_same(story: Json, world: World, podium: StartPodium) -> None:
    server = world.plane
    build(server, story["nodes"])
    podium(ALONE)
    for recorded in story["steps"]:
        play(server, recorded["step"])
        wanted = (recorded["pods"], distinct(recorded["events"]))
        try:
            until(lambda wanted=wanted: told(server) == wanted, PATIENCE_S)
        except AssertionError:
            assert json.loads(json.dumps(told(server))) == list(wanted)
