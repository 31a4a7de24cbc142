"""Runs over time: as HTML, as pictures, and as tables."""

import csv
import io
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from typer.testing import CliRunner, Result

from podium.ui.command_line.main import app
from tests.conftest import ROOT

SCENARIOS = ROOT / "examples" / "scenarios"
PNG = b"\x89PNG\r\n"


def simulate(name: str, output: str) -> Result:
    return CliRunner().invoke(app, ["simulate", str(SCENARIOS / f"{name}.yaml"), "-o", output])


def test_the_numbers_of_a_run_as_csv() -> None:
    result = simulate("proposal-1", "csv")
    rows = [*csv.DictReader(io.StringIO(result.stdout))]
    assert [*rows[0]] == ["seconds", "measure", "of", "name", "value"]
    found = {(row["measure"], row["name"]): [] for row in rows}
    for row in rows:
        found[row["measure"], row["name"]].append((float(row["seconds"]), float(row["value"])))
    assert found["preempted", "priority-100"] == [(0, 0), (10, 2)]
    assert found["pending", "priority-1000"] == [(10, 1), (70, 0)]
    assert found["waited", "priority-1000"] == [(10, 60)]
    assert found["neverPlaced", "priority-50"] == [(10, 62)]
    assert {of["of"] for of in rows} == {"class", "node", "cluster"}


def test_parquet_has_the_same() -> None:
    rows = [*csv.reader(io.StringIO(simulate("proposal-1", "csv").stdout))][1:]
    table = parquet.read_table(pyarrow.BufferReader(simulate("proposal-1", "parquet").stdout_bytes))
    assert [[*map(str, row.values())] for row in table.to_pylist()] == [
        [str(float(row[0])), *row[1:4], str(float(row[4]))] for row in rows
    ]


def test_a_picture_is_the_same_each_time() -> None:
    first = simulate("proposal-1", "png").stdout_bytes
    assert first.startswith(PNG)
    assert first == simulate("proposal-1", "png").stdout_bytes


def test_html_is_one_file_that_says_what_failed() -> None:
    result = simulate("disappointed", "html")
    assert result.exit_code == 2
    assert "FAILED: pod large is ready" in result.stdout
    assert '<img alt="Pods, nodes and waits over time" src="data:image/png;base64,' in result.stdout
    assert "img-src data:" in result.stdout
    assert "http://" not in result.stdout


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    sides = [str(SCENARIOS / f"proposal-{number}.yaml") for number in (3, 4)]
    compare = ["compare", *sides, "--seeds", "1", "-o"]
    assert CliRunner().invoke(app, [*compare, "png"]).stdout_bytes.startswith(PNG)
    assert "proposal-3, seed 0, side by side" in CliRunner().invoke(app, [*compare, "html"]).stdout


@pytest.mark.parametrize("output", ["png", "parquet"])
def test_bytes_are_not_for_a_terminal(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.ui.command_line.ask.is_terminal", lambda: True)
    result = simulate("one-pod", output)
    assert result.exit_code == 1
    assert "isn't for a terminal" in result.output
