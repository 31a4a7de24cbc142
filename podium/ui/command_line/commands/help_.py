"""`podium help`: what commands there are, and what they take."""

from typing import Annotated, Any

import typer


def _commands(ctx: typer.Context) -> list[str]:
    group: Any = ctx.parent and ctx.parent.command
    return [*group.list_commands(ctx)]


def help_(
    ctx: typer.Context,
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="[COMMAND]",
            help="The command to tell about.",
            autocompletion=_commands,
        ),
    ] = None,
) -> None:
    """Tell what a command does and takes, as its --help does; without one, which there are."""
    parent = ctx.parent
    if parent is None:
        raise RuntimeError("help is a command among others")
    if command is None:
        print(parent.get_help())
        return
    group: Any = parent.command
    name, found, _ = group.resolve_command(parent, [command])
    # Prints the help, and exits.
    found.make_context(name, ["--help"], parent=parent)
