"""What is printed may be read by nobody to its end."""

import os
import subprocess
import sys

import pytest

from tests.objects import node, pod


@pytest.mark.parametrize("output", ["table", "json", "yaml"])
@pytest.mark.parametrize(("condition", "code"), [([], 0), (["--fail-on", "pending"], 2)])
def test_who_stops_reading_is_not_an_error(
    write, output: str, condition: list[str], code: int
) -> None:
    state = write("state.yaml", node("node", "1"), *(pod(f"p{n}") for n in range(3)))
    ended = unread("plan", "-f", state, "-o", output, *condition)
    assert ended.returncode == code
    # A gate says nevertheless what it found.
    assert ended.stderr.startswith("failed on pending: ") if code else ended.stderr == ""


def test_decisions_that_nobody_reads_are_not_made() -> None:
    ended = unread("decide", stdin='{"pending": []}\n' + "not JSON\n" * 2)
    assert (ended.returncode, ended.stderr) == (0, "")


def unread(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A command that has ended, and whose output nobody has read."""
    read, written = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-m", "podium", *arguments],
            input=stdin,
            stdout=written,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(written)
