"""What is told to people, as values: a terminal, Markdown and HTML show the same."""

from podium.api.values.counts import count
from podium.ui.writers.html import to_html, to_html_fragment
from podium.ui.writers.markdown import to_markdown
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
    "to_html",
    "to_html_fragment",
    "to_markdown",
]
