"""`podium decide`: scenarios as JSON Lines in, decisions as JSON Lines out."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from podium.cli.collecting import collect_rarely
from podium.decide.stream import answers, eviction_answers


def decide(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Scenarios, a JSON object a line; standard input if there is none.",
            exists=True,
            dir_okay=False,
            allow_dash=True,
        ),
    ] = None,
    eviction: Annotated[
        bool, typer.Option("--eviction", help="The lines ask about node-pressure eviction.")
    ] = False,
) -> None:
    """Decide recorded scenarios: the machine interface to the core.

    Every line is answered by one line, in order. A line that can't be decided is answered with an
    `error`, and the rest goes on.
    """
    collect_rarely()
    out = sys.stdout.buffer
    decided = eviction_answers if eviction else answers
    for answer in decided(_lines(files or [Path("-")])):
        out.write(answer + b"\n")
        out.flush()


def _lines(files: list[Path]) -> Iterator[bytes]:
    for file in files:
        if str(file) == "-":
            yield from sys.stdin.buffer
            continue
        with file.open("rb") as opened:
            yield from opened
