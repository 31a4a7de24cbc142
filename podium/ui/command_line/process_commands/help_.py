"""`podium help`: what commands there are, and what they take."""

from typing import Any

import typer

from podium.ui.inputs.option import place, question


@question
class HelpOptions:
    """What help is asked about."""

    command: str | None = place(
        "The command to tell about.", metavar="[COMMAND]", completes="commands", default=None
    )


def help_(asked: HelpOptions, ctx: typer.Context) -> None:
    """Tell what a command does and takes, as its --help does; without one, which there are."""
    parent = ctx.parent
    if parent is None:
        raise RuntimeError("help is a command among others")
    if asked.command is None:
        print(parent.get_help())
        return
    group: Any = parent.command
    name, found, _ = group.resolve_command(parent, [asked.command])
    # Prints the help, and exits.
    found.make_context(name, ["--help"], parent=parent)
