"""`podium simulate --recording` and `podium record`: options, errors, and what is printed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from tests.simulation.recordings.recorded import NO_PREEMPTION, pod, record, scenario

ONE_NODE = [{"name": "n-1", "capacity": {"cpu": "4", "memory": "16Gi", "pods": "110"}}]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments], env={"NO_COLOR": "1"})


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    steps = [
        {"at": "10s", "apply": pod("low", "low", "3")},
        {"at": "20s", "apply": pod("vip", "high", "3")},
    ]
    directory = tmp_path / "recording"
    record(directory, scenario(steps, nodes=ONE_NODE, until="2m"))
    return directory


def test_nothing_goes_differently_as_it_was(recorded: Path) -> None:
    result = run("simulate", "--recording", str(recorded))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("Nothing went differently. ")
    assert "2 pods to place, 2 alike; 1 preemption recorded, 1 in the replay." in result.stdout


def test_another_configuration_is_heeded(recorded: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(NO_PREEMPTION)
    result = run("simulate", "--recording", str(recorded), "--scheduler-config", str(other))
    titles = [line for line in result.stdout.splitlines() if line and line[0].isupper()]
    assert {"PLACED ELSEWHERE", "PREEMPTED OTHERWISE"} <= {*titles}
    report = json.loads(
        run(
            "simulate", "--recording", str(recorded), "--scheduler-config", str(other), "-o", "json"
        ).stdout
    )
    assert report["kind"] == "RecordingReplay"
    assert [one["pod"] for one in report["placements"]] == ["default/vip"]


def test_the_configuration_of_the_recording_is_the_usual_one(tmp_path: Path) -> None:
    steps = [{"at": "10s", "apply": pod("low", "low", "3")}]
    directory = tmp_path / "recording"
    record(directory, scenario(steps, nodes=ONE_NODE, until="1m"), "apiVersion: v2\nkind: None\n")
    result = run("simulate", "--recording", str(directory))
    assert result.exit_code == 1
    assert f"error: {directory}: " in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["simulate"], "no scenario is given: name its file, or a recording with --recording"),
        (["simulate", "--recording", "nowhere"], "nowhere: No such file or directory"),
        (
            ["simulate", "s.yaml", "--seed", "1", "--recording", "nowhere"],
            "--recording can't be combined with a scenario and --seed",
        ),
        (
            ["simulate", "--recording", "d", "-o", "png"],
            "--recording can't be combined with -o png",
        ),
        (["record", "-o", "d", "--config", "nowhere"], "nowhere"),
        (["record", "-o", "d", "--kubeconfig", "nowhere"], "nowhere"),
    ],
    ids=["nothing", "no-recording", "both", "png", "record-config", "record-kubeconfig"],
)
def test_mistakes_are_told(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert not list(tmp_path.iterdir())
