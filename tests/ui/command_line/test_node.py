"""`podium node`: what it refuses before it joins a cluster."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from podium.ui.command_line.main import app
from podium.ui.inputs import input_error


def refusal(*options: str) -> str:
    result = CliRunner().invoke(app, ["node", *options], terminal_width=200)
    assert result.exit_code == 1
    return result.stderr.strip().splitlines()[-1]


def test_root_has_to_insist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "refuses to run as root" in refusal()


def test_whoever_lacks_the_extra_is_told_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_error, "find_spec", lambda module: None if module == "aiohttp" else 1)
    why = "a node needs aiohttp: pip install 'podium[client]'"
    assert refusal("--allow-root").endswith(why)


def test_a_kubeconfig_that_is_missing_is_an_error(tmp_path: Path) -> None:
    options = ["--allow-root", "--root-dir", str(tmp_path), "--kubeconfig", "no-such-file"]
    assert refusal(*options).endswith("no-such-file: No such file or directory")
