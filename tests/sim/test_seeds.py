"""Clusters at random: a minute of activity with faults, then rest, under checkers all the time."""

import pytest

from podium.cluster.drivers import virtual
from tests.sim.settings import settings_of
from tests.sim.world import World

BUSY_S = 60.0
REPEATED_SEEDS = (1, 2, 3)


@pytest.fixture(autouse=True)
def _impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines that keep answering each other are found out early."""
    monkeypatch.setattr(virtual, "TIMERS_AT_ONE_MOMENT_MAX", 100_000)


def play(seed: int) -> World:
    world = World(seed, settings_of(seed))
    world.user.keep_busy(BUSY_S)
    try:
        world.run()
    except Exception as error:
        last = "\n".join(str(happening)[:500] for happening in world.tail)
        error.add_note(f"What happened last:\n{last}")
        error.add_note(
            f"Again: .venv/bin/pytest -m '' 'tests/sim/test_seeds.py::test_seed[{seed}]'"
        )
        raise
    return world


@pytest.mark.seeds(50, 1_000)
def test_seed(seed: int) -> None:
    play(seed)


@pytest.mark.parametrize("seed", REPEATED_SEEDS)
def test_a_seed_repeats_a_cluster(seed: int) -> None:
    assert play(seed).digest() == play(seed).digest()
