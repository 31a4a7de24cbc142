"""The command `podium`, also installed as `kubectl-podium`.

Exit codes: 0 done, 1 an error, 2 a condition of `--fail-on` was met. Wrong usage is an error, too.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from shlex import quote
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from podium.api.errors import PodiumError
from podium.api.process.python_garbage_collection import collect_rarely
from podium.api.release import __version__
from podium.api.values.message_words import escaped
from podium.ui.command_line.command_builder import OrderedCommand, command_of
from podium.ui.command_line.options.examples import epilog
from podium.ui.command_line.output_streams import pipe_may_break, terminal_guarded
from podium.ui.command_line.process_commands.version import VersionCommand
from podium.ui.commands import QUESTIONS
from podium.ui.commands.question import FAILED_EXIT_CODE, INTERRUPTED_EXIT_CODE

# A command asks its question in QUESTIONS, or runs the class in the module of process_commands/
# with its name, such as NodeTokenCommand in node_token.py. Such a module has little more than
# options, and is imported with its command; what the command works with is imported when it runs.
# So neither help nor completion waits for the control plane.
COMMANDS = (
    "up",
    "down",
    "node",
    "node-token",
    "scheduler",
    "snapshot",
    "record",
    "top",
    "plan",
    "explain",
    "capacity",
    "lint",
    "rollout",
    "drain",
    "fail",
    "resilience",
    "simulate",
    "compare",
    "sweep",
    "import",
    "decide",
    "bench",
    "schema",
    "version",
    "help",
)

_LINE_LENGTH_MAX = 2_000
# As kubectl has them.
_FILES, _NO_FILES = ":0", ":4"
# Typer makes one kind of usage error public; its base class is all of them.
_USAGE_ERROR: Any = typer.BadParameter.__base__


def _target(command: str) -> Any:
    if command in QUESTIONS:
        module, _, name = QUESTIONS[command].partition(":")
        return getattr(import_module(f"podium.ui.commands.{module}"), name)
    module, name = command.replace("-", "_"), f"{command.title().replace('-', '')}Command"
    return getattr(import_module(f"podium.ui.command_line.process_commands.{module}"), name)


class Commands(TyperGroup):
    """The group of all commands; a command's module is imported when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        function = command_of(_target(cmd_name))
        single.command(cmd_name, cls=OrderedCommand, epilog=epilog(cmd_name))(function)
        return typer.main.get_command(single)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands, each with its whole first sentence."""
        texts = {name: " ".join(_target(name).__doc__.split()) for name in COMMANDS}
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, re.split(r"(?<=\.) ", text)[0]) for name, text in texts.items()]
            )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command and its arguments; for an unknown command, suggest similar names."""
        try:
            return super().resolve_command(ctx, args)
        except _USAGE_ERROR as error:
            similar = get_close_matches(args[0], COMMANDS)
            if similar:
                error.message = f"{error.message} Did you mean {' or '.join(similar)}?"
            raise

    def _main_shell_completion(self, *args: Any, **asked: Any) -> None:
        with terminal_guarded():
            super()._main_shell_completion(*args, **asked)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Parse the options that precede the command, such as `--version`."""
        with _usage_is_an_error(), pipe_may_break(), terminal_guarded():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _usage_is_an_error(), pipe_may_break(), terminal_guarded():
            try:
                return super().invoke(ctx)
            except (PodiumError, KeyboardInterrupt) as error:
                raise typer.Exit(_told(error)) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain text breaks lines, where boxes would cut options short.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _told(error: BaseException) -> int:
    # Completion and most commands have no error to print.
    from rich.text import Text

    from podium.ui.writers.terminal import console

    err, part = console(stderr=True), _LINE_LENGTH_MAX // 2
    if isinstance(error, KeyboardInterrupt):
        err.print(Text(f"interrupted: {error}" if error.args else "interrupted"))
        return INTERRUPTED_EXIT_CODE
    for line in str(error).splitlines():
        if len(line) > _LINE_LENGTH_MAX:
            # Such as a number of thousands of digits.
            line = f"{line[:part]} … {line[-part:]}"
        err.print(Text.assemble(("error:", "bold red"), f" {line}"))
    return FAILED_EXIT_CODE


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"podium {__version__}")
        raise typer.Exit


@app.callback()
def podium(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Predict and explain where Kubernetes v1.36 schedules pods, and which pods it preempts."""


def app_entry() -> None:
    """Run the command that the process's arguments name."""
    # Importing makes many objects, and hardly any that go.
    collect_rarely()
    if sys.argv[1:] == ["version"]:
        # It takes no words, and reading words is what takes time.
        VersionCommand().run()
        return
    program = os.path.basename(sys.argv[0])
    app(prog_name="kubectl podium" if program.startswith("kubectl-") else "podium")


def kubectl_complete() -> None:
    """Complete `kubectl podium …`; kubectl runs this command to complete the words of a plugin.

    It prints one suggestion per line, then a code that says whether the shell offers files, too.
    """
    words = ["podium", *sys.argv[1:]]
    asked = {
        "_PODIUM_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(map(quote, words)),
        "COMP_CWORD": f"{len(words) - 1}",
    }
    os.environ.update(asked)
    output = StringIO()
    with redirect_stdout(output), suppress(SystemExit):
        app(prog_name="podium")
    offered = output.getvalue().split()
    print("\n".join([*offered, _NO_FILES if offered else _FILES]))


@contextmanager
def _usage_is_an_error() -> Iterator[None]:
    try:
        yield
    except _USAGE_ERROR as error:
        # The exit code 2, which Typer has for wrong usage, says something else here.
        error.exit_code = FAILED_EXIT_CODE
        error.message = escaped(error.message.replace("Value error, ", ""))
        raise
