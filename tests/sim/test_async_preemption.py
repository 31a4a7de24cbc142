"""With no other pod decided meanwhile, it makes no difference whether victims are waited for."""

import pytest

from podium.api.pods import node_name_of
from podium.scheduler.machine.context import Features
from tests.sim.settings import Settings
from tests.sim.world import World

PODS = 25
SEEDS = 6
# Longer than any pod's grace period and backoff.
BETWEEN_PODS_S = 45.0


def placements(seed: int, *, is_async: bool) -> tuple[dict[str, str], int]:
    """The node of each pod that is left, and how often one was preempted for another."""
    world = World(seed, Settings(features=Features(scheduler_async_preemption=is_async)))
    for _ in range(PODS):
        world.user.create_alike(1)
        world.driver.advance(BETWEEN_PODS_S)
    scheduler = world.scheduler("default-scheduler")
    assert scheduler is not None
    pods = {pod["metadata"]["name"]: node_name_of(pod) for pod in world.store.list("Pod").items}
    return pods, len(scheduler.preemptions.history)


@pytest.mark.seeds(SEEDS, 100)
def test_both_ways_end_in_the_same_placements(seed: int) -> None:
    assert placements(seed, is_async=True) == placements(seed, is_async=False)


def test_there_are_preemptions_among_them() -> None:
    assert sum(placements(seed, is_async=True)[1] for seed in range(SEEDS)) > SEEDS
