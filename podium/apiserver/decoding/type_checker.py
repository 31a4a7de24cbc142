"""Checks of decoded values against the types of the schema.

The result is the value in its stored form: without nulls, unknown fields, and empty values that are
equivalent to absent fields; with structs that are always written; with quantities and times in
canonical form. Unchanged parts are shared with the given value, which isn't modified. Unknown and
repeated fields are collected as messages.
"""

import re
from base64 import b64decode
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Any

from podium.api.codec.text_decoder import Literal, Repeated, oddity
from podium.api.errors import OMITTED, FieldError, quoted
from podium.api.values.quantity import QuantityError, parse_quantity
from podium.api.values.times import TimeError, format_time, parse_time
from podium.apiserver.schema.model import ListOf, MapOf, Scalar, Struct, Type

_MICRO_DIGITS = 6
_MICROS = re.compile(r".*\.\d{6}(Z|[-+]\d\d:\d\d)", re.ASCII | re.DOTALL)
_RULE = "such as 2006-01-02T15:04:05Z (RFC 3339)"
_MICRO_RULE = "with microseconds, such as 2006-01-02T15:04:05.000000Z (RFC 3339)"
NO_TIME = "0001-01-01T00:00:00Z"
_NO_TIME_NS = parse_time(NO_TIME)
_CACHE_SIZE = 1 << 14


class MalformedScalarError(ValueError):
    """The text of a quantity, a time or bytes isn't valid; the message is the reason."""


# typed: 1 and True are equal keys, but True isn't a quantity.
@lru_cache(maxsize=_CACHE_SIZE, typed=True)
def quantity_text(raw: str | int | float | None) -> str:
    """Return a quantity in its stored form; raises MalformedScalarError."""
    if raw is None:
        return "0"
    try:
        return str(parse_quantity(raw))
    except QuantityError as error:
        raise MalformedScalarError(error.error.message) from None


@lru_cache(maxsize=_CACHE_SIZE)
def time_text(text: str, *, micro: bool) -> str | None:
    """Return a time in stored form, None for Go's zero time; raises MalformedScalarError."""
    if micro and not _MICROS.fullmatch(text):
        raise MalformedScalarError(f"expected a time {_MICRO_RULE}, got {quoted(text)}")
    try:
        nanos = parse_time(text)
    except TimeError:
        raise MalformedScalarError(f"expected a time {_RULE}, got {quoted(text)}") from None
    return None if nanos == _NO_TIME_NS else format_time(nanos, _MICRO_DIGITS if micro else 0)


def check_base64(text: str) -> None:
    """Check padded base64 (RFC 4648) without newlines; raises MalformedScalarError."""
    try:
        b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError as error:
        raise MalformedScalarError(f"illegal base64 data: {error}") from None


# kube-apiserver reports no more unknown and repeated fields than these.
STRICT_FAULTS_MAX = 100

_INT32 = range(-(2**31), 2**31)
_RANGES = {"int32": _INT32, "int64": range(-(2**63), 2**63), "intorstring": _INT32}

Place = tuple["Place | None", str | int] | None
"""The place of a value: the place of the value that contains it, and its name, key or index."""


class DecodingError(Exception):
    """A value isn't of the type of its field; the fault has no value if the message quotes it."""

    def __init__(self, problem: str, at: Place = None, value: object = OMITTED) -> None:
        super().__init__(problem)
        self.field = json_path(at)
        self.fault = FieldError(self.field, value, problem.removeprefix(f"{self.field}: "))


class Checker:
    """Checks one object against the types of its kind, and collects messages on its fields."""

    def __init__(self) -> None:
        self._strict: dict[str, None] = {}
        self._first_wrong: DecodingError | None = None

    @property
    def strict(self) -> tuple[str, ...]:
        """The messages on unknown and repeated fields, such as `unknown field "spec.x"`."""
        return tuple(self._strict)

    def check(self, value: Any, of: Type) -> Any:
        """Return the value in its stored form; raises DecodingError if it isn't of the type."""
        checked = self._value(value, of, None)
        if self._first_wrong:
            raise self._first_wrong
        return checked

    def _value(self, value: Any, of: Type, at: Place) -> Any:
        kind = type(value)
        if isinstance(of, Struct):
            if kind is dict or kind is Repeated:
                return self._struct(value, of, at)
        elif isinstance(of, Scalar):
            return self._scalar(value, of, at)
        elif isinstance(of, ListOf):
            if kind is list:
                return self._list(value, of, at)
        elif kind is dict or kind is Repeated:
            return self._map(value, of, at)
        if value is not None:
            self.mismatch(value, of, at)
        return value

    def _struct(self, value: dict[str, Any], of: Struct, at: Place) -> dict[str, Any]:
        fields, changed = of.fields, None
        items = value.items() if type(value) is dict else self._repeated(value, at, fields)
        for name, one in items:
            field = fields.get(name)
            if field is None:
                _refuse_oddity(one)
                if not of.is_open:
                    self.note(self.unknown(name, json_path((at, name)), fields))
                    changed = dict(value) if changed is None else changed
                    changed.pop(name, None)
                continue
            part = field.type
            if (
                type(part) is Scalar
                and type(one) is part.plain
                and (one or not field.omits_nothing)
            ):
                continue
            new = None if one is None else self._value(one, part, (at, name))
            if field.omits_nothing and not new:
                new = None
            if new is not one or one is None:
                changed = dict(value) if changed is None else changed
                if new is None:
                    changed.pop(name, None)
                else:
                    changed[name] = new
        found = value if changed is None else changed
        missing = {name: zero for name, zero in of.always.items() if name not in found}
        return {**found, **missing} if missing else found

    def _map(self, value: dict[str, Any], of: MapOf, at: Place) -> dict[str, Any]:
        part, changed = of.values, None
        plain = part.plain if type(part) is Scalar else None
        items = value.items() if type(value) is dict else self._repeated(value, at, value)
        for key, one in items:
            if type(one) is plain:
                continue
            new = None if one is None else self._value(one, part, (at, key))
            new = _zero(part) if new is None else new
            if new is not one:
                changed = dict(value) if changed is None else changed
                changed[key] = new
        return value if changed is None else changed

    def _list(self, value: list[Any], of: ListOf, at: Place) -> list[Any]:
        part, changed = of.items, None
        plain = part.plain if type(part) is Scalar else None
        for index, one in enumerate(value):
            if type(one) is plain:
                continue
            new = _zero(part) if one is None else self._value(one, part, (at, index))
            if new is not one:
                changed = list(value) if changed is None else changed
                changed[index] = new
        return value if changed is None else changed

    def _scalar(self, value: Any, of: Scalar, at: Place) -> Any:
        kind, actual = of.kind, type(value)
        if actual is int and kind in _RANGES and value in _RANGES[kind]:
            return value
        try:
            if actual is str and (kind == "time" or kind == "microtime"):
                return time_text(value, micro=kind == "microtime")
            # A quantity may be a number in JSON.
            if kind == "quantity" and not isinstance(value, (dict, list, bool)):
                return quantity_text(value.text if actual is Literal else value)
            if kind == "any":
                _refuse_oddity(value)
                return value
            if kind == "bytes" and actual is str:
                check_base64(value)
                return value
            if (
                actual is of.plain
                or (actual is str and kind == "intorstring")
                or (actual in (int, float, Literal) and kind == "float64")
            ):
                return value
        except MalformedScalarError as error:
            is_time = kind in ("time", "microtime")
            # The message about a time names place and value, as kube-apiserver's does.
            place, shown = (f"{json_path(at)}: ", OMITTED) if is_time else ("", value)
            fault = DecodingError(f"{place}{error}", at, shown)
            if kind != "bytes":
                raise fault from None
            self._first_wrong = self._first_wrong or fault
            return value
        self.mismatch(value, of, at)
        return value

    def mismatch(self, value: Any, of: Type, at: Place) -> None:
        """Record that a value is of a wrong type; the first such value is reported."""
        if not self._first_wrong:
            whole = "a list" if isinstance(of, ListOf) else "an object"
            problem = unexpected(value, of.expected if isinstance(of, Scalar) else whole)
            self._first_wrong = DecodingError(f"{json_path(at)}: {problem}".removeprefix(": "), at)

    def unknown(self, name: str, path: str, known: Iterable[str]) -> str:
        """Return the message on an unknown field of a struct with the fields `known`."""
        return f'unknown field "{path}"'

    def duplicate(self, path: str) -> str:
        """Return the message on a repeated field."""
        return f'duplicate field "{path}"'

    def _repeated(self, value: Any, at: Place, known: Container[str]) -> Iterable[tuple[str, Any]]:
        assert isinstance(value, Repeated)
        seen = set()
        for name, _ in value.pairs:
            if name not in seen:
                seen.add(name)
                yield name, value[name]
            elif name in known:
                self.note(self.duplicate(json_path((at, name))))

    def note(self, fault: str) -> None:
        """Add a message on a field that doesn't prevent decoding."""
        if len(self._strict) < STRICT_FAULTS_MAX:
            self._strict[fault] = None


def json_path(at: Place) -> str:
    """Format the path of a value, such as `spec.containers[0].name`."""
    names: list[str] = []
    while at is not None:
        at, name = at
        names.append(f"[{name}]" if isinstance(name, int) else f".{name}")
    return "".join(reversed(names)).removeprefix(".")


def unexpected(value: Any, expected: str) -> str:
    """Return the message on a value of a wrong type; it quotes a number."""
    match value:
        case dict():
            shown = "an object"
        case list():
            shown = "a list"
        case bool():
            shown = "true" if value else "false"
        case str():
            shown = "a string"
        case None:
            shown = "null"
        case _:
            shown = value.text if isinstance(value, Literal) else str(value)
    return f"expected {expected}, got {shown}"


def _zero(of: Type) -> Any:
    # What null stands for as an entry of a list or a map.
    if isinstance(of, Scalar):
        return NO_TIME if of.kind == "time" else of.zero
    return {} if isinstance(of, Struct) else None


def _refuse_oddity(value: Any) -> None:
    why = oddity(value)
    if why:
        raise DecodingError(why)
