"""The page about `podium decide` has an answer that is given, and names all fields."""

import json

from typer.testing import CliRunner

from podium.simulation.decide.scenario import DecisionScenario
from podium.simulation.decide.stream import answers
from podium.ui.command_line.main import app
from tests.conftest import ROOT
from tests.docs.markdown import Block, parts

PAGE = ROOT / "docs" / "decide.md"


def test_the_example_is_answered_so() -> None:
    blocks = [part for part in parts(PAGE.read_text()) if isinstance(part, Block)]
    scenario, answer = (json.loads(block.text) for block in blocks)
    (given,) = answers([json.dumps(scenario).encode()])
    assert json.loads(given) == answer


def test_all_fields_are_named() -> None:
    text = PAGE.read_text()
    fields = [field.alias or name for name, field in DecisionScenario.model_fields.items()]
    assert [field for field in fields if f"`{field}`" not in text] == []


def test_nothing_is_no_scenario() -> None:
    refused: list[str] = []
    (given,) = answers([b"{}"], refused.append)
    assert refused == [json.loads(given)["error"]] == ["line 1: pending: Required value"]
    result = CliRunner().invoke(app, ["decide"], input="{}\n")
    assert (result.exit_code, result.stderr) == (1, f"error: stdin: {refused[0]}\n")
