"""Presentations as Markdown, in the flavour that code forges show in comments."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from podium.presenting.presentation import (
    Block,
    Bullets,
    Paragraph,
    Picture,
    Presentation,
    Section,
    Table,
)

_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")
# Nobody is mentioned by a name of an object, and nothing is a tag.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})
_LIST_MARK = re.compile(r"^([-+=]|\d+(?=[.)]))")


def to_markdown(presentation: Presentation) -> str:
    """A presentation as Markdown; details can be folded away."""
    return "\n\n".join(_parts(presentation)) + "\n"


def _parts(presentation: Presentation) -> Iterator[str]:
    yield f"## {_escaped(presentation.title)}"
    if presentation.headline:
        yield f"**{_escaped(presentation.headline)}**"
    for section in presentation.filled_sections():
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    if section.is_detail:
        yield f"<details><summary>{escape(section.title)}</summary>"
    elif section.title:
        yield f"### {_escaped(section.title)}"
    for block in section.blocks:
        yield from _block(block)
    if section.is_detail:
        yield "</details>"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _line(block.text)
        case Bullets():
            yield "\n".join(f"- {_line(item)}" for item in block.items)
        case Picture():
            yield _line(f"{block.says}: see the HTML.")
        case Table():
            if block.title:
                yield f"**{_escaped(block.title)}**"
            yield "\n".join(_table(block))
            yield from map(_line, block.notes)


def _table(table: Table) -> Iterator[str]:
    yield _row(table.headers)
    yield _row(["---"] * len(table.headers), is_rule=True)
    for row in table.rows:
        yield _row([str(cell) for cell in row])


def _row(cells: Sequence[str], *, is_rule: bool = False) -> str:
    return f"| {' | '.join(cells if is_rule else map(_escaped, cells))} |"


def _line(text: str) -> str:
    """A text that is no list, whatever it begins with."""
    return _LIST_MARK.sub(r"\\\1" if not text[:1].isdigit() else r"\1\\", _escaped(text))


def _escaped(text: str) -> str:
    """A text that means nothing to Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).translate(_ENTITIES)
