"""The command: what it prints, and what it does about names that it doesn't know."""

import json

import pytest
from typer.testing import CliRunner

from podium.simulation.benchmarks.catalogue import WORKLOADS
from podium.simulation.benchmarks.results import Latency, Result
from podium.ui.command_line.main import app

FIELDS = {"workload", "nodes", "pods", "podsPerSecond", "latencyMs", "peakMemoryMiB"}


def test_list_names_all_workloads() -> None:
    result = CliRunner().invoke(app, ["bench", "--list"])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [workload.name for workload in WORKLOADS]


def test_list_narrows_down() -> None:
    result = CliRunner().invoke(app, ["bench", "--list", "PreemptionAsync/50"])
    assert result.stdout.splitlines() == ["PreemptionAsync/500Nodes", "PreemptionAsync/5000Nodes"]


def test_json() -> None:
    result = CliRunner().invoke(app, ["bench", "-o", "json", "PreemptionBasic/5Nodes"])
    assert result.exit_code == 0
    (found,) = json.loads(result.stdout)
    assert found.keys() == FIELDS
    assert found["latencyMs"].keys() == {"p50", "p99"}
    assert (found["workload"], found["nodes"], found["pods"]) == ("PreemptionBasic/5Nodes", 5, 5)


def test_table() -> None:
    result = CliRunner().invoke(app, ["bench", "PreemptionBasic/5Nodes"])
    assert result.exit_code == 0
    title, heading, row = result.stdout.rstrip().splitlines()
    assert title == "RESULTS"
    assert heading.split()[:4] == ["WORKLOAD", "NODES", "PODS", "PREEMPTIONS"]
    assert row.split()[:4] == ["PreemptionBasic/5Nodes", "5", "5", "5"]


def test_a_disturbed_measurement_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    disturbed = Result("SchedulingBasic/5Nodes", 5, 10, 1.0, Latency(1.0, 1.0), 1.0, 0, 0.25)
    monkeypatch.setattr("podium.simulation.benchmarks.runner.measure_apart", lambda _: disturbed)
    result = CliRunner().invoke(app, ["bench", "-o", "json", "SchedulingBasic/5Nodes"])
    assert [found["workload"] for found in json.loads(result.stdout)] == ["SchedulingBasic/5Nodes"]
    assert "only 25% of its time" in result.stderr


def test_an_unknown_name_is_an_error() -> None:
    result = CliRunner().invoke(app, ["bench", "SchedulngBasic"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        "error: no workload is called SchedulngBasic: did you mean SchedulingBasic?\n"
    )
