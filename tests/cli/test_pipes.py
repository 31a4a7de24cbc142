"""What is printed may be read by nobody to its end."""

import os
import subprocess
import sys

import pytest

from podium.cli.broken_pipe import BROKEN_PIPE_EXIT_CODE
from tests.plan.objects import node, pod


@pytest.mark.parametrize("output", ["table", "json", "yaml"])
@pytest.mark.parametrize("condition", [[], ["--fail-on", "pending"]])
def test_who_stops_reading_is_not_an_error(write, output: str, condition: list[str]) -> None:
    state = write("state.yaml", node("node", "1"), *(pod(f"p{n}") for n in range(3)))
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "podium", "plan", "-f", state, "-o", output, *condition]
    try:
        ended = subprocess.run(
            command, stdout=written, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(written)
    assert ended.stderr == ""
    assert ended.returncode == BROKEN_PIPE_EXIT_CODE
