"""Reads what tests of the documentation need out of Markdown: blocks, tables, links, headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?$')
_LINK = re.compile(r"(?<!!)\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (?P<text>.+)$")
_CODE_SPAN = re.compile(r"`([^`]+)`")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Block:
    """A fenced block of code; `title` is a file's name, or what the block says something about."""

    language: str
    title: str
    text: str


@dataclass(frozen=True)
class Table:
    """A table, a dictionary a row, by column."""

    rows: tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Line:
    """A line outside of blocks and tables."""

    number: int
    text: str


def parts(text: str) -> Iterator[Block | Table | Line]:
    """Everything in a document, in order."""
    lines = list(enumerate(text.splitlines(), start=1))
    while lines:
        number, line = lines.pop(0)
        if fence := _FENCE.match(line):
            inside = []
            while (taken := lines.pop(0)[1]) != "```":
                inside.append(taken)
            body = "".join(f"{each}\n" for each in inside)
            yield Block(fence["language"], fence["title"] or "", body)
        elif line.startswith("|") and lines and lines[0][1].startswith("| ---"):
            lines.pop(0)
            columns, rows = _cells(line), []
            while lines and lines[0][1].startswith("|"):
                rows.append(dict(zip(columns, _cells(lines.pop(0)[1]), strict=True)))
            yield Table(tuple(rows))
        else:
            yield Line(number, line)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    return [part for part in parts(page.read_text()) if isinstance(part, Block)]


def prose(text: str) -> Iterator[Line]:
    """All lines outside of fenced blocks, rows of tables included."""
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield Line(number, line)


def links(text: str) -> Iterator[Line]:
    """The targets of all links, with the number of the line of each."""
    for line in prose(text):
        for match in _LINK.finditer(_CODE_SPAN.sub("", line.text)):
            yield Line(line.number, match["target"])


def code_spans(text: str) -> Iterator[Line]:
    """All code within sentences."""
    for line in prose(text):
        for match in _CODE_SPAN.finditer(line.text):
            yield Line(line.number, match[1])


def anchors(text: str) -> set[str]:
    """What links may have after `#`: headings in lower case, words joined by hyphens."""
    headings = (match["text"] for line in prose(text) if (match := _HEADING.match(line.text)))
    return {_NOT_IN_ANCHORS.sub("", heading.lower()).replace(" ", "-") for heading in headings}


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
