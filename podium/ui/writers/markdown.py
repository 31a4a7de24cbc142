"""Presentations as Markdown for comments on code forges."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from podium.api.presentation import (
    Block,
    Branch,
    Bullets,
    Paragraph,
    Picture,
    Presentation,
    Table,
    Tree,
)
from podium.api.values.message_words import and_more

_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")
# The name of an object must not mention a user, or be a tag.
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})
# A comment of GitHub has 65,536 characters at most.
_LENGTH_MAX = 50_000
_ROWS_MAX = 30
_LIST_MARK = re.compile(r"^([-+=]|\d+(?=[.)]))")


def to_markdown(presentation: Presentation) -> str:
    """Write a presentation as Markdown that fits into a comment; details are collapsed.

    Long sections, the rest of long tables, and what exceeds the length of a comment are left out.
    """
    parts = [f"## {_escaped(presentation.title)}"]
    if presentation.headline:
        parts.append(f"**{_escaped(presentation.headline)}**")
    left, skipped = _LENGTH_MAX, list[str]()
    for section in presentation.filled_sections():
        if section.is_long:
            continue
        blocks = [text for block in section.blocks for text in _block(block)]
        if section.is_detail:
            title = f"<details><summary>{escape(section.title)}</summary>"
            blocks = [title, *blocks, "</details>"]
        elif section.title:
            blocks.insert(0, f"### {_escaped(section.title)}")
        text = "\n\n".join(blocks)
        if len(text) <= left:
            parts.append(text)
            left -= len(text)
        else:
            skipped.append(section.title)
    if skipped:
        parts.append(_line(f"Left out, as it is too long for a comment: {', '.join(skipped)}."))
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _line(block.text)
        case Bullets():
            items = [*map(_line, block.items[:_ROWS_MAX]), *and_more(len(block.items) - _ROWS_MAX)]
            yield "\n".join(f"- {item}" for item in items)
        case Picture():
            yield _line(f"{block.says}: see the HTML.")
        case Table():
            if block.title:
                yield f"**{_escaped(block.title)}**"
            rows = [[_escaped(str(cell)) for cell in row] for row in block.rows[:_ROWS_MAX]]
            headers = [*map(_escaped, block.headers)]
            lines = [f"| {' | '.join(row)} |" for row in (headers, ["---"] * len(headers), *rows)]
            yield "\n".join(lines)
            yield from (*and_more(len(block.rows) - _ROWS_MAX), *map(_line, block.notes))
        case Tree():
            lines = [*_branches(block.branches)]
            more = [f"- {text}" for text in and_more(len(lines) - _ROWS_MAX)]
            yield "\n".join([*lines[:_ROWS_MAX], *more])


def _branches(branches: Sequence[Branch], depth: int = 0) -> Iterator[str]:
    for branch in branches:
        yield f"{'  ' * depth}- {_line(branch.text)}"
        yield from _branches(branch.branches, depth + 1)


def _line(text: str) -> str:
    return _LIST_MARK.sub(r"\\\1" if not text[:1].isdigit() else r"\1\\", _escaped(text))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).translate(_ENTITIES)
