"""The layers that CONTRIBUTING shows are those of the contracts."""

import tomllib

from tests.conftest import ROOT


def test_the_layers_shown_are_those_of_the_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (one["layers"] for one in contracts["contracts"] if one["id"] == "rooms")
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Layers")[2]
    shown = section.split("```")[1].strip().splitlines()
    assert shown == [layer.replace(" | ", ", ") for layer in layers]


def test_every_room_has_a_row() -> None:
    rooms = (ROOT / "docs/architecture.md").read_text().partition("## The rooms")[2]
    table = rooms.partition("\n### ")[0]
    packages = {path.parent.name for path in (ROOT / "podium").glob("*/__init__.py")}
    assert {name for name in packages if f"| `{name}/`" not in table} == set()
