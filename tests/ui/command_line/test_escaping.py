"""Control characters of files and clusters never reach the terminal, whatever prints them."""

import json
import re
import sys
from io import StringIO

import pytest
import yaml
from rich.text import Text

from podium.api.presentation import Table, Tone, Toned
from podium.ui.command_line.output_streams import EscapingStream, terminal_guarded
from podium.ui.writers.terminal import console, print_block, working
from tests.objects import node, pod

HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\u2066\r"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("output", ["table", "wide", "json", "yaml", "markdown", "html"])
def test_a_plan_of_hostile_texts(podium, write, output) -> None:
    waiting = pod("w")
    waiting["spec"]["schedulerName"] = HOSTILE
    state = write("state.yaml", node("n"), waiting)
    result = podium("plan", "-f", state, "--apply", write("p.yaml", pod("p")), "-o", output)
    assert result.exit_code == 0
    assert not STEERING.search(result.stdout + result.stderr)
    assert "owned" in result.stdout
    if output in ("json", "yaml"):
        # What programs read means what it meant.
        ignored = yaml.safe_load(result.stdout)["ignored"]
        assert [one["schedulerName"] for one in ignored] == [HOSTILE]


def test_an_explanation_of_hostile_texts(podium, write) -> None:
    waiting = pod("w")
    waiting["spec"]["schedulerName"] = HOSTILE
    result = podium("explain", "w", "-f", write("state.yaml", node("n"), waiting))
    assert not STEERING.search(result.stdout + result.stderr)
    assert r"\u009b2J\u202e" in result.stderr


def test_errors_that_quote_hostile_texts(podium, write) -> None:
    state = write("state.yaml", node("n"))
    kubelet = write("kubelet.yaml", {"evictionHard": {f"foo{HOSTILE}": "1Mi"}})
    for arguments in (
        ("plan", "-f", state, "--apply", write("p.yaml", pod(f"p{HOSTILE}"))),
        ("plan", "-f", state, "--kubelet-config", kubelet),
        ("simulate", f"none{HOSTILE}.yaml"),
        (f"pl{HOSTILE}", "x"),
    ):
        result = podium(*arguments)
        assert result.exit_code == 1
        assert result.stderr
        assert not STEERING.search(result.stdout + result.stderr)


def test_a_line_of_decide(podium, tmp_path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({HOSTILE: 1}, ensure_ascii=False) + "\n")
    result = podium("decide", str(lines))
    assert result.exit_code == 1
    assert not STEERING.search(result.stdout + result.stderr)


def test_styles_reach_the_terminal_and_texts_are_measured_as_shown(monkeypatch) -> None:
    terminal = StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", terminal)
    with terminal_guarded():
        sys.stdout.write("plain \x1b[31m\n")
        out = console()
        out.width = 80
        print_block(out, Table(["A", "B"], [["\x1b[2J", Toned("b", Tone.BAD)], ["a", "b"]]))
    printed = terminal.getvalue()
    assert "plain \\u001b[31m\n" in printed
    assert "\x1b[31mb\x1b[0m" in printed
    lines = [line for line in Text.from_ansi(printed).plain.splitlines() if line.endswith("b")]
    assert lines == ["\\u001b[2J  b", "a          b"]


def test_progress_takes_no_markup(monkeypatch) -> None:
    terminal = StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with terminal_guarded(), working("reads [link=file://x]a[/link]\x9b2J"):
        pass
    assert "reads [link=file://x]a[/link]\\u009b2J" in terminal.getvalue()


def test_a_stream_is_otherwise_what_it_was() -> None:
    stream = StringIO()
    guarded = EscapingStream(stream)
    guarded.writelines(["a\x1b\n", "b\t\u200f"])
    assert stream.getvalue() == "a\\u001b\nb\t\\u200f"
    assert guarded.getvalue() == stream.getvalue()
