"""YAML text to documents.

A file is cut at its `---` lines first, so that a broken document doesn't hide the next one. Each
part is parsed by libyaml into events, from which plain values are built here: that keeps positions
for duplicate keys, needs no node tree, and leaves the meaning of scalars to `yaml_scalars`.
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
    """A place where a text can't be read.

    Attributes:
        line: line of the file, from 1.
    """

    line: int
    message: str


@dataclass(slots=True)
class YamlDocument:
    """One document of a text.

    Attributes:
        number: from 1; documents without content aren't counted.
        line: the line on which it begins, from 1.
        value: plain dicts, lists, strings, numbers, booleans and None; None if there are faults.
        repeated: keys that stand twice in the same mapping, where the last value counts.
        item_lines: where the document is a mapping with a list `items`, the line of each of them;
            empty if they aren't known.
    """

    number: int
    line: int
    value: object = None
    faults: list[TextFault] = field(default_factory=list)
    repeated: list[TextFault] = field(default_factory=list)
    item_lines: Sequence[int] = ()


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


# Deeper than any object of Kubernetes; bounds the recursion, and libyaml's work, which grows with
# the square of the depth.
DEPTH_MAX = 150

# How many values may stand in a document by aliases; a few lines could make billions.
ALIASED_MAX = 400_000

_SEPARATOR = re.compile(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_CONTENT = re.compile(r"^(?!%)(?![ \t]*(#|\r?$))", re.MULTILINE)


def read_yaml(text: str, *, may_repeat: bool = False) -> Iterator[YamlDocument]:
    """The documents of a YAML text, in order; those without content are left out.

    Args:
        may_repeat: of keys that stand twice in the same mapping the last value counts; otherwise
            that is a fault.
    """
    number = 0
    for line, part in _parts(text):
        for document in _documents(part, line, may_repeat):
            if document.value is not None or document.faults:
                number += 1
                document.number = number
                yield document


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The text cut at its separator lines, with the line each part starts at.

    What stands before a separator and is no content, such as directives, stays with what follows.
    """
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
    """A document that isn't read on, as it may never end."""

    def __init__(self, fault: TextFault) -> None:
        super().__init__(fault)
        self.fault = fault


def _documents(part: str, line: int, may_repeat: bool) -> Iterator[YamlDocument]:
    """The documents of one part: usually one, more where `...` ends them."""
    try:
        events = _Events(part, line)
        while isinstance(events.current, yaml.DocumentStartEvent):
            yield _Builder(events, may_repeat).document()
    except _UnboundedError as error:
        yield YamlDocument(0, error.fault.line, faults=[error.fault])
    except yaml.YAMLError as error:
        fault = _fault_of(error, part, line)
        yield YamlDocument(0, fault.line, faults=[fault])


def _fault_of(error: yaml.YAMLError, part: str, line: int) -> TextFault:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        where = line + (mark.line if mark else 0)
        text = " ".join(t for t in (error.context, error.problem) if t)
        return TextFault(where, f"not valid YAML: {text}")
    if isinstance(error, ReaderError):
        where = line + part.count("\n", 0, error.position)
        return TextFault(where, f"not valid YAML: {error.reason}")
    return TextFault(line, f"not valid YAML: {error}")


class _Events:
    """The parser's events of one part, with a look at the next one."""

    def __init__(self, part: str, first_line: int) -> None:
        self._events: Iterator[Event] = yaml.parse(part, Loader=yaml.CSafeLoader)
        self._first_line = first_line
        next(self._events)
        self.current: Event = next(self._events)

    def take(self) -> Event:
        """The current event, and on to the next."""
        event = self.current
        self.current = next(self._events)
        return event

    def line(self, event: Event) -> int:
        """The line of the file on which an event begins, from 1."""
        assert event.start_mark is not None
        return event.start_mark.line + self._first_line


class _Builder:
    """Builds the value of one document; faults that leave its structure whole are collected."""

    def __init__(self, events: _Events, may_repeat: bool) -> None:
        self._events = events
        # With how many values each comes to.
        self._anchors: dict[str, tuple[object, int]] = {}
        self._count = 0
        self._aliased_count = 0
        self._faults: list[TextFault] = []
        self._repeated: list[TextFault] = [] if may_repeat else self._faults
        self._item_lines: list[int] = []
        # Of the list that is the value of a key of the document, while that is read.
        self._entry_lines: list[int] = []

    def document(self) -> YamlDocument:
        line = self._events.line(self._events.take())
        value = self._value(0)
        self._events.take()
        repeated = [] if self._repeated is self._faults else self._repeated
        value = None if self._faults else value
        return YamlDocument(0, line, value, self._faults, repeated, self._item_lines)

    def _value(self, depth: int) -> object:
        event = self._events.take()
        before = self._count
        self._count += 1
        if isinstance(event, AliasEvent):
            return self._aliased(event)
        assert isinstance(event, ScalarEvent | CollectionStartEvent)
        value: object
        if isinstance(event, ScalarEvent):
            value = self._scalar(event)
        elif depth >= DEPTH_MAX:
            raise self._unbounded(event, f"nested deeper than {DEPTH_MAX} levels")
        elif isinstance(event, MappingStartEvent):
            value = self._mapping(depth)
        else:
            value = self._sequence(depth)
        # An anchor counts once its value is there, so nothing can contain itself.
        if event.anchor:
            self._anchors[event.anchor] = value, self._count - before
        return value

    def _sequence(self, depth: int) -> list[object]:
        values, lines = [], []
        while not isinstance(self._events.current, CollectionEndEvent):
            lines.append(self._events.line(self._events.current))
            values.append(self._value(depth + 1))
        self._events.take()
        if depth == 1:
            self._entry_lines = lines
        return values

    def _mapping(self, depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        merged: list[dict[str, object]] = []
        while not isinstance(self._events.current, CollectionEndEvent):
            key_event = self._events.current
            key = self._value(depth + 1)
            self._entry_lines = []
            value = self._value(depth + 1)
            if depth == 0 and key == "items":
                self._item_lines = self._entry_lines
            if key == "<<" and _is_plain(key_event):
                merged += self._mappings_to_merge(key_event, value)
            else:
                self._set(values, key_event, key, value)
        self._events.take()
        for mapping in merged:
            values = {**mapping, **values}
        return values

    def _set(self, values: dict[str, object], event: Event, raw_key: object, value: object) -> None:
        key = key_text(raw_key)
        if key is None:
            self._fault(event, "a key must be a string")
        else:
            if key in values:
                message = f'the key "{key}" stands twice in the same mapping'
                self._repeated.append(TextFault(self._events.line(event), message))
            values[key] = value

    def _mappings_to_merge(self, event: Event, value: object) -> list[dict[str, object]]:
        candidates = value if isinstance(value, list) else [value]
        mappings = [candidate for candidate in candidates if isinstance(candidate, dict)]
        if len(mappings) != len(candidates):
            self._fault(event, "<< takes a mapping or a list of mappings")
        return mappings

    def _aliased(self, event: AliasEvent) -> object:
        anchor = event.anchor or ""
        if anchor not in self._anchors:
            self._fault(event, f"the alias *{anchor} has no anchor before it")
            return None
        value, count = self._anchors[anchor]
        self._count += count
        self._aliased_count += count
        if self._aliased_count > ALIASED_MAX:
            raise self._unbounded(event, "document contains excessive aliasing")
        return value

    def _scalar(self, event: ScalarEvent) -> object:
        try:
            return scalar(event.value, event.tag, plain=event.implicit[0])
        except ValueError as error:
            self._fault(event, str(error))
            return None

    def _fault(self, event: Event, message: str) -> None:
        self._faults.append(TextFault(self._events.line(event), message))

    def _unbounded(self, event: Event, message: str) -> _UnboundedError:
        return _UnboundedError(TextFault(self._events.line(event), message))


def _is_plain(event: Event) -> bool:
    return isinstance(event, ScalarEvent) and bool(event.implicit[0])
