"""What is told to people, as values: a terminal, Markdown and HTML show the same."""

from podium.presenting.counting import count
from podium.presenting.html import to_html, to_html_fragment
from podium.presenting.markdown import to_markdown
from podium.presenting.presentation import (
    Block,
    Bullets,
    Cell,
    Paragraph,
    Picture,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
    is_filled,
)

__all__ = [
    "Block",
    "Bullets",
    "Cell",
    "Paragraph",
    "Picture",
    "Presentation",
    "Section",
    "Table",
    "Tone",
    "Toned",
    "count",
    "is_filled",
    "to_html",
    "to_html_fragment",
    "to_markdown",
]
