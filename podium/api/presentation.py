"""A presentation: a title, the answer in a line, and sections of texts, tables and pictures.

Texts are plain: whoever shows them escapes what has a meaning there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Tone(StrEnum):
    """What a cell means for its reader; colours tell it."""

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
    """A table; it is left out if it has no row.

    Without headers it is lines in columns, for a terminal.

    Attributes:
        title: stands above it; empty where the section's says enough.
        rows_most: how many of its rows are shown to those who don't ask for all; None for all.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    title: str = ""
    rows_most: int | None = None

    def shortened(self) -> "Table":
        """It with no more rows than are shown, and a note on how many those leave out."""
        if self.rows_most is None or len(self.rows) <= self.rows_most:
            return self
        note = f"{len(self.rows) - self.rows_most} more, with -o wide."
        rows, notes = self.rows[: self.rows_most], (*self.notes, note)
        return replace(self, rows=rows, notes=notes, rows_most=None)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, left out where none can be shown; `says` is for those who can't see it."""

    says: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar, 1 being all of it; without a text, a gap."""

    text: str
    share: float
    tone: Tone = Tone.NONE


@dataclass(frozen=True, slots=True)
class Bars:
    """Rows of a name and a bar for each column; left out where there is only text."""

    headers: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Sequence[Piece]]]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a graph without circles, and what follows from it."""

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
    """A part of a presentation; it is left out if nothing is in it.

    Attributes:
        is_detail: whether it may be folded away where that can be done.
        is_long: whether it is left out where space is short, as in a comment.
    """

    title: str
    blocks: Sequence[Block]
    is_detail: bool = False
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class Presentation:
    """What is told to people; the headline, if there is one, is the answer in a line.

    Attributes:
        footer: the last line on a terminal; documents have none.
    """

    title: str
    headline: str
    sections: Sequence[Section]
    footer: str = ""

    def filled_sections(self, *, wide: bool = False) -> list[Section]:
        """The sections without what is empty; tables have all their rows if they may be wide."""
        found = []
        for section in self.sections:
            blocks = [
                block if wide or not isinstance(block, Table) else block.shortened()
                for block in section.blocks
                if getattr(block, _CONTENT[type(block)])
            ]
            if blocks:
                found.append(replace(section, blocks=blocks))
        return found
