"""The tutorial is true: its plugins, run as it says, decide what it says.

Its blocks are written to files as they stand. What `pip install` would leave behind, metadata with
entry points, is made from its pyproject.toml; then its commands run in a process of their own.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.docs.markdown import Block, Table, parts

TUTORIAL = ROOT / "docs" / "plugins.md"
ENTRY = "from podium.ui.command_line.main import app_entry; app_entry()"
NOWHERE = "none"


@dataclass
class Claim:
    """A command of the tutorial and what it says comes of it.

    Attributes:
        command: the words after `podium`.
        rows: of the table that follows.
        messages: what is said about pods that stay pending, by name.
    """

    command: list[str]
    rows: tuple[dict[str, str], ...] = ()
    messages: dict[str, str] = field(default_factory=dict)


def claims() -> list[Claim]:
    found: list[Claim] = []
    for part in parts(TUTORIAL.read_text()):
        if isinstance(part, Block) and part.language == "sh":
            program, *words = shlex.split(part.text)
            assert program == "podium"
            found.append(Claim(words))
        elif isinstance(part, Block) and part.language == "text":
            found[-1].messages[part.title] = part.text.rstrip("\n")
        elif isinstance(part, Table) and found and not found[-1].rows:
            found[-1].rows = part.rows
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the tutorial's files, its package as good as installed."""
    folder = tmp_path_factory.mktemp("fleet")
    for part in parts(TUTORIAL.read_text()):
        if isinstance(part, Block) and part.title and part.language != "text":
            file = folder / part.title
            file.parent.mkdir(exist_ok=True)
            file.write_text(part.text)
    (folder / "fleet_plugins" / "__init__.py").touch()
    _install(folder)
    return folder


def _install(folder: Path) -> None:
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")


def podium(folder: Path, *words: str) -> dict[str, Any]:
    paths = os.pathsep.join((str(folder), str(ROOT)))
    run = subprocess.run(
        [sys.executable, "-c", ENTRY, *words, "-o", "json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def name(key: str) -> str:
    return key.removeprefix("default/")


def claims_of(command: str) -> list[Any]:
    found = [claim for claim in claims() if claim.command[0] == command]
    return [pytest.param(claim, id=claim.command[-1]) for claim in found]


@pytest.mark.parametrize("claim", claims_of("plan"))
def test_decisions_are_as_told(claim: Claim, checkout: Path) -> None:
    plan = podium(checkout, *claim.command)
    nodes = {name(placed["pod"]): placed["node"] for placed in plan["placements"]}
    messages = {name(waiting["pod"]): waiting["message"] for waiting in plan["pending"]}
    victims = {
        name(victim["pod"]): name(preemption["preemptor"])
        for preemption in plan["preemptions"]
        for victim in preemption["victims"]
    }
    told = {row["pod"]: row["goes to"] for row in claim.rows}
    assert nodes | dict.fromkeys(messages, NOWHERE) == told
    assert messages == claim.messages
    assert victims == {
        victim: row["pod"]
        for row in claim.rows
        for victim in re.findall(r"(\S+) is preempted", row["because"])
    }


@pytest.mark.parametrize("claim", claims_of("explain"))
def test_scores_are_as_told(claim: Claim, checkout: Path) -> None:
    decision = podium(checkout, *claim.command)["decisions"][-1]
    scores = {feasible["node"]: feasible["scores"] for feasible in decision["feasible"]}
    plugins = [column for column in claim.rows[0] if column not in ("node", "because")]
    told = {row["node"]: {plugin: int(row[plugin]) for plugin in plugins} for row in claim.rows}
    assert told == {
        node: {plugin: given[plugin] for plugin in plugins} for node, given in scores.items()
    }


def test_the_tutorial_claims_something() -> None:
    found = claims()
    assert [claim.command[0] for claim in found] == ["plan", "explain", "plan"]
    assert all(claim.rows for claim in found)
    assert all(claim.messages for claim in found if claim.command[0] == "plan")


def test_names_are_those_of_the_entry_points(checkout: Path) -> None:
    script = (
        "import json; from importlib.metadata import entry_points\n"
        "points = entry_points(group='podium.plugins')\n"
        "print(json.dumps({point.name: point.load().name for point in points}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(checkout), str(ROOT)))},
        capture_output=True,
        text=True,
        check=True,
    )
    names = json.loads(run.stdout)
    assert set(names) == {"Maintenance", "OneTenant", "Seats"}
    assert all(point == own for point, own in names.items())
