"""Answers in all formats, on standard output or in files."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from podium.ui.command_line.command_builder import OrderedCommand, command_of
from podium.ui.command_line.main import Commands
from podium.ui.commands import QUESTIONS
from podium.ui.commands.arguments import arguments_of
from podium.ui.commands.plan import PlanQuestion
from podium.ui.inputs.option import option
from podium.ui.library.functions import asks
from podium.ui.schemas import question_schema
from podium.ui.writers.formats import FORMATS
from tests.conftest import ROOT
from tests.objects import node, pod

SAMPLE = ROOT / "examples/openb-sample"
TRACE = [str(SAMPLE / one) for one in ("nodes.csv", "pods.csv")]


@pytest.mark.parametrize("command", QUESTIONS)
def test_every_answer_can_be_printed_in_the_same_formats(command: str) -> None:
    params = {one.name: one for one in Commands().get_command(None, command).params}
    formats = params["output"].help.removeprefix("Output format: ").strip(".").split(", ")
    assert formats[: len(FORMATS)] == [*FORMATS]
    assert "output_file" in params


@pytest.mark.parametrize("output", FORMATS)
def test_a_file_gets_what_would_be_printed(podium, write, tmp_path: Path, output: str) -> None:
    state = write("state.yaml", node("n", "1"), pod("new"))
    command = ["explain", "-f", state, "new", "-o", output]
    file = tmp_path / "answer"
    written = podium(*command, "--output-file", str(file))
    assert (written.exit_code, written.stdout) == (0, "")
    assert file.read_text() == podium(*command).stdout
    assert "new" in file.read_text()


def test_a_file_that_cant_be_written(podium, write, tmp_path: Path) -> None:
    state = write("state.yaml", node("n", "1"))
    result = podium("plan", "-f", state, "--output-file", str(tmp_path))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {tmp_path}: can't be written: ")


def test_what_once_was_a_file_still_is(podium, tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    assert podium("import", "openb", *TRACE, "-o", str(file)).stdout == ""
    assert file.read_text() == podium("import", "openb", *TRACE).stdout
    assert json.loads(podium("import", "openb", *TRACE, "-o", "json").stdout)["kind"] == "Scenario"
    assert podium("import", "openb", *TRACE, "-o", "table").stdout.startswith("Podium") is False


@pytest.mark.parametrize(
    ("command", "before", "now"),
    [
        (["lint", "-f", "examples/best-practice/state"], "text", "table"),
        (["simulate", "examples/scenarios/one-pod.yaml"], "timeline", "table"),
    ],
)
def test_old_names_of_formats(
    podium, monkeypatch: pytest.MonkeyPatch, command: list[str], before: str, now: str
) -> None:
    monkeypatch.chdir(ROOT)
    assert podium(*command, "-o", before).stdout == podium(*command, "-o", now).stdout


class Further(PlanQuestion):
    """Plan, and more."""

    thoroughly: int = option(min=1, default=2).help("How thoroughly to plan.")


def test_an_option_is_one_field_wherever_it_is_given() -> None:
    single = typer.Typer(rich_markup_mode=None)
    single.command(cls=OrderedCommand)(command_of(Further))
    shown = CliRunner().invoke(single, ["--help"], env={"TERMINAL_WIDTH": "100"}).stdout
    assert "--thoroughly" in shown
    assert "How thoroughly to plan. [default: 2; at least 1]" in " ".join(shown.split())
    ask = asks(Further, "Plan.")
    assert "thoroughly (int): How thoroughly to plan." in (ask.__doc__ or "")
    assert arguments_of(Further)["thoroughly"][0].default == 2
    schema = question_schema(Further)["properties"]["thoroughly"]
    assert schema == {
        "description": "How thoroughly to plan.",
        "type": "integer",
        "minimum": 1,
        "default": 2,
    }


def test_wide_tables_tell_of_all(podium, write) -> None:
    bare = [pod(f"p{number:02}", "10m", on="a") for number in range(60)]
    asked = ["fail", "a", "-f", write("bare.yaml", node("a"), *bare)]
    shown, wide = podium(*asked).stdout, podium(*asked, "-o", "wide").stdout
    assert "10 more, with -o wide." in shown
    assert "more, with -o wide" not in wide
    assert wide.count("default/p59") > shown.count("default/p59")
    asked = ["resilience", "a", "--no-drains", *asked[2:], "--workers", "1"]
    shown, wide = podium(*asked).stdout, podium(*asked, "-o", "wide").stdout
    assert "and 55 more" in shown
    assert "default/p59" in wide
