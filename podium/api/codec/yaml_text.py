"""Parsing of YAML texts into documents, and writing of values as YAML.

A file is split at its `---` lines first, so that documents after a malformed one are still read.
libyaml parses each document into events, from which plain values are built, with the lines of
repeated keys. Composing nodes instead would overflow the stack at some ten thousand brackets.

Scalars are those of Go's yaml.v2, through which kubectl and kube-apiserver read YAML. Compared with
PyYAML: dates and `12:30` are strings, `0o17` and `017` are octal, and a number whose value is
integral (`1e3`, `1.0`) becomes an integer. `y`, `n`, `yes`, `no`, `on` and `off` are booleans. An
integer in base 2, 8 or 16 must fit into 64 bits; one in base 10 that doesn't becomes a float.
"""

import base64
import binascii
import codecs
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any

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

from podium.api.values.message_words import steers

Scalar = None | bool | int | float | str

_NAMED: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES"), True),
    **dict.fromkeys(("false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("n", "N", "no", "No", "NO"), False),
}
_INTEGERS = (
    (re.compile(r"([-+]?)0[bB]([01]+)"), 2),
    (re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0[oO]?([0-7]+)"), 8),
    # No longer than 64 bits are, as Python reads no integer of any length.
    (re.compile(r"([-+]?)(0|[1-9][0-9]{,19})"), 10),
)
_SIGNED, _UNSIGNED = range(-(2**63), 2**63), range(2**64)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

# Larger floats are written with an exponent, which no integer field reads.
_WHOLE_FLOAT_MAX = 1e21

_TAG = "tag:yaml.org,2002:"
_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "float": (int, float),
    "timestamp": (str,),
}
_CACHE_SIZE = 1 << 14


def scalar(text: str, tag: str | None, *, plain: bool) -> Scalar:
    """Return the value of a plain, quoted or tagged scalar; raises ValueError."""
    if plain:
        return _plain(text)
    name = str(tag).removeprefix(_TAG)
    if name == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise ValueError("!!binary takes base64 of UTF-8 text") from None
    if name == "int":
        value: Scalar = _integer(text.replace("_", ""))
    elif name in _TYPES:
        value = _plain(text)
    else:
        return text
    if type(value) not in _TYPES.get(name, (int,)):
        raise ValueError(f'"{text}" can\'t be read with the tag !!{name}')
    return value


@lru_cache(maxsize=_CACHE_SIZE)
def _plain(text: str) -> Scalar:
    """Return the value of a plain scalar; a number with an integral value becomes an integer."""
    if text in _NAMED:
        return _NAMED[text]
    if text[0] not in "0123456789+-.":
        return text
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is no number that an object can hold")
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return integer
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    if math.isinf(value):
        return text
    is_whole = value.is_integer() and abs(value) < _WHOLE_FLOAT_MAX
    # With no more digits than tell it from its neighbours, as Go writes it.
    return int(Decimal(repr(value))) if is_whole else value


def _integer(text: str) -> int | None:
    for pattern, base in _INTEGERS:
        if match := pattern.fullmatch(text):
            value = int(match[1] + match[2], base)
            if value in (_SIGNED if match[1] else _UNSIGNED):
                return value
    return None


def key_text(key: object) -> str | None:
    """Return a mapping's key as a JSON string; None if it can't be converted."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int | float):
        return repr(key)
    return None


class TextFault(msgspec.Struct, frozen=True):
    """A fault of a text, and its line in the file, from 1."""

    line: int
    message: str


@dataclass(slots=True)
class YamlDocument:
    """One document of a YAML text."""

    number: int
    """Position among the documents with content, from 1."""
    line: int
    """First line of the document, from 1."""
    value: object = None
    """Plain dicts, lists, strings, numbers, booleans and None; None if there are faults."""
    faults: list[TextFault] = field(default_factory=list)
    repeated: list[TextFault] = field(default_factory=list)
    """Faults of repeated keys, if these are allowed; the last value counts."""
    item_lines: Sequence[int] = ()
    """Lines of the entries of a top-level list `items`; empty if there is none."""


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
        return YamlDocument(0, self._line(start), value, self._faults, repeated, self._item_lines)

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


# Kubernetes breaks no lines.
_LINE_LENGTH_MAX = 2**31 - 1


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    # Writes no aliases, and quotes strings that would be read as something else.

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    try:
        # PyYAML leaves `y` and `1e3` without quotes.
        style = None if scalar(text, None, plain=True) == text else "'"
    except ValueError:
        style = "'"
    # Only within double quotes can these be escaped.
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style='"' if steers(text) else style
    )


_Dumper.add_representer(str, _text)


def write_yaml(value: Any, *, sort_keys: bool = True) -> str:
    """Write a JSON value as a YAML document."""
    return str(
        yaml.dump(
            value, Dumper=_Dumper, allow_unicode=True, width=_LINE_LENGTH_MAX, sort_keys=sort_keys
        )
    )
