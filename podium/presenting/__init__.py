"""What is told to people, as values: a terminal, Markdown and HTML show the same."""

from podium.presenting.html import to_html
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
    "to_html",
    "to_markdown",
]
