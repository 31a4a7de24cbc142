"""What tests have started goes with them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT

STARTS_ONE = """
import subprocess
from tests.processes import end_with_tests
sleep = subprocess.Popen(["sleep", "600"], preexec_fn=end_with_tests)
print(sleep.pid, flush=True)
sleep.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of the death of a parent")
def test_it_is_killed_where_they_are() -> None:
    command = [sys.executable, "-c", STARTS_ONE]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        stat = Path("/proc", tests.stdout.readline().strip(), "stat")
        assert runs(stat)
        tests.kill()
    end_s = time.monotonic() + 60
    while runs(stat):
        assert time.monotonic() < end_s
        time.sleep(0.01)


def runs(stat: Path) -> bool:
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
