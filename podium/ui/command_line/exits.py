"""How commands end: their exit codes, errors, and Ctrl-C."""

from typing import NoReturn

import typer
from rich.text import Text

from podium.ui.questions.question import FAILED_EXIT_CODE, INTERRUPTED_EXIT_CODE
from podium.ui.writers.console import console

_LINE_LENGTH_MAX = 2_000


def fail(error: object) -> NoReturn:
    """Print an error, line by line, and exit."""
    err = console(stderr=True)
    part = _LINE_LENGTH_MAX // 2
    for line in str(error).splitlines():
        if len(line) > _LINE_LENGTH_MAX:
            # Such as a number of thousands of digits.
            line = f"{line[:part]} … {line[-part:]}"
        err.print(Text.assemble(("error:", "bold red"), f" {line}"))
    raise typer.Exit(FAILED_EXIT_CODE)


def give_up(why: str) -> NoReturn:
    """Exit after Ctrl-C, and say what is left."""
    console(stderr=True).print(Text(f"interrupted: {why}" if why else "interrupted"))
    raise typer.Exit(INTERRUPTED_EXIT_CODE)
