"""Recorded stories of the real kube-scheduler, told again by `podium scheduler` on real servers."""

import json

import pytest

from tests.cluster.real.conftest import StartPodium, on_both
from tests.cluster.real.server import PATIENCE_S, Json
from tests.cluster.real.test_scheduler import ALONE
from tests.cluster.real.world import PODS, World, until
from tests.conformance.stories import (
    PRIORITY_CLASSES,
    told_of_event,
    told_of_pod,
)
from tests.conformance.test_live_stories import STORIES, distinct

EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
ALWAYS = {"higher-takes-place"}


def marked(story: Json) -> object:
    marks = () if story["story"] in ALWAYS else pytest.mark.soak
    return pytest.param(story, marks=marks, id=story["story"])


def build(world: World, nodes: list[Json]) -> None:
    for one in PRIORITY_CLASSES:
        world.plane.ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", one)
    for node in nodes:
        amounts = {"capacity": node["allocatable"], "allocatable": node["allocatable"]}
        metadata = {"name": node["name"], "labels": node["labels"]}
        world.plane.ask("POST", "/api/v1/nodes", {"metadata": metadata, "status": amounts})
        taints = {"spec": {"taints": node["taints"] or None}}
        world.plane.merge(f"/api/v1/nodes/{node['name']}", taints)


def play(world: World, step: Json) -> None:
    match step:
        case {"create": pod}:
            world.plane.ask("POST", PODS, pod)
        case {"finish": name}:
            world.delete(name, 0)
        case {"pdb": budget}:
            world.plane.ask("POST", BUDGETS, budget)
        case {"node": [name, change]}:
            world.plane.merge(f"/api/v1/nodes/{name}", change)


def told(world: World) -> tuple[dict[str, Json], list[Json]]:
    """What there is, as stories tell of it."""
    pods = {one["metadata"]["name"]: told_of_pod(one) for one in world.pods()}
    return pods, distinct(
        [told_of_event(one, "default") for one in world.plane.ask("GET", EVENTS)["items"]]
    )


@pytest.mark.parametrize("story", [marked(story) for story in STORIES])
@on_both
def test_each_step_comes_to_the_same(story: Json, world: World, podium: StartPodium) -> None:
    build(world, story["nodes"])
    podium(ALONE)
    for recorded in story["steps"]:
        play(world, recorded["step"])
        wanted = (recorded["pods"], distinct(recorded["events"]))
        try:
            until(lambda wanted=wanted: told(world) == wanted, PATIENCE_S)
        except AssertionError:
            assert json.loads(json.dumps(told(world))) == list(wanted)
