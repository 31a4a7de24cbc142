"""The command as a whole: what it offers and imports, what extras it misses, and how it ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from podium import __version__
from podium.ui.command_line import main
from tests.conftest import ROOT


def test_version(podium) -> None:
    assert podium("--version").output == f"podium {__version__}\n"


def test_without_a_state_a_plan_reads_the_running_cluster(podium, monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    nowhere = podium("plan").output.replace("\n", " ")
    assert (
        "no state is given by -f, and the running cluster can't be read: no kubeconfig" in nowhere
    )


@pytest.mark.parametrize(
    ("program", "name"), [("podium", "podium"), ("kubectl-podium", "kubectl podium")]
)
def test_it_goes_by_the_name_it_is_called_by(
    program: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [f"/usr/bin/{program}", "plan", "--help"])
    with pytest.raises(SystemExit):
        main.app_entry()
    assert f"Usage: {name} plan" in capsys.readouterr().out


def test_the_version_and_help_are_commands_too(podium) -> None:
    assert podium("version").output == f"podium {__version__}\n"
    assert podium("help").output == podium("--help").output
    assert podium("help", "explain").output == podium("explain", "--help").output


@pytest.mark.parametrize("command", main.COMMANDS)
def test_help_is_complete_in_80_columns(podium, command: str) -> None:
    lines = podium(command, "--help", COLUMNS="80", TERMINAL_WIDTH="80").output.splitlines()
    # Arguments that may be repeated end in dots.
    shown = [line.replace("]...", "").replace("}...", "") for line in lines]
    assert not [line for line in shown if "..." in line or "…" in line]
    words = {word.strip(",") for line in lines for word in line.replace("/", " ").split()}
    for parameter in main.Commands().get_command(None, command).params:
        options = {option for option in parameter.opts if option.startswith("-")}
        if getattr(parameter, "hidden", False):
            continue
        assert options <= words


SLOW = frozenset({"aiohttp", "cryptography", "kubernetes_asyncio", "numpy", "optuna", "yaml"})

SHOW_HELP = f"""
import sys
from podium.ui.command_line.main import COMMANDS, app
for command in ([], *([one] for one in COMMANDS)):
    try:
        app([*command, "--help"])
    except SystemExit:
        pass
print("IMPORTED", *({set(SLOW)} & sys.modules.keys()))
"""


def test_help_imports_no_slow_package() -> None:
    run = [sys.executable, "-c", SHOW_HELP]
    printed = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert printed.count("Usage: ") > len(main.COMMANDS)
    assert printed.splitlines()[-1] == "IMPORTED"


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
