"""A recording is measured by what a run of the same is measured by."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from podium.simulation.experiments.run import recorded_result, run
from podium.simulation.experiments.whole_scenario import WholeScenario, read_whole_scenario
from podium.ui.command_line.main import app
from tests.simulation.recordings.recorded import busy, record

EXACT = ("pods", "preempted", "evicted", "lost", "neverPlaced")


def whole(directory: Path, seed: int) -> WholeScenario:
    file = directory / f"{seed}.json"
    file.write_text(busy(seed))
    return read_whole_scenario(str(file), 10_000)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_recording_comes_to_the_same_as_its_run(tmp_path: Path, seed: int) -> None:
    played = run(whole(tmp_path, seed), seed)
    found = recorded_result(record(tmp_path / "recording", busy(seed)))
    assert found.measures["preempted"] > 0
    for name, value in played.measures.items():
        if name.startswith(EXACT):
            assert found.measures[name] == value, name
        elif name != "failures":
            assert found.measures[name] == pytest.approx(value, rel=0.02, abs=0.05), name
    assert {one.pod for one in found.witnesses} == {one.pod for one in played.witnesses}


def test_two_recordings_are_compared(tmp_path: Path) -> None:
    for name, seed in (("monday", 1), ("tuesday", 2)):
        record(tmp_path / name, busy(seed))
    sides = [str(tmp_path / "monday"), str(tmp_path / "tuesday")]
    result = CliRunner().invoke(app, ["compare", *sides])
    assert result.exit_code == 0, result.output
    assert "1 pair of runs" in result.stdout
    assert "preempted" in result.stdout
    mixed = CliRunner().invoke(app, ["compare", sides[0], "default"])
    assert mixed.exit_code == 1
    assert "a recording can be compared with another recording" in mixed.output
