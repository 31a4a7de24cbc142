r"""Golden transcripts: Markdown in which console blocks show commands and what they print.

A block looks like a terminal:

    ```console
    $ podium plan -f STATE \
        --apply FILE
    what it prints
    [exit code 2]
    ```

A command goes on after a backslash at the end of its line. A line `...` stands for the rest of an
output. The exit code stands at the end unless it is 0. Everything outside of such blocks is prose,
and kept as it is.
"""

import runpy
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from unittest.mock import patch

from typer.testing import CliRunner

from podium.ui.command_line.main import app
from tests.conftest import ROOT

OPENING, CLOSING = "```console", "```"
PROMPT, REST, EXIT_CODE = "$ ", "...", "[exit code "
# What is set where the tests run changes nothing.
ENVIRONMENT = {"NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}

Runner = Callable[[str], str]


class BadTranscriptError(ValueError):
    """A transcript isn't written as one is written."""


def replayed(text: str, run: Runner) -> str:
    """The transcript, with the output of each command replaced by what `run` returns for it."""
    return "\n".join(_replayed_lines(iter(text.split("\n")), run))


def commands(text: str) -> list[str]:
    """The commands of a transcript, each on one line."""
    found: list[str] = []

    def note(command: str) -> str:
        found.append(command)
        return ""

    replayed(text, note)
    return found


def run(command: str) -> str:
    """What a command prints, run in process at the top of the repository.

    `podium ...` gives output and errors in the order in which they come, as on a terminal.
    `python FILE ...` is for examples that use the package.
    """
    program, *arguments = shlex.split(command)
    with chdir(ROOT):
        if program == "podium":
            return _run_podium(arguments)
        if program == "python":
            return _run_file(arguments)
    raise BadTranscriptError(f"neither `podium ...` nor `python FILE ...`: {command}")


def _replayed_lines(lines: Iterator[str], run: Runner) -> Iterator[str]:
    for line in lines:
        yield line
        if line == OPENING:
            yield from _replayed_block(lines, run)


def _replayed_block(lines: Iterator[str], run: Runner) -> Iterator[str]:
    for number, (shown, old) in enumerate(_shown_commands(lines)):
        if number:
            yield ""
        yield from shown
        command = " ".join(part.rstrip("\\").strip() for part in shown)
        new = run(command.removeprefix(PROMPT)).splitlines()
        if REST in old:
            exit_code = [line for line in new[-1:] if line.startswith(EXIT_CODE)]
            new = [*new[: old.index(REST)], REST, *exit_code]
        yield from new
    yield CLOSING


def _shown_commands(lines: Iterator[str]) -> list[tuple[list[str], list[str]]]:
    """The lines of each command of a block, with those of its output."""
    found: list[tuple[list[str], list[str]]] = []
    for line in lines:
        if line == CLOSING:
            return found
        if line.startswith(PROMPT):
            shown = [line]
            while shown[-1].endswith("\\"):
                shown.append(next(lines, ""))
            found.append((shown, []))
        elif found:
            found[-1][1].append(line)
        else:
            raise BadTranscriptError(f"a block starts with something else than a command: {line}")
    raise BadTranscriptError("the last block isn't closed")


def _run_podium(arguments: list[str]) -> str:
    result = CliRunner().invoke(app, arguments, env=ENVIRONMENT, prog_name="podium")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    lines = result.output.splitlines()
    return "\n".join([*lines, f"{EXIT_CODE}{result.exit_code}]"] if result.exit_code else lines)


def _run_file(arguments: list[str]) -> str:
    out = StringIO()
    with redirect_stdout(out), patch.object(sys, "argv", arguments):
        runpy.run_path(arguments[0], run_name="__main__")
    return out.getvalue()
