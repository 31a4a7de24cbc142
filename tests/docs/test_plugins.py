"""docs/plugins.md shows the files of its example, whose transcript runs them."""

import tomllib
from importlib import import_module

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Block, parts

EXAMPLE = ROOT / "examples" / "fleet-plugins"
BLOCKS = [part for part in parts((ROOT / "docs/plugins.md").read_text()) if isinstance(part, Block)]


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.title], ids=lambda block: block.title)
def test_a_block_with_a_title_is_a_file_of_the_example(block: Block) -> None:
    assert (EXAMPLE / block.title).read_text() == block.text


def test_names_are_those_of_the_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["podium.plugins"]
    assert {*points} == {"Maintenance", "OneTenant", "Seats"}
    for name, place in points.items():
        module, _, cls = place.partition(":")
        assert getattr(import_module(module), cls).name == name
