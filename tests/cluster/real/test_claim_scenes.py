"""Claims that wait for their volumes while `podium scheduler` binds a pod, on a real API server."""

import time
from collections.abc import Callable

import pytest

from tests.claim_scenes import SCENES, Stage
from tests.cluster.real.conftest import StartPodium, on_both_in_soak
from tests.cluster.real.world import World


@on_both_in_soak
@pytest.mark.parametrize("scene", SCENES)
def test_a_claim_that_waits_for_its_volume(
    world: World, podium: StartPodium, scene: Callable[[Stage], None]
) -> None:
    podium("--no-leader-elect")
    scene(Stage(world.plane, time.sleep, 0.02))
