"""The examples in the help of commands: each can be parsed, and fits a terminal."""

import shlex

import pytest
import typer

from podium.ui.command_line.main import COMMANDS, app
from podium.ui.command_line.options.examples import EXAMPLES

LINES = [(command, line) for command, lines in EXAMPLES.items() for line in lines]


@pytest.mark.parametrize(("command", "line"), LINES)
def test_an_example_is_parsed(command: str, line: str) -> None:
    group = typer.main.get_group(app)
    parsed = []
    for part in line.split(" | "):
        program, called, *arguments = shlex.split(part)
        assert program == "podium"
        found = group.get_command(typer.Context(group), called)
        context = typer.Context(found, info_name=called)
        left = found.make_parser(context).parse_args(args=arguments)[1]
        takes = [one for one in found.get_params(context) if one.param_type_name == "argument"]
        assert not left or takes
        parsed.append(called)
    assert parsed[0] == command


def test_every_command_has_an_example() -> None:
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_ends_with_them(podium, command: str) -> None:
    told = podium(command, "--help", COLUMNS="80", TERMINAL_WIDTH="80").stdout.splitlines()
    examples = [f"    {line}" for line in EXAMPLES[command]]
    assert [line.rstrip() for line in told][-len(examples) :] == examples
    assert max(map(len, told)) <= 80
