"""What tests of experiments share."""

import pytest

from tests.simulation.experiments.sweeps import OBJECTIVE, SETTINGS, Played, play, write_sweep


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A grid of four trials, two runs each, by one process after the other."""
    directory = tmp_path_factory.mktemp("played")
    file = write_sweep(directory, seeds=2, settings=SETTINGS, objective=OBJECTIVE)
    printed = play(file, directory / "out", "--workers", "1")
    return Played(file, directory / "out", printed)
