"""Processes that tests start."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)
_PODIUM = (sys.executable, "-m", "podium")


def end_with_tests() -> None:
    """As `preexec_fn` of a process: where the tests are killed, Linux kills it, too."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start_podium(log: Path, *arguments: str, **environment: str) -> "subprocess.Popen[bytes]":
    """Start a command of Podium, whose output goes to a file."""
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    with log.open("ab") as file:
        return subprocess.Popen(
            [*_PODIUM, *arguments],
            stdout=file,
            stderr=file,
            env=variables,
            preexec_fn=end_with_tests,
        )


def run_podium(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of Podium to its end."""
    variables = {**os.environ, **environment}
    return subprocess.run(
        [*_PODIUM, *arguments],
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
