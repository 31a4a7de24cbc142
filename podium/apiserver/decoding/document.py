"""A document of a text, whatever the syntax, and what can be wrong with its text."""

import codecs
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TextFault:
    """A place where a text can't be read.

    Attributes:
        line: line of the file, from 1.
        message: what the parser objects to.
    """

    line: int
    message: str


@dataclass(slots=True)
class Document:
    """One document of a text.

    Attributes:
        number: from 1; documents without content aren't counted.
        line: the line on which it begins, from 1.
        value: plain dicts, lists, strings, numbers, booleans and None; None if there are faults.
        faults: what keeps it from being read.
    """

    number: int
    line: int
    value: object = None
    faults: list[TextFault] = field(default_factory=list)


def decoded(data: bytes) -> tuple[str, TextFault | None]:
    """The text that bytes stand for, or what keeps them from being text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "", TextFault(1, "UTF-16 or UTF-32 text: must be UTF-8")
    if (zero := data.find(0)) >= 0:
        return "", TextFault(1 + data.count(b"\n", 0, zero), "not text: holds a zero byte")
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        return "", TextFault(1 + data.count(b"\n", 0, error.start), "not UTF-8 text")
