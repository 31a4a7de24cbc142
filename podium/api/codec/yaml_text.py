"""Parsing of YAML texts into documents.

A file is split at its `---` lines first, so that documents after a malformed one are still read.
libyaml parses each document into events, from which plain values are built, with the lines of
repeated keys. Composing nodes instead would overflow the stack at some ten thousand brackets.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
)
from yaml.reader import ReaderError

from podium.api.codec.yaml_scalars import key_text, scalar


class TextFault(msgspec.Struct, frozen=True):
    """A fault of a text, and its line in the file, from 1."""

    line: int
    message: str


@dataclass(slots=True)
class YamlDocument:
    """One document of a YAML text.

    Attributes:
        number: position among the documents with content, from 1.
        line: first line of the document, from 1.
        value: plain dicts, lists, strings, numbers, booleans and None; None if there are faults.
        repeated: faults of repeated keys, if these are allowed; the last value counts.
        item_lines: lines of the entries of a top-level list `items`; empty if there is none.
    """

    number: int
    line: int
    value: object = None
    faults: list[TextFault] = field(default_factory=list)
    repeated: list[TextFault] = field(default_factory=list)
    item_lines: Sequence[int] = ()


def decoded(data: bytes) -> tuple[str, TextFault | None]:
    """Decode UTF-8; return the text and None, or an empty text and a fault."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return "", TextFault(1, "UTF-16 or UTF-32 text: must be UTF-8")
    if (zero := data.find(0)) >= 0:
        return "", TextFault(1 + data.count(b"\n", 0, zero), "not text: holds a zero byte")
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        return "", TextFault(1 + data.count(b"\n", 0, error.start), "not UTF-8 text")


# Deeper than any object of Kubernetes; bounds the recursion, and libyaml's work, which grows with
# the square of the depth.
DEPTH_MAX = 150

# How many values may stand in a document by aliases; a few lines could make billions.
ALIASED_MAX = 400_000

_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_CONTENT = re.compile(r"^(?!%)(?![ \t]*(#|\r?$))", re.MULTILINE)


def read_yaml(text: str, *, may_repeat: bool = False) -> Iterator[YamlDocument]:
    """Yield the documents with content; unless it `may_repeat`, a repeated key is a fault."""
    number = 0
    for line, part in _parts(text):
        for document in _documents(part, line, may_repeat):
            if document.value is not None or document.faults:
                number += 1
                document.number = number
                yield document


def _parts(text: str) -> Iterator[tuple[int, str]]:
    # The parts between separator lines, with their first lines. Lines without content before a
    # separator, such as directives, belong to the part that follows.
    start = searched = 0
    line = 1
    for match in _SEPARATOR.finditer(text):
        if _CONTENT.search(text, searched, match.start()):
            yield line, text[start : match.start()]
            line += text.count("\n", start, match.start())
            start = match.start()
        searched = match.end()
    yield line, text[start:]


class _UnboundedError(Exception):
    def __init__(self, fault: TextFault) -> None:
        super().__init__(fault)
        self.fault = fault


def _documents(part: str, line: int, may_repeat: bool) -> Iterator[YamlDocument]:
    try:
        events: Iterator[Event] = yaml.parse(part, Loader=yaml.CSafeLoader)
        next(events)
        event = next(events)
        while isinstance(event, yaml.DocumentStartEvent):
            document = _Builder(events, line, may_repeat).document(event)
            event = next(events)
            yield document
    except _UnboundedError as error:
        yield YamlDocument(0, error.fault.line, faults=[error.fault])
    except yaml.YAMLError as error:
        text = str(error)
        if isinstance(error, yaml.MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            line += mark.line if mark else 0
            text = " ".join(t for t in (error.context, error.problem) if t)
        elif isinstance(error, ReaderError):
            line += part.count("\n", 0, error.position)
            text = error.reason
        yield YamlDocument(0, line, faults=[TextFault(line, f"not valid YAML: {text}")])


class _Builder:
    # Builds the value of one document; faults that leave its structure whole are collected.

    def __init__(self, events: Iterator[Event], first_line: int, may_repeat: bool) -> None:
        self._events = events
        self._first_line = first_line
        # With how many values each comes to.
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0
        self._aliased_count = 0
        self._faults: list[TextFault] = []
        self._repeated: list[TextFault] = [] if may_repeat else self._faults
        self._item_lines: list[int] = []
        # Of the list that is the value of a key of the document, while that is read.
        self._entry_lines: list[int] = []

    def document(self, start: Event) -> YamlDocument:
        value = self._value(next(self._events), 0)
        next(self._events)
        repeated = [] if self._repeated is self._faults else self._repeated
        value = None if self._faults else value
        line = self._line(start)
        return YamlDocument(0, line, value, self._faults, repeated, self._item_lines)

    def _value(self, event: Event, depth: int) -> object:
        before = self._count
        self._count += 1
        value: object
        if isinstance(event, AliasEvent):
            anchor = event.anchor or ""
            if anchor not in self._anchors:
                self._note(event, f"the alias *{anchor} has no anchor before it")
                return None
            value, count = self._anchors[anchor]
            self._count += count
            self._aliased_count += count
            if self._aliased_count > ALIASED_MAX:
                raise _UnboundedError(self._fault(event, "document contains excessive aliasing"))
            return value
        assert isinstance(event, ScalarEvent | CollectionStartEvent)
        if isinstance(event, ScalarEvent):
            try:
                value = scalar(event.value, event.tag, plain=event.implicit[0])
            except ValueError as error:
                self._note(event, str(error))
                value = None
        elif depth >= DEPTH_MAX:
            raise _UnboundedError(self._fault(event, f"nested deeper than {DEPTH_MAX} levels"))
        elif isinstance(event, MappingStartEvent):
            value = self._mapping(depth)
        else:
            values, lines = [], []
            while not isinstance(entry := next(self._events), CollectionEndEvent):
                lines.append(self._line(entry))
                values.append(self._value(entry, depth + 1))
            if depth == 1:
                self._entry_lines = lines
            value = values
        # An anchor counts once its value is there, so nothing can contain itself.
        if event.anchor:
            self._anchors[event.anchor] = value, self._count - before
        return value

    def _mapping(self, depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        merged: list[dict[str, object]] = []
        while not isinstance(event := next(self._events), CollectionEndEvent):
            raw_key = self._value(event, depth + 1)
            self._entry_lines = []
            value = self._value(next(self._events), depth + 1)
            if depth == 0 and raw_key == "items":
                self._item_lines = self._entry_lines
            if raw_key == "<<" and isinstance(event, ScalarEvent) and event.implicit[0]:
                candidates = value if isinstance(value, list) else [value]
                mappings = [candidate for candidate in candidates if isinstance(candidate, dict)]
                if len(mappings) != len(candidates):
                    self._note(event, "<< takes a mapping or a list of mappings")
                merged += mappings
                continue
            key = key_text(raw_key)
            if key is None:
                self._note(event, "a key must be a string")
                continue
            if key in values:
                message = f'the key "{key}" stands twice in the same mapping'
                self._repeated.append(self._fault(event, message))
            values[key] = value
        for mapping in merged:
            values = {**mapping, **values}
        return values

    def _line(self, event: Event) -> int:
        assert event.start_mark is not None
        return event.start_mark.line + self._first_line

    def _note(self, event: Event, message: str) -> None:
        self._faults.append(self._fault(event, message))

    def _fault(self, event: Event, message: str) -> TextFault:
        return TextFault(self._line(event), message)
