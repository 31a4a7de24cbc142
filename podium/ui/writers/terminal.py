"""Presentations on a terminal, and wherever else somebody asks for one."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from podium.api.presentation import (
    Block,
    Bullets,
    Paragraph,
    Presentation,
    Table,
    Tone,
    Toned,
)
from podium.ui.writers.console import console, print_line, print_report, print_table
from podium.ui.writers.html import to_html
from podium.ui.writers.markdown import to_markdown

if TYPE_CHECKING:
    from podium.api.documents.report import Report

_STYLES: Mapping[Tone, str] = {
    Tone.NONE: "",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.WAITING: "yellow",
    Tone.FAINT: "dim",
}


def print_presentation(out: Console, presentation: Presentation, *, wide: bool = False) -> None:
    """Print a presentation as tables and sentences; `wide` as of its sections."""
    if presentation.headline:
        out.print(Text(presentation.headline, style="bold"))
        out.print()
    for section in presentation.filled_sections(wide=wide):
        if section.title:
            out.print(Text(_heading(section.title), style="bold cyan"))
        for block in section.blocks:
            print_block(out, block)
        out.print()


def print_document(presentation: Presentation, output: str) -> None:
    """Print a presentation as `markdown` or `html`."""
    print((to_html if output == "html" else to_markdown)(presentation), end="")


def print_advice(
    report: "Report | Sequence[Report]", presentation: Presentation, output: str
) -> None:
    """Print one or several reports as `json` or `yaml`, or what presents them in other formats."""
    if output in ("json", "yaml"):
        print_report(report, output)
    elif output in ("table", "wide"):
        print_presentation(console(), presentation, wide=output == "wide")
    else:
        print_document(presentation, output)


def print_block(out: Console, block: Block) -> None:
    """Print a part of a presentation."""
    match block:
        case Paragraph(text, tone):
            print_line(out, Text(text, style=_STYLES[tone]))
        case Bullets(items):
            for item in items:
                print_line(out, Text(item))
        case Table(headers, rows, notes, title, _):
            if title:
                out.print(Text(_heading(title), style="bold cyan"))
            # What is spelt as plugins are is a name.
            names = [one for one in headers if " " not in one and one[1:] != one[1:].lower()]
            headings = [one if one in names else one.upper() for one in headers]
            texts = [
                [
                    Text(one.text, style=_STYLES[one.tone]) if isinstance(one, Toned) else one
                    for one in row
                ]
                for row in rows
            ]
            print_table(out, headings, texts)
            for note in notes:
                print_line(out, Text(note))


def _heading(title: str) -> str:
    return " ".join(one if "/" in one else one.upper() for one in title.split(" "))
