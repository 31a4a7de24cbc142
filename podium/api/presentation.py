"""Presentations of results: a title, a headline, and sections of texts, tables and pictures.

Texts are plain; the writers (terminal, Markdown, HTML) escape them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Tone(StrEnum):
    """The meaning of a text, which writers express by color."""

    NONE = ""
    GOOD = "good"
    BAD = "bad"
    WAITING = "waiting"
    FAINT = "faint"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Toned:
    """A cell's text with a tone."""

    text: str
    tone: Tone

    def __str__(self) -> str:
        return self.text


Cell = str | Toned


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of text, in one tone."""

    text: str
    tone: Tone = Tone.NONE


@dataclass(frozen=True, slots=True)
class Bullets:
    """A bulleted list."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; omitted if it has no rows. Without headers, a terminal shows aligned lines."""

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    title: str = ""
    """Line above the table; empty if the section's title is enough."""
    rows_most: int | None = None
    """Largest number of rows shown by default; None for all."""

    def shortened(self) -> "Table":
        """Return the table with at most `rows_most` rows, and a note on how many are omitted."""
        if self.rows_most is None or len(self.rows) <= self.rows_most:
            return self
        note = f"{len(self.rows) - self.rows_most} more, with -o wide."
        rows, notes = self.rows[: self.rows_most], (*self.notes, note)
        return replace(self, rows=rows, notes=notes, rows_most=None)


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG picture, omitted where none can be shown; `says` is its alternative text."""

    says: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment of a bar; `share` is from 0 to 1, and an empty text makes it a gap."""

    text: str
    share: float
    tone: Tone = Tone.NONE


@dataclass(frozen=True, slots=True)
class Bars:
    """Rows with a name and a bar in each column; omitted in plain text."""

    headers: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Sequence[Piece]]]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a tree, and its children."""

    text: str
    tone: Tone = Tone.NONE
    branches: "Sequence[Branch]" = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of causes and effects."""

    branches: Sequence[Branch]


Block = Paragraph | Bullets | Table | Picture | Bars | Tree

# The field of a block without which there is nothing to show.
_CONTENT: Mapping[type[Block], str] = {
    Paragraph: "text",
    Bullets: "items",
    Table: "rows",
    Picture: "png",
    Bars: "rows",
    Tree: "branches",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a presentation, omitted without content; short forms omit it if it `is_long`."""

    title: str
    blocks: Sequence[Block]
    is_detail: bool = False
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Presentation:
    """A result in a form for display, independent of the format; the headline may be empty."""

    title: str
    headline: str
    sections: Sequence[Section]
    footer: str = ""

    def filled_sections(self, *, wide: bool = False) -> list[Section]:
        """Return the sections and blocks with content; if `wide`, tables have all their rows."""
        filled = []
        for section in self.sections:
            blocks = [
                block if wide or not isinstance(block, Table) else block.shortened()
                for block in section.blocks
                if getattr(block, _CONTENT[type(block)])
            ]
            if blocks:
                filled.append(replace(section, blocks=blocks))
        return filled
