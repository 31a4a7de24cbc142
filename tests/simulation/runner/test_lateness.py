"""Everything may happen late, as on a busy computer, but nothing is left out for that."""

from random import Random

import pytest

from podium.cluster.drivers.virtual import VirtualDriver
from podium.simulation.runner.scenario_runner import simulate
from podium.simulation.scenario.scenario_document import read_scenario
from tests.conftest import ROOT
from tests.simulation.runner.test_storm import weather

STORIES = (
    "scenarios/node-failure.yaml",
    "scenarios/taint-eviction.yaml",
    "scenarios/drain-waits.yaml",
    "scenarios/proposal-2.yaml",
    "node-pressure/proposal.yaml",
    "node-pressure/soft-thresholds.yaml",
    "node-pressure/minimum-reclaim.yaml",
)
LATE_S = 0.2


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have drivers find that it is later than they were to be woken."""
    rng = Random(1)

    def run_until(driver: VirtualDriver, time_s: float) -> None:
        while (next_s := driver.next_s()) is not None and next_s <= time_s:
            late_s = rng.expovariate(1 / LATE_S)
            driver.pass_time(max(driver.now_s, min(next_s + late_s, time_s)))
            while driver.step_now():
                pass
        driver.pass_time(time_s)

    monkeypatch.setattr(VirtualDriver, "run_until", run_until)


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("story", STORIES)
def test_stories_end_as_they_should(story: str) -> None:
    path = ROOT / "examples" / story
    simulation = simulate(read_scenario(str(path), path.read_text()))
    assert simulation.failures == 0


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("seed", range(5))
def test_all_is_well_after_a_storm(seed: int) -> None:
    weather(seed)
