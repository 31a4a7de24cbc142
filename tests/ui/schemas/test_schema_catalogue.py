"""Schemas: of the types as they are, and as files in the documentation."""

import os

import msgspec
import pytest

from podium.ui.schemas import NAMES, schema
from tests.conftest import ROOT

FILES = ROOT / "docs" / "schemas"


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_type(name: str) -> None:
    text = msgspec.json.format(msgspec.json.encode(schema(name)), indent=2).decode() + "\n"
    file = FILES / f"{name}.json"
    if os.environ.get("UPDATE"):
        file.write_text(text)
    assert file.read_text() == text, "UPDATE=1 pytest tests/ui/schemas writes the files of schemas"


def test_each_file_has_a_type() -> None:
    assert {path.stem for path in FILES.glob("*.json")} == {*NAMES}


def test_schemas_say_what_a_scenario_may_hold() -> None:
    spec = schema("Scenario")["$defs"]["Spec"]["properties"]
    assert {"nodes", "manifests", "steps"} <= spec.keys()
    step = schema("Scenario")["$defs"]["StepDocument"]["properties"]
    assert {"drain", "assert", "within"} <= step.keys()
