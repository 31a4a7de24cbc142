"""Reading, replaying and running transcripts."""

import pytest

from tests.cases.transcript import BadTranscriptError, commands, replayed, run

START = "# Title\n\n```console\n$ one \\\n    two\n"


def test_output_is_replaced_and_prose_is_kept() -> None:
    old = f"{START}old\n\n$ three\n```\nprose\n"
    new = f"{START}<one two>\n\n$ three\n<three>\n```\nprose\n"
    assert replayed(old, lambda command: f"<{command}>\n") == new
    assert replayed(new, lambda command: f"<{command}>") == new


def test_an_output_may_be_cut_short() -> None:
    old = f"{START}old\n...\n\n$ three\nold\n...\n[exit code 1]\n```\n"
    new = f"{START}1\n...\n[exit code 2]\n\n$ three\n1\n...\n[exit code 2]\n```\n"
    assert replayed(old, lambda command: "1\n2\n[exit code 2]") == new


def test_commands() -> None:
    assert commands(f"{START}out\n\n$ three\n```\nprose\n") == ["one two", "three"]


@pytest.mark.parametrize("text", ["```console\n$ one\n", "```console\nout\n```\n"])
def test_a_broken_block_is_an_error(text: str) -> None:
    with pytest.raises(BadTranscriptError):
        replayed(text, str)


def test_the_exit_code_stands_at_the_end() -> None:
    assert run("podium plan -f no-such-file").splitlines()[-1] == "[exit code 1]"
    assert "exit code" not in run("podium --version")


def test_only_known_programs_are_run() -> None:
    with pytest.raises(BadTranscriptError):
        run("rm file")
