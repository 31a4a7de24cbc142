"""How commands end: their exit codes, errors, and Ctrl-C."""

from typing import NoReturn

import typer
from rich.text import Text

from podium.ui.writers.console import console

ERROR_EXIT_CODE = 1
FAILED_ON_EXIT_CODE = 2
# As shells have it of a command that Ctrl-C has ended.
INTERRUPTED_EXIT_CODE = 130

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
    raise typer.Exit(ERROR_EXIT_CODE)


def give_up() -> NoReturn:
    """Exit after Ctrl-C."""
    console(stderr=True).print(Text("interrupted"))
    raise typer.Exit(INTERRUPTED_EXIT_CODE)
