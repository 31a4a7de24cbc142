"""`podium compare` of each sort of side, as a gate."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from tests.objects import node, pod, priority_class
from tests.simulation.experiments.worlds import HEADER, nodes
from tests.simulation.recordings.recorded import NO_PREEMPTION, record
from tests.ui.schemas.test_outputs import faults

THERE = [
    priority_class("high", 9),
    priority_class("low", 1),
    pod("low", "3", priorityClassName="low"),
]
URGENT = {"at": "10s", "apply": pod("urgent", "3", priorityClassName="high")}
PATIENT = """apiVersion: podium.dev/v1alpha1
kind: SchedulerOptions
protection:
  minimumRunTimes: [{priorityClass: low, duration: 5m}]
"""


def scenario(count: int) -> str:
    """A pod that another one preempts, where there is one node only."""
    spec = {"until": "60s", "nodes": nodes(count), "manifests": THERE, "steps": [URGENT]}
    return json.dumps({**HEADER, "spec": spec})


def state(directory: Path, *names: str) -> str:
    directory.mkdir()
    objects = [*(node(name, "4") for name in names), *THERE]
    for number, obj in enumerate(objects):
        (directory / f"{number}.json").write_text(json.dumps(obj))
    return str(directory)


@pytest.fixture(params=["configurations", "policies", "states", "scenarios", "recordings"])
def sides(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """One side in which `low` is preempted, and another one in which it isn't."""
    for count in (1, 2):
        (tmp_path / f"{count}.json").write_text(scenario(count))
    played = ["-s", str(tmp_path / "1.json")]
    other = tmp_path / "other.yaml"
    match request.param:
        case "configurations" | "policies":
            other.write_text(NO_PREEMPTION if request.param == "configurations" else PATIENT)
            return ["default", str(other), *played]
        case "states":
            return [state(tmp_path / "one", "a"), state(tmp_path / "two", "a", "b"), *played]
        case "scenarios":
            return [str(tmp_path / f"{count}.json") for count in (1, 2)]
        case _:
            for count in (1, 2):
                record(tmp_path / f"recorded-{count}", scenario(count))
            return [str(tmp_path / f"recorded-{count}") for count in (1, 2)]


def compare(*arguments: str) -> Result:
    several = () if "recorded-1" in "".join(arguments) else ("--seeds", "1", "--workers", "1")
    return CliRunner().invoke(app, ["compare", *arguments, *several])


def test_two_of_a_sort(sides: list[str]) -> None:
    result = compare(*sides, "-o", "json", "--fail-on", "preempted")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert faults("Comparison", report) == []
    (preempted,) = (one for one in report["differences"] if one["measure"] == "preempted")
    assert (preempted["a"], preempted["b"]) == (1, 0)
    (low,) = (one for one in report["pods"] if one["pod"] == "default/low")
    assert low["a"][0]["what"] == "preempted"
    first, second, *more = sides
    assert compare(second, first, *more, "--fail-on", "preempted").exit_code == 2
    unknown = compare(*sides, "--fail-on", "utilisation")
    assert unknown.exit_code == 1
    assert "no run has utilisation, but utilisation.cpu" in unknown.output
