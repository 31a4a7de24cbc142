"""The command as a whole: what it offers, and how it ends."""

import sys

import pytest

from podium import __version__
from podium.ui.command_line import main


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
