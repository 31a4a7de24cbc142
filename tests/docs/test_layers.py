"""The layers that CONTRIBUTING shows are those of the contracts."""

import re
import tomllib

from tests.conftest import ROOT


def test_the_layers_shown_are_those_of_the_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (one["layers"] for one in contracts["contracts"] if one["id"] == "layers")
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2]
    shown = section.split("```")[1].strip().splitlines()
    assert shown == [re.sub(r"[()]", "", layer).replace(" | ", ", ") for layer in layers]


def test_every_package_has_a_row_in_the_folders() -> None:
    folders = (ROOT / "docs/architecture.md").read_text().partition("## The folders")[2]
    table = folders.partition("\n### ")[0]
    packages = {path.parent.name for path in (ROOT / "podium").glob("*/__init__.py")}
    assert {name for name in packages if f"| `{name}/`" not in table} == set()
