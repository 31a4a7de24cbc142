"""Values against types: whether a decoded object is what Go's decoder would have taken.

A value comes back as it would have been stored: nulls are gone, amounts and times are in their
canonical form. What was already so is shared, and nothing is changed in place.

Go's decoder goes on after a value of a wrong type and tells of the first one in the end; a value
that its type can't parse ends it at once. Unknown fields and fields that stand twice are noted
beside that.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from podium.apiserver.decoding.reading import Literal, Repeated, oddity
from podium.apiserver.decoding.scalars import Malformed, check_base64, quantity_text, time_text
from podium.apiserver.schema import ListOf, MapOf, Scalar, Struct, Type
from podium.apiserver.schema.model import ScalarKind

# Go's decoder tells of no more unknown and repeated fields than these.
STRICT_FAULTS_MAX = 100

_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)
_JSON_NAMES = {bool: "bool", str: "string", int: "number", float: "number", Literal: "number"}

Place = tuple["Place | None", str, str | int] | None
"""Where a value stands: the place of what it is in, the name of the struct that it is a field of
(empty for keys and indices), and its name, key or index."""


class Fault(Exception):  # noqa: N818 - becomes an answer of the decoder's
    """What keeps a value from being decoded."""


class Checker:
    """Checks one object.

    Attributes:
        strict: unknown and repeated fields, in the order in which they were found.
    """

    def __init__(self) -> None:
        self._strict: dict[str, None] = {}
        self._first_wrong = ""

    @property
    def strict(self) -> tuple[str, ...]:
        """Unknown and repeated fields, such as `unknown field "spec.x"`, in order."""
        return tuple(self._strict)

    def check(self, value: Any, of: Type) -> Any:
        """The value, as it is stored.

        Raises:
            Fault: it isn't of that type.
        """
        found = self._value(value, of, None)
        if self._first_wrong:
            raise Fault(self._first_wrong)
        return found

    def _value(self, value: Any, of: Type, at: Place) -> Any:
        kind = type(value)
        if isinstance(of, Struct):
            if kind is dict or kind is Repeated:
                return self._struct(value, of, at)
        elif isinstance(of, Scalar):
            return _SCALARS[of.kind](self, value, of, at)
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
                self._unknown(name, one, at)
                continue
            part = field.type
            if type(part) is Scalar and type(one) is part.plain:
                continue
            new = None if one is None else self._value(one, part, (at, of.name, name))
            if new is not one or one is None:
                changed = dict(value) if changed is None else changed
                if new is None:
                    changed.pop(name, None)
                else:
                    changed[name] = new
        return value if changed is None else changed

    def _map(self, value: dict[str, Any], of: MapOf, at: Place) -> dict[str, Any]:
        part, changed = of.values, None
        plain = part.plain if type(part) is Scalar else None
        items = value.items() if type(value) is dict else self._repeated(value, at, value)
        for key, one in items:
            if type(one) is plain:
                continue
            new = _zero(part) if one is None else self._value(one, part, (at, "", key))
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
            new = _zero(part) if one is None else self._value(one, part, (at, "", index))
            if new is not one:
                changed = list(value) if changed is None else changed
                changed[index] = new
        return value if changed is None else changed

    def plain(self, value: Any, of: Scalar, at: Place) -> Any:
        """A string or a boolean."""
        if type(value) is not of.plain:
            self.mismatch(value, of, at)
        return value

    def int32(self, value: Any, of: Scalar, at: Place) -> Any:
        """A whole number of 32 bits."""
        if type(value) is not int or value not in _INT32:
            self.mismatch(value, of, at)
        return value

    def int64(self, value: Any, of: Scalar, at: Place) -> Any:
        """A whole number of 64 bits."""
        if type(value) is not int or value not in _INT64:
            self.mismatch(value, of, at)
        return value

    def number(self, value: Any, of: Scalar, at: Place) -> Any:
        """Any number."""
        if type(value) not in (int, float, Literal):
            self.mismatch(value, of, at)
        return value

    def int_or_string(self, value: Any, _of: Scalar, at: Place) -> Any:
        """A whole number of 32 bits, or a string."""
        if type(value) is not str and (type(value) is not int or value not in _INT32):
            self.unparsed(value, "int32", at)
        return value

    def quantity(self, value: Any, _of: Scalar, _at: Place) -> Any:
        """An amount, which may be a number in JSON."""
        if isinstance(value, dict | list | bool):
            # Read as a text, which no quantity can be.
            value = type(value).__name__
        elif isinstance(value, Literal):
            value = value.text
        try:
            return quantity_text(value)
        except Malformed as error:
            raise Fault(str(error)) from None

    def time(self, value: Any, of: Scalar, at: Place) -> Any:
        """A time in RFC 3339."""
        if type(value) is not str:
            self.unparsed(value, "string", at)
        try:
            return time_text(value, micro=of.kind == "microtime")
        except Malformed as error:
            raise Fault(str(error)) from None

    def bytes(self, value: Any, of: Scalar, at: Place) -> Any:
        """Bytes in base64."""
        if type(value) is not str:
            self.mismatch(value, of, at)
            return value
        try:
            check_base64(value)
        except Malformed as error:
            self._first_wrong = self._first_wrong or str(error)
        return value

    def anything(self, value: Any, _of: Scalar, _at: Place) -> Any:
        """What isn't looked into."""
        _refuse_oddity(value)
        return value

    def mismatch(self, value: Any, of: Type, at: Place) -> None:
        """A value is of a wrong type."""
        if not self._first_wrong:
            self._first_wrong = cannot_unmarshal(value, of.go_name, at)

    def unparsed(self, value: Any, go_name: str, at: Place) -> None:
        """A value isn't what its type's own parser takes; raises Fault."""
        raise Fault(cannot_unmarshal(value, go_name, at))

    def _unknown(self, name: str, value: Any, at: Place) -> None:
        _refuse_oddity(value)
        self._note(f'unknown field "{json_path((at, "", name))}"')

    def _repeated(self, value: Any, at: Place, known: Container[str]) -> Iterable[tuple[str, Any]]:
        """The fields of an object in which some stand twice, with the values that count."""
        assert isinstance(value, Repeated)
        seen = set()
        for name, _ in value.pairs:
            if name not in seen:
                seen.add(name)
                yield name, value[name]
            elif name in known:
                self._note(f'duplicate field "{json_path((at, "", name))}"')

    def _note(self, fault: str) -> None:
        if len(self._strict) < STRICT_FAULTS_MAX:
            self._strict[fault] = None


_SCALARS: Mapping[ScalarKind, Callable[[Checker, Any, Scalar, Place], Any]] = {
    "string": Checker.plain,
    "bool": Checker.plain,
    "int32": Checker.int32,
    "int64": Checker.int64,
    "float64": Checker.number,
    "quantity": Checker.quantity,
    "intorstring": Checker.int_or_string,
    "time": Checker.time,
    "microtime": Checker.time,
    "bytes": Checker.bytes,
    "any": Checker.anything,
}
_ZEROS: Mapping[ScalarKind, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "float64": 0,
    "quantity": "0",
    "intorstring": 0,
    "bytes": "",
}


def json_path(at: Place) -> str:
    """A place with indices, such as `spec.containers[0].name`."""
    names: list[str] = []
    while at is not None:
        at, _, name = at
        names.append(f"[{name}]" if isinstance(name, int) else f".{name}")
    return "".join(reversed(names)).removeprefix(".")


def json_name(value: Any) -> str:
    """What Go calls a JSON value of the wrong type."""
    if isinstance(value, dict | list):
        return "object" if isinstance(value, dict) else "array"
    return _JSON_NAMES[type(value)]


def cannot_unmarshal(value: Any, go_name: str, at: Place) -> str:
    """The sentence; a number that comes near, but doesn't fit, is quoted in it."""
    name = json_name(value)
    if name == "number" and go_name in ("int32", "int64"):
        name = f"number {value.text if isinstance(value, Literal) else value}"
    struct, path = _go_field(at)
    into = f"Go struct field {struct}.{path}" if path else "Go value"
    return f"json: cannot unmarshal {name} into {into} of type {go_name}"


def _go_field(at: Place) -> tuple[str, str]:
    """The innermost struct around a place, and the fields that lead there."""
    struct, names = "", []
    while at is not None:
        at, owner, name = at
        if owner:
            struct = struct or owner
            names.append(str(name))
    return struct, ".".join(reversed(names))


def _zero(of: Type) -> Any:
    """What null stands for as an entry of a list or a map."""
    if isinstance(of, Scalar):
        return _ZEROS.get(of.kind)
    return {} if isinstance(of, Struct) else None


def _refuse_oddity(value: Any) -> None:
    why = oddity(value)
    if why:
        raise Fault(why)
