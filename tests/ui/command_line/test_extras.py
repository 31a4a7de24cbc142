"""Without the packages of an extra a command says what to install."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

# As Python is where the packages were never installed.
WITHOUT = """
import importlib.machinery as machinery, sys
find = machinery.PathFinder.find_spec
hidden = ("aiohttp", "kubernetes_asyncio")
machinery.PathFinder.find_spec = lambda name, path=None, target=None: (
    None if name.partition(".")[0] in hidden else find(name, path, target)
)
from podium.ui.command_line.main import app
app(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        "bench --server current",
        "capacity --node-shape cpu=1",
        "drain n",
        "explain w",
        "fail n",
        "lint",
        "plan",
        "plan --context c",
        "record -o x",
        "resilience",
        "scheduler",
        "snapshot",
        "top",
    ],
)
def test_a_client_is_installed_first(arguments: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments.split()],
        cwd=ROOT,
        env={**os.environ, "KUBECONFIG": str(tmp_path / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("error: ")
    assert ended.stderr.endswith(
        "needs aiohttp and kubernetes_asyncio: pip install 'podium[client]'\n"
    )
