"""Faults, crashes, failing nodes, drains and scaling at once; in the end everything is well.

A seed that fails is replayed by `podium simulate tests/simulation/storm.yaml --seed SEED`.
"""

from pathlib import Path

import pytest

from podium.simulation.reading import read_scenario
from podium.simulation.simulating import simulate

STORM = Path(__file__).parent / "storm.yaml"


def weather(seed: int) -> None:
    simulation = simulate(read_scenario(str(STORM), STORM.read_text(), seed))
    failed = [entry.details for entry in simulation.entries if entry.type == "AssertionFailed"]
    replay = f"podium simulate tests/simulation/storm.yaml --seed {seed}"
    assert not failed, f"{failed}; {replay}"
    assert not simulation.failures, replay


@pytest.mark.parametrize("seed", range(5))
def test_all_is_well_after_a_storm(seed: int) -> None:
    weather(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1_000))
def test_all_is_well_after_many_storms(seed: int) -> None:
    weather(seed)
