"""What is told to people, as values: a terminal, Markdown and HTML show the same."""

from podium.api.presentation.presentation import (
    Bars,
    Block,
    Branch,
    Bullets,
    Cell,
    Paragraph,
    Picture,
    Piece,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
    Tree,
    is_filled,
)
from podium.api.values.counts import count

__all__ = [
    "Bars",
    "Block",
    "Branch",
    "Bullets",
    "Cell",
    "Paragraph",
    "Picture",
    "Piece",
    "Presentation",
    "Section",
    "Table",
    "Tone",
    "Toned",
    "Tree",
    "count",
    "is_filled",
]
