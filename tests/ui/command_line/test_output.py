"""Tables are aligned, and never cut off."""

from io import StringIO

import pytest
from rich.console import Console
from rich.status import Status
from rich.text import Text

from podium.api.presentation import Block, Bullets, Cell, Presentation, Section, Table, Tone, Toned
from podium.api.values.message_words import count
from podium.ui.writers.terminal import Progress, print_presentation, working


def print_section(out: Console, title: str, block: Block) -> None:
    print_presentation(out, Presentation("", "", [Section(title, [block])]))


def printed(headings: list[str], rows: list[list[Cell]], width: int = 20) -> list[str]:
    out = Console(file=StringIO(), width=width, soft_wrap=True, highlight=False, markup=False)
    print_section(out, "TITLE", Table(headings, rows))
    return out.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]


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
    out = Console(file=StringIO(), width=32, soft_wrap=True, force_terminal=True, no_color=True)
    message = "0/3 nodes are available: 3 Insufficient cpu."
    rows = [["web-0", message], ["web-1", "short"]]
    print_section(out, "TITLE", Table(["POD", "MESSAGE"], rows))
    text = Text.from_ansi(out.file.getvalue()).plain  # type: ignore[attr-defined]
    assert text.splitlines() == [
        "TITLE",
        "POD    MESSAGE",
        "web-0  0/3 nodes are available:",
        "       3 Insufficient cpu.",
        "web-1  short",
        "",
    ]


def test_other_columns_are_wrapped_where_that_isnt_enough() -> None:
    out = Console(file=StringIO(), width=36, soft_wrap=True, force_terminal=True, no_color=True)
    rows = [["Deployment shop/storefront", "a few words that are long"], ["b", "c"]]
    print_section(out, "TITLE", Table(["POD", "MESSAGE"], rows))
    text = Text.from_ansi(out.file.getvalue()).plain  # type: ignore[attr-defined]
    assert text.splitlines() == [
        "TITLE",
        "POD                MESSAGE",
        "Deployment         a few words that",
        "shop/storefront    are long",
        "b                  c",
        "",
    ]


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
    out = Console(file=StringIO(), width=30, soft_wrap=True, force_terminal=True, no_color=True)
    print_section(out, "SUMMARY", Bullets(["Deployment shop/web loses 1 of 9 pods (1 preempted)."]))
    text = Text.from_ansi(out.file.getvalue()).plain  # type: ignore[attr-defined]
    assert text.splitlines() == [
        "SUMMARY",
        "Deployment shop/web loses 1 of",
        "  9 pods (1 preempted).",
        "",
    ]


def test_names_are_broken_where_they_have_parts() -> None:
    out = Console(file=StringIO(), width=24, soft_wrap=True, force_terminal=True, no_color=True)
    print_section(out, "TITLE", Table(["POD", "NODE"], [["shop/payments-worker-d7h8tzd", "n"]]))
    text = Text.from_ansi(out.file.getvalue()).plain  # type: ignore[attr-defined]
    assert [line.split()[0] for line in text.splitlines()[2:4]] == [
        "shop/payments-",
        "worker-d7h8tzd",
    ]
