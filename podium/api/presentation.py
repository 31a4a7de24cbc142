"""A presentation: a title, the answer in a line, and sections of texts, tables and pictures.

Texts are plain; the writers escape them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Tone(StrEnum):
    """The meaning of a cell, which writers show by colours."""

    NONE = ""
    GOOD = "good"
    BAD = "bad"
    WAITING = "waiting"
    FAINT = "faint"
    STRONG = "strong"


@dataclass(frozen=True, slots=True)
class Toned:
    """A text with a tone."""

    text: str
    tone: Tone

    def __str__(self) -> str:
        return self.text


Cell = str | Toned


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences of a presentation, in one tone."""

    text: str
    tone: Tone = Tone.NONE


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of items, without numbers."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table, which is left out without rows.

    A table without headers is lines in columns, for a terminal.

    Attributes:
        title: the line above the table; empty where the section's title is enough.
        rows_most: the number of rows shown unless all are asked for; None for all.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    title: str = ""
    rows_most: int | None = None

    def shortened(self) -> "Table":
        """Return the table with its shown rows, and a note with the number of others."""
        if self.rows_most is None or len(self.rows) <= self.rows_most:
            return self
        note = f"{len(self.rows) - self.rows_most} more, with -o wide."
        rows, notes = self.rows[: self.rows_most], (*self.notes, note)
        return replace(self, rows=rows, notes=notes, rows_most=None)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, left out where none can be shown; `says` describes it."""

    says: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar, with its share of 1; a gap if it has no text."""

    text: str
    share: float
    tone: Tone = Tone.NONE


@dataclass(frozen=True, slots=True)
class Bars:
    """Rows of a name and a bar for each column, left out where there is only text."""

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
    """A part of a presentation, which is left out without content.

    Attributes:
        is_detail: whether writers may fold the section.
        is_long: whether writers leave the section out where space is short, as in a comment.
    """

    title: str
    blocks: Sequence[Block]
    is_detail: bool = False
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Presentation:
    """An answer for people.

    Attributes:
        headline: the answer in a line, if there is one.
        footer: the last line on a terminal.
    """

    title: str
    headline: str
    sections: Sequence[Section]
    footer: str = ""

    def filled_sections(self, *, wide: bool = False) -> list[Section]:
        """Return the sections and blocks with content; `wide` tables have all their rows."""
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
