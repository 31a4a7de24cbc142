"""A sweep on a real Dask cluster, of which a worker is killed half-way."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podium.simulation.experiments.sweep.trial_journal import NAME
from podium.ui.command_line.main import app
from tests.conftest import ROOT
from tests.processes import end_with_tests
from tests.simulation.experiments.sweeps import SETTINGS, Played, files, lines_of, write_sweep

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
