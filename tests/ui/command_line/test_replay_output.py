"""`podium simulate --recording` and `podium record`: errors that concern directories."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from tests.simulation.recordings.recorded import pod, record, scenario

ONE_NODE = [{"name": "n-1", "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments], env={"NO_COLOR": "1"})


def test_the_configuration_of_the_recording_is_the_usual_one(tmp_path: Path) -> None:
    steps = [{"at": "10s", "apply": pod("low", "low", "3")}]
    directory = tmp_path / "recording"
    record(directory, scenario(steps, nodes=ONE_NODE, until="1m"), "apiVersion: v2\nkind: None\n")
    result = run("simulate", "--recording", str(directory))
    assert result.exit_code == 1
    assert f"error: {directory}: " in result.stderr


@pytest.mark.parametrize("option", ["--config", "--kubeconfig"])
def test_a_recording_that_cant_begin_leaves_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("record", "-o", "d", option, "nowhere")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "nowhere" in result.stderr
    assert not list(tmp_path.iterdir())
