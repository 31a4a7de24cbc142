"""A small sweep, and what comes of it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from podium.simulation.experiments.sweep.trial_journal import NAME
from podium.ui.command_line.main import app
from tests.objects import pod, priority_class
from tests.simulation.experiments.worlds import HEADER, nodes

OBJECTIVE = {"minimize": "pendingSeconds"}
SETTINGS = [
    {"name": "nodes", "path": "spec.nodes[0].count", "values": [1, 2]},
    {"name": "class", "in": "priorityclass/high", "path": "value", "values": [9, -9]},
]


def write_sweep(directory: Path, **spec: Any) -> Path:
    scenario = {
        "until": "90s",
        "nodes": nodes(),
        "manifests": [priority_class("high", 9), pod("low", "3")],
        "arrivals": [{"every": "~20s", "objects": pod("urgent", "1", priorityClassName="high")}],
    }
    (directory / "s.yaml").write_text(json.dumps({**HEADER, "spec": scenario}))
    document = {
        "apiVersion": "podium.dev/v1alpha1",
        "kind": "Sweep",
        "metadata": {"name": "small"},
        "spec": {"scenarios": ["s.yaml"], **spec},
    }
    file = directory / "sweep.yaml"
    file.write_text(json.dumps(document))
    return file


def play(file: Path, out: Path, *options: str, code: int = 0) -> str:
    arguments = ["sweep", str(file), "--out", str(out), "-o", "json", *options]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result.output


class Played(NamedTuple):
    """A sweep that was played: its file, its directory, and what it printed."""

    file: Path
    out: Path
    printed: str


def files(directory: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def lines_of(directory: Path) -> int:
    file = directory / NAME
    return file.read_bytes().count(b"\n") if file.exists() else 0
