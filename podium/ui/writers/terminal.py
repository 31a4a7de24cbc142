"""Presentations on a terminal: tables, sentences and headings."""

from collections.abc import Mapping

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
from podium.ui.writers.console import print_line, print_table

STYLES: Mapping[Tone, str] = {
    Tone.NONE: "",
    Tone.GOOD: "green",
    Tone.BAD: "red",
    Tone.WAITING: "yellow",
    Tone.FAINT: "dim",
    Tone.STRONG: "bold",
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
    if presentation.footer:
        out.print(Text(presentation.footer))


def print_block(out: Console, block: Block) -> None:
    """Print a part of a presentation."""
    match block:
        case Paragraph(text, tone):
            print_line(out, Text(text, style=STYLES[tone]))
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
                    Text(one.text, style=STYLES[one.tone]) if isinstance(one, Toned) else one
                    for one in row
                ]
                for row in rows
            ]
            print_table(out, headings, texts)
            for note in notes:
                print_line(out, Text(note))


def _heading(title: str) -> str:
    return " ".join(one if "/" in one else one.upper() for one in title.split(" "))
