"""`podium help`: the help of a command, or the list of the commands."""

from typing import Any

import typer

from podium.ui.inputs.option import place, question


@question
class HelpOptions:
    """Options of `podium help`."""

    command: str | None = place(
        "Command to describe. [default: list all commands]",
        metavar="COMMAND",
        completes="commands",
        default=None,
    )


def help_(asked: HelpOptions, ctx: typer.Context) -> None:
    """Print the help of a command, as its --help does, or the list of all commands."""
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
