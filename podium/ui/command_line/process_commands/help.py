"""`podium help`: the help of a command, or the list of the commands."""

from typing import Any

import typer

from podium.ui.inputs.option import Options, option


class HelpCommand(Options):
    """Print the help of a command, as its --help does, or the list of all commands."""

    command: str | None = option("COMMAND", completes="commands", is_argument=True).help("""
        Command to describe. [default: list all commands]""")

    def run(self, ctx: typer.Context) -> None:
        parent = ctx.parent
        if parent is None:
            raise RuntimeError("help is a command among others")
        if self.command is None:
            print(parent.get_help())
            return
        group: Any = parent.command
        name, command, _ = group.resolve_command(parent, [self.command])
        # Prints the help, and exits.
        command.make_context(name, ["--help"], parent=parent)
