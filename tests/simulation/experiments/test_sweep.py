"""Sweeps: the same bytes however they are played, and wherever they were stopped."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from pyarrow import parquet
from rich.console import Console
from typer.testing import CliRunner

from podium.simulation.experiments.executors import LocalExecutor
from podium.simulation.experiments.sweep.sweep import play_sweep, read_scenarios
from podium.simulation.experiments.sweep.sweep_file import read_sweep
from podium.simulation.experiments.sweep.sweep_report import Trial
from podium.simulation.experiments.sweep.trial_journal import NAME
from podium.ui.command_line.main import app
from tests.conftest import ROOT
from tests.processes import end_with_tests
from tests.simulation.experiments.sweeps import SETTINGS, Played, files, lines_of, play, write_sweep
from tests.ui.schemas.test_outputs import faults

SEARCH = [
    {
        "name": "cpu",
        "path": "spec.nodes[0].capacity.cpu",
        "range": {"from": 2, "to": 9, "text": "{}"},
    },
    {"name": "startup", "path": "spec.pods.startup", "values": ["1s", "5s"]},
]


def test_a_killed_sweep_goes_on_to_the_same_bytes(played: Played, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "podium", "sweep", str(played.file), "--out", str(out)]
    process = subprocess.Popen([*command, "--workers", "1"], start_new_session=True, cwd=ROOT)
    try:
        # Whether it is over by then doesn't matter.
        while process.poll() is None and lines_of(out) < 3:
            time.sleep(0.01)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert lines_of(out) >= 3
    assert play(played.file, out, "--workers", "2") == played.printed
    assert files(out) == files(played.out)


def test_what_it_leaves(played: Played) -> None:
    names = {NAME, "plot.png", "report.html", "report.json", "report.md", "runs.parquet"}
    assert {*files(played.out)} == names
    rows = parquet.read_table(played.out / "runs.parquet").to_pylist()
    assert len(rows) == 8
    values = {(row["settings.nodes"], row["settings.class"]) for row in rows}
    assert values == {(1, 9), (1, -9), (2, 9), (2, -9)}
    assert all(row["error"] == "" and row["pods"] > 0 for row in rows)
    report = json.loads((played.out / "report.json").read_text())
    assert json.loads(played.printed) == report
    assert faults("SweepReport", report) == []
    objectives = [one["objective"] for one in report["trials"]]
    assert objectives == sorted(objectives)
    assert report["worstRun"]["trial"] == report["trials"][0]["trial"]["number"]


def test_what_is_known_is_not_played_again(played: Played, tmp_path: Path) -> None:
    first, second, *rest = (played.out / NAME).read_bytes().splitlines(keepends=True)
    changed = second.replace(b'"pods":', b'"pods":1')
    (tmp_path / NAME).write_bytes(first + changed)
    replay(played.file, tmp_path)
    assert (tmp_path / NAME).read_bytes().splitlines(keepends=True) == [first, changed, *rest]


def test_a_search_goes_on_where_it_was(tmp_path: Path) -> None:
    search = {"trials": 6, "atOnce": 2, "seed": 3}
    objective = {"maximize": "utilisation.cpu"}
    file = write_sweep(tmp_path, settings=SEARCH, search=search, objective=objective)
    trials = replay(file, tmp_path / "a")
    assert len({tuple(one.settings.items()) for one in trials}) > 3
    lines = (tmp_path / "a" / NAME).read_bytes().splitlines(keepends=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / NAME).write_bytes(b"".join(lines[:4]))
    assert replay(file, tmp_path / "b", workers=2) == trials
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(lines) == 7


def test_a_bar_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_sweep(tmp_path, settings=SETTINGS)
    seen = io.StringIO()
    terminal = Console(file=seen, force_terminal=True, width=80)
    monkeypatch.setattr("podium.ui.writers.terminal.console", lambda **_: terminal)
    assert CliRunner().invoke(app, ["sweep", str(file)]).exit_code == 0
    assert "4/4" in seen.getvalue()


def test_failures_are_told_by_item_and_stop_nothing_else(tmp_path: Path) -> None:
    settings = [{"name": "nodes", "path": "spec.nodes[0].count", "values": [1, -1, 2]}]
    file = write_sweep(tmp_path, settings=settings, objective={"minimize": "neverPlaced"})
    result = CliRunner().invoke(app, ["sweep", str(file), "-o", "json"])
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    (failed,) = report["failed"]
    assert (failed["trial"], failed["seed"]) == (2, 0)
    assert "spec.nodes[0].count" in failed["error"]
    assert [one["rank"] for one in report["trials"]] == [1, 2, None]
    assert CliRunner().invoke(app, ["sweep", str(file)]).exit_code == 1


@pytest.mark.parametrize(
    ("measure", "reach", "code", "told"),
    [
        ("preempted", "99", 0, "the best preempted, "),
        ("preempted", "-1", 2, "the best preempted, "),
        ("preempted.hihg", "99", 1, "spec.objective: no run has preempted.hihg, but preempted"),
        (None, "99", 1, "--reach: the sweep has no objective"),
    ],
)
def test_a_sweep_as_a_gate(
    tmp_path: Path, measure: str | None, reach: str, code: int, told: str
) -> None:
    objective = {"minimize": measure} if measure else None
    file = write_sweep(tmp_path, settings=[{**SETTINGS[0], "values": [1]}], objective=objective)
    result = CliRunner().invoke(app, ["sweep", str(file), "--workers", "1", "--reach", reach])
    assert result.exit_code == code
    assert told in result.output


def test_another_sweep_leaves_the_directory_alone(played: Played, tmp_path: Path) -> None:
    file = write_sweep(tmp_path, seeds=3, settings=SETTINGS)
    before = files(played.out)
    assert "belongs to another sweep" in play(file, played.out, code=1)
    assert files(played.out) == before


def replay(file: Path, out: Path, workers: int = 1) -> list[Trial]:
    """The trials of a sweep, with its journal and without its other files."""
    sweep = read_sweep(str(file))
    scenarios = read_scenarios(sweep, 10_000)
    return play_sweep(sweep, scenarios, LocalExecutor(workers), out, lambda _: None)


_PATIENCE_S = 240.0


@contextmanager
def started(directory: Path, name: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed in the end; what it says is in a file."""
    patience = f"{_PATIENCE_S:g}s"
    timeouts = {"CONNECT": patience, "TCP": patience}
    settings = {
        f"DASK_DISTRIBUTED__COMM__TIMEOUTS__{name}": told for name, told in timeouts.items()
    }
    with (directory / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=log,
            stderr=log,
            preexec_fn=end_with_tests,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def wait_until(what: object, *, alive: subprocess.Popen[bytes]) -> None:
    """Wait for something to become true, as long as the process lives."""
    assert callable(what)
    deadline_s = time.monotonic() + _PATIENCE_S
    while not what() and alive.poll() is None:
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def is_registered(log: Path) -> bool:
    """Whether the worker that writes this log has found its scheduler."""
    return b"Registered to" in log.read_bytes()


def address_in(file: Path) -> str:
    """The address of the scheduler that writes this file; empty as long as it hasn't."""
    text = file.read_text() if file.exists() else ""
    return str(json.loads(text)["address"]) if text.rstrip().endswith("}") else ""


# Processes of another project by the clock: a second try, which the summary tells.
@pytest.mark.flaky(reruns=1)
def test_a_lost_worker_changes_nothing(played: Played, tmp_path: Path) -> None:
    found, out = tmp_path / "scheduler.json", tmp_path / "dask"
    dask = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    worker = ("distributed.cli.dask_worker", "--scheduler-file", str(found), "--nthreads", "1")
    quiet = ("--no-dashboard",)
    with ExitStack() as cluster:
        scheduler = cluster.enter_context(
            started(tmp_path, "scheduler", *dask, *quiet, "--scheduler-file", str(found))
        )
        wait_until(lambda: address_in(found), alive=scheduler)
        first, second = (
            cluster.enter_context(
                started(tmp_path, name, *worker, *quiet, "--no-nanny", "--host", "127.0.0.1")
            )
            for name in ("first", "second")
        )
        for name, process in (("first", first), ("second", second)):
            wait_until(partial(is_registered, tmp_path / f"{name}.log"), alive=process)
        sweep = cluster.enter_context(
            started(
                tmp_path,
                "sweep",
                "podium",
                "sweep",
                str(played.file),
                "--out",
                str(out),
                "--dask",
                address_in(found),
            )
        )
        # Which of the two has done how much by then doesn't matter.
        wait_until(lambda: lines_of(out) >= 3, alive=sweep)
        first.kill()
        assert sweep.wait(_PATIENCE_S) == 0, (tmp_path / "sweep.log").read_text()
    assert files(out) == files(played.out)
    assert lines_of(out) == 9


def test_a_cluster_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.simulation.experiments.executors._timeout_s", lambda: 0.2)
    file = write_sweep(tmp_path, settings=SETTINGS)
    command = ["sweep", str(file), "--dask", "tcp://127.0.0.1:1", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert "--dask tcp://127.0.0.1:1: can't be reached" in result.output
    assert lines_of(tmp_path / "out") == 1
    assert (tmp_path / "out" / NAME).exists()
