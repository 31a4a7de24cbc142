"""Tables are aligned and never cut off; progress and pipes that nobody reads to their end."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from rich.console import Console
from rich.status import Status
from rich.text import Text

from podium.api.presentation import Block, Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.ui.writers.terminal import Progress, print_presentation, working
from tests.objects import node, pod


def print_section(out: Console, title: str, block: Block) -> None:
    print_presentation(out, Presentation("", "", [Section(title, [block])]))


def printed(headings: list[str], rows: list[list[Cell]]) -> list[str]:
    file = StringIO()
    out = Console(file=file, width=20, soft_wrap=True, highlight=False, markup=False)
    print_section(out, "TITLE", Table(headings, rows))
    return file.getvalue().splitlines()


def on_terminal(width: int, title: str, block: Block, *, wide: bool = False) -> list[str]:
    """The lines on a terminal, without what ends each."""
    file = StringIO()
    out = Console(file=file, width=width, soft_wrap=True, force_terminal=True, no_color=True)
    print_presentation(out, Presentation("", "", [Section(title, [block])]), wide=wide)
    return [line.rstrip() for line in Text.from_ansi(file.getvalue()).plain.splitlines()]


def test_columns_are_as_wide_as_their_contents_whatever_the_terminal() -> None:
    name = "a-name-that-is-longer-than-the-terminal"
    assert printed(["POD", "NODE"], [[name, "n"], ["b", Toned("m", Tone.BAD)]]) == [
        "TITLE",
        f"POD{' ' * (len(name) - 1)}NODE",
        f"{name}  n",
        f"b{' ' * (len(name) + 1)}m",
        "",
    ]


def test_the_last_column_is_wrapped_at_the_edge_of_a_terminal() -> None:
    message = "0/3 nodes are available: 3 Insufficient cpu."
    rows: list[list[Cell]] = [["web-0", message], ["web-1", "short"]]
    assert on_terminal(32, "TITLE", Table(["POD", "MESSAGE"], rows)) == [
        "TITLE",
        "POD    MESSAGE",
        "web-0  0/3 nodes are available:",
        "       3 Insufficient cpu.",
        "web-1  short",
        "",
    ]


ROW = [
    *("shop/payments-worker-7d9f8c6b5-d7h8t", "node-worker-12.internal", "1000"),
    *("gives way to Deployment shop/checkout-frontend", "is on node-worker-7.internal, t+45s"),
]
DISRUPTIONS = Table(["Pod", "Node", "Priority", "Why", "Comes again"], [ROW])


def disruptions(width: int, *, wide: bool = False) -> list[str]:
    return [line for line in on_terminal(width, "", DISRUPTIONS, wide=wide) if line]


def test_a_wide_terminal_shows_all_columns_in_a_line() -> None:
    headings, row = disruptions(200)
    assert headings.split() == ["POD", "NODE", "PRIORITY", "WHY", "COMES", "AGAIN"]
    assert row == "  ".join([*ROW[:2], ROW[2].ljust(len("PRIORITY")), *ROW[3:]])


def test_a_narrow_terminal_drops_numbers_first_then_columns_from_the_right() -> None:
    assert disruptions(110)[0].split() == ["POD", "NODE", "WHY", "COMES", "AGAIN"]
    assert disruptions(110)[-1] == "There is no room for PRIORITY; -o wide prints all columns."
    assert disruptions(80) == [
        "POD                                   COMES AGAIN",
        f"{ROW[0]}  {ROW[4]}",
        "There is no room for PRIORITY, WHY, NODE; -o wide prints all columns.",
    ]


def test_beside_a_long_name_the_last_column_has_lines_of_its_own() -> None:
    assert disruptions(40)[:4] == ["POD", "  COMES AGAIN", ROW[0], f"  {ROW[4]}"]


@pytest.mark.parametrize("width", [10, 40, 80, 120, 200])
@pytest.mark.parametrize("wide", [True, False])
def test_names_are_never_broken(width: int, wide: bool) -> None:
    words = {word for cell in (*DISRUPTIONS.headers, *ROW) for word in cell.split()}
    known = {*words, *map(str.upper, words)}
    lines = disruptions(width, wide=wide)
    table = (
        lines if wide else lines[: next((n for n, one in enumerate(lines) if "There" in one), None)]
    )
    assert {word for line in table for word in line.split()} <= known
    assert not wide or {word for word in words if "-" in word} <= {*" ".join(table).split()}


def test_nothing_trails() -> None:
    assert printed(["A", "B", "C"], [["1", "", ""], ["", "", "2"]]) == [
        "TITLE",
        "A  B  C",
        "1",
        "      2",
        "",
    ]


def test_wide_characters_count_twice() -> None:
    assert printed(["A", "B"], [["日", "x"]])[1:3] == ["A   B", "日  x"]


def test_brackets_are_no_markup() -> None:
    assert printed(["A"], [["[bold]x[/bold] :smile:"]])[2] == "[bold]x[/bold] :smile:"


def test_an_empty_table_isnt_printed() -> None:
    assert printed(["A"], []) == []
    out = Console(file=StringIO())
    print_section(out, "NOTES", Bullets([]))
    assert out.file.getvalue() == ""  # type: ignore[attr-defined]


def test_counts() -> None:
    assert [count(0, "pod"), count(1, "pod"), count(2, "pod")] == ["0 pods", "1 pod", "2 pods"]
    assert count(2, "class", "classes") == "2 classes"


def test_progress_is_shown_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s, shown = [100.0], []
    monkeypatch.setattr("podium.ui.writers.terminal.time.monotonic", lambda: now_s[0])
    console = Console(file=StringIO(), force_terminal=True)
    status = Status("", console=console)
    monkeypatch.setattr(status, "update", shown.append)
    progress = Progress(status)
    for tick in range(100):
        now_s[0] = 100 + tick / 100
        progress.tell(lambda: f"{now_s[0]:g}")
    assert str(shown[0]) == "100"
    assert len(shown) == 5


def test_off_a_terminal_nobody_asks_how_far_it_is() -> None:
    with working("reading") as progress:
        progress.tell(lambda: pytest.fail("was asked"))


def test_sentences_are_wrapped_with_an_indent() -> None:
    sentence = "Deployment shop/web loses 1 of 9 pods (1 preempted)."
    assert on_terminal(30, "SUMMARY", Bullets([sentence])) == [
        "SUMMARY",
        "Deployment shop/web loses 1",
        "  of 9 pods (1 preempted).",
        "",
    ]


@pytest.mark.parametrize("output", ["table", "json", "yaml"])
@pytest.mark.parametrize(("condition", "code"), [([], 0), (["--fail-on", "pending"], 2)])
def test_who_stops_reading_is_not_an_error(
    write, output: str, condition: list[str], code: int
) -> None:
    state = write("state.yaml", node("node", "1"), *(pod(f"p{n}") for n in range(3)))
    ended = unread("plan", "-f", state, "-o", output, *condition)
    assert ended.returncode == code
    # A gate says nevertheless what it found.
    assert ended.stderr.startswith("failed on pending: ") if code else ended.stderr == ""


def test_decisions_that_nobody_reads_are_not_made() -> None:
    ended = unread("decide", stdin='{"pending": []}\n' + "not JSON\n" * 2)
    assert (ended.returncode, ended.stderr) == (0, "")


def unread(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A command that has ended, and whose output nobody has read."""
    read, written = os.pipe()
    os.close(read)
    try:
        return subprocess.run(
            [sys.executable, "-m", "podium", *arguments],
            input=stdin,
            stdout=written,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(written)


class Shown:
    """Takes down everything that there would be to show."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def show(self, text: str) -> None:
        """What begins isn't how far it is."""

    def tell(self, say: Callable[[], str]) -> None:
        self.lines.append(say())


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    taken = Shown()

    @contextmanager
    def working(what: str) -> Iterator[Shown]:
        yield taken

    monkeypatch.setattr("podium.ui.command_line.ask.working", working)
    return taken


def test_which_seed_is_played(podium, write, shown: Shown) -> None:
    state = write("state.yaml", node("n", "1"), pod("new"))
    assert podium("plan", "-f", state, "--seeds", "3").exit_code == 0
    told = {line.partition(", ")[0] for line in shown.lines}
    assert told == {f"planning: seed {number} of 3" for number in (1, 2, 3)}


def test_hours_in_which_nothing_happens_are_one_piece(podium, write, shown: Shown) -> None:
    state = write("state.yaml", node("n", "1"), pod("new"))
    assert podium("plan", "-f", state, "--until", "1000h").exit_code == 0
    assert shown.lines[-1] == "planning: t+3600000s"
    assert len(shown.lines) < 100
