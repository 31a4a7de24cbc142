"""`podium simulate`: seeds, faults of a machine, and standard input."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from podium.controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from podium.ui.command_line.main import app

_SCENARIO = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  nodes: [{name: 'n', capacity: {cpu: "1"}}]
  steps: [{at: 5s, cordon: 'n'}, {at: 10s, assert: [{node: 'n', is: cordoned}]}]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(_SCENARIO)
    return path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["simulate", *arguments], input=stdin, env={"NO_COLOR": "1"})


def test_json_is_the_same_for_the_same_seed(scenario: Path) -> None:
    first, second = run(str(scenario), "-o", "json"), run(str(scenario), "-o", "json")
    assert first.stdout == second.stdout
    report = json.loads(run(str(scenario), "-o", "json", "--seed", "9").stdout)
    assert (report["kind"], report["apiVersion"]) == ("Simulation", "podium.dev/v1alpha1")
    assert report["seed"] == 9
    assert report["seconds"] == 10.0


def test_a_bug_ends_with_1_and_says_where(scenario: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reconcile(self: object, key: object, now_s: float) -> object:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(NodeLifecycleController, "reconcile", reconcile)
    result = run(str(scenario))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error: machine node-lifecycle-controller failed at " in result.stderr
    assert ": ZeroDivisionError: a bug (test_simulate.py:" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_scenario_may_come_from_standard_input() -> None:
    result = run("-", stdin=_SCENARIO)
    assert result.exit_code == 0
