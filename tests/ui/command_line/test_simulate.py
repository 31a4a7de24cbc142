"""`podium simulate`: exit codes, options, and what goes where."""

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
  steps: [{at: 5s, cordon: 'n'}, {at: 10s, assert: [{node: 'n', is: STATE}]}]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text(_SCENARIO.replace("STATE", "cordoned"))
    return path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["simulate", *arguments], input=stdin, env={"NO_COLOR": "1"})


def test_a_failed_assertion_ends_with_2(scenario: Path) -> None:
    scenario.write_text(_SCENARIO.replace("STATE", "gone"))
    result = run(str(scenario))
    assert result.exit_code == 2
    assert "FAILED: node n is gone, but it is there (spec.steps[1])" in result.stdout


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


def test_until_counts_instead_of_the_scenario(scenario: Path) -> None:
    report = json.loads(run(str(scenario), "-o", "json", "--until", "1m").stdout)
    assert report["seconds"] == 60.0
    result = run(str(scenario), "--until", "soon")
    assert result.exit_code == 1
    assert "--until: soon: must be a duration such as 10m" in result.stderr


def test_a_scenario_may_come_from_standard_input() -> None:
    result = run("-", stdin=_SCENARIO.replace("STATE", "cordoned"))
    assert result.exit_code == 0


_SICK = """apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  capacity: {cpu: "1", memory: 1Gi, pods: "10"}
  conditions: [{type: Ready, status: "False"}]
"""
_UNHEALTHY = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  manifests: [n.yaml]
  assumeHealthy: ASSUMED
  steps: [{at: 10s, assert: [{node: n1, is: ready}]}]
"""


@pytest.mark.parametrize(
    ("assumed", "options", "exit_code"),
    [("false", (), 2), ("true", (), 0), ("false", ("--assume-healthy",), 0)],
)
def test_what_is_not_healthy_stays_so_unless_it_is_assumed_to_be(
    tmp_path: Path, assumed: str, options: tuple[str, ...], exit_code: int
) -> None:
    (tmp_path / "n.yaml").write_text(_SICK)
    path = tmp_path / "s.yaml"
    path.write_text(_UNHEALTHY.replace("ASSUMED", assumed))
    assert run(str(path), *options).exit_code == exit_code


def test_a_recording_is_played_as_it_was(tmp_path: Path) -> None:
    result = run("--recording", str(tmp_path), "--assume-healthy")
    assert result.exit_code == 1
    assert "--recording can't be combined with --assume-healthy" in result.stderr
