"""Sessions, examples and answers in pages are as they stand there."""

import doctest
import json
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from podium.simulation.decide.scenario import DecisionScenario
from podium.simulation.decide.stream import answers
from podium.ui.command_line.main import app
from tests.conftest import ROOT
from tests.docs.markdown import Block, blocks

PAGES = ROOT / "docs"
PLUGINS = ROOT / "examples" / "fleet-plugins"

pytest_plugins = ["pytester"]


def test_the_session_on_the_api_runs_as_it_stands() -> None:
    text = "".join(block.text for block in blocks(PAGES / "api.md") if block.title == "session")
    told = doctest.DocTestParser().get_doctest(text, {}, "api.md", str(PAGES / "api.md"), 0)
    assert len(told.examples) > 20
    problems: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(told, out=problems.append)
    assert result.failed == 0, "\n".join(problems)


def test_the_examples_of_the_runtime_run() -> None:
    page = PAGES / "runtime.md"
    code = "\n".join(block.text for block in blocks(page) if block.language == "python")
    names: dict[str, Any] = {}
    exec(compile(code, str(page), "exec"), names)
    assert names["driver"].now_s == names["START_S"]
    assert names["handle"].machine.name == "default-scheduler"


def test_the_example_of_testing_runs_under_pytest(pytester: pytest.Pytester) -> None:
    page = PAGES / "testing-with-podium.md"
    example, manager = (block.text for block in blocks(page) if block.language == "python")
    pytester.makepyfile(test_example=example)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)
    Path("chart").mkdir()
    Path("chart/pod.yaml").write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, "
        "spec: {containers: [{name: c, image: i}]}}"
    )
    exec(compile(manager, str(page), "exec"), {})


FILES = [block for block in blocks(PAGES / "plugins.md") if block.title]


@pytest.mark.parametrize("block", FILES, ids=lambda block: block.title)
def test_a_block_with_a_title_is_a_file_of_the_plugins(block: Block) -> None:
    assert (PLUGINS / block.title).read_text() == block.text


def test_names_of_plugins_are_those_of_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGINS))
    project = tomllib.loads((PLUGINS / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["podium.plugins"]
    assert {*points} == {"Maintenance", "OneTenant", "Seats"}
    for name, place in points.items():
        module, _, cls = place.partition(":")
        assert getattr(import_module(module), cls).name == name


def test_the_scenario_of_decide_is_answered_so() -> None:
    scenario, answer = (json.loads(block.text) for block in blocks(PAGES / "decide.md"))
    (given,) = answers([json.dumps(scenario).encode()])
    assert json.loads(given) == answer


def test_all_fields_of_scenarios_to_decide_are_named() -> None:
    text = (PAGES / "decide.md").read_text()
    fields = [field.alias or name for name, field in DecisionScenario.model_fields.items()]
    assert [field for field in fields if f"`{field}`" not in text] == []


def test_nothing_is_no_scenario_to_decide() -> None:
    refused: list[str] = []
    (given,) = answers([b"{}"], refused.append)
    assert refused == [json.loads(given)["error"]] == ["line 1: pending: Required value"]
    result = CliRunner().invoke(app, ["decide"], input="{}\n")
    assert (result.exit_code, result.stderr) == (1, f"error: stdin: {refused[0]}\n")
