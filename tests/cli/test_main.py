"""The command as a whole: what it offers, and how it ends."""

import subprocess
import sys

import pytest

from podium import __version__
from podium.cli import main


def test_help_lists_the_commands(podium) -> None:
    result = podium("--help")
    assert result.exit_code == 0
    for command in main.COMMANDS:
        assert f" {command} " in result.output


def test_version(podium) -> None:
    assert podium("--version").output == f"podium {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["plan"], ["plan", "-f", "x", "-o", "xml"], ["explain", "-f", "x"], ["--nope"]],
    ids=" ".join,
)
def test_wrong_usage_is_an_error(podium, arguments: list[str]) -> None:
    result = podium(*arguments)
    assert result.exit_code == 1
    assert "Usage: " in result.output


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


def test_a_command_is_imported_only_when_it_is_called() -> None:
    code = "import sys, podium.cli.main; sys.exit('podium.cli.plan' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
