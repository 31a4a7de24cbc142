"""The values of CEL at runtime, their types, equality and order.

Values are Python's: bool, int, `UInt`, float, str, bytes, None, lists and dicts; `Quantity`; and
the classes of this module. Numbers of different types are compared by value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import total_ordering
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import msgspec

from podium.api.cel.syntax import UInt
from podium.api.cel.type_system import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    INT,
    IP,
    NAMED_FORMAT,
    NULL,
    QUANTITY,
    SEMVER,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    URL,
    Type,
    is_unknown,
)
from podium.api.values.integers import parse_count
from podium.api.values.quantity import Quantity

_NUMBERS = (int, UInt, float)
_WORD = re.compile("[-0-9A-Za-z]+", re.ASCII)


class CelError(Exception):
    """The evaluation of an expression failed; the message says why, as cel-go does."""

    place: int | None = None
    """Offset of the part that failed in the text of the expression, if it was traced."""


class CelType(msgspec.Struct, frozen=True):
    """A type as a value, the result of `type(x)`."""

    name: str


class OptionalValue(msgspec.Struct, frozen=True):
    """An optional value; absent if `is_present` is false."""

    is_present: bool = False
    value: Any = None


ABSENT = OptionalValue()


@total_ordering
class Semver(msgspec.Struct, frozen=True, eq=False):
    """A semantic version; build metadata counts in no comparison."""

    major: int
    minor: int
    patch: int
    pre_release: tuple[tuple[bool, int, str], ...] = ()

    @property
    def _order(self) -> tuple[Any, ...]:
        # A version comes after all its pre-releases; numbers come before words.
        return self.major, self.minor, self.patch, not self.pre_release, self.pre_release

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and self._order == other._order

    def __lt__(self, other: "Semver") -> bool:
        return bool(self._order < other._order)

    def __hash__(self) -> int:
        return hash(self._order)


def parse_semver(text: str) -> Semver:
    """Parse a semantic version.

    Raises:
        CelError: the text isn't one; the message is that of the library which Kubernetes uses.
    """
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) < 3:
        raise CelError("No Major.Minor.Patch elements found")
    major, minor, rest = parts
    rest, plus, build = rest.partition("+")
    patch, dash, pre_release = rest.partition("-")
    numbers = [
        _number(digits, f'{name} number "{digits}"', f"{name.capitalize()} number")
        for name, digits in (("major", major), ("minor", minor), ("patch", patch))
    ]
    words: list[tuple[bool, int, str]] = []
    for word in pre_release.split(".") if dash else ():
        _require_word(word, "Prerelease", "prerelease")
        is_number = word.isdigit()
        number = _number(word, "", "Numeric PreRelease version") if is_number else 0
        words.append((not is_number, number, "" if is_number else word))
    for word in build.split(".") if plus else ():
        _require_word(word, "Build meta data", "build meta data")
    return Semver(numbers[0], numbers[1], numbers[2], tuple(words))


def _number(digits: str, what: str, name: str) -> int:
    if digits.strip("0123456789"):
        raise CelError(f"Invalid character(s) found in {what}")
    if len(digits) > 1 and digits[0] == "0":
        raise CelError(f'{name} must not contain leading zeroes "{digits}"')
    number = parse_count(digits)
    if number is None:
        why = "value out of range" if digits else "invalid syntax"
        raise CelError(f'strconv.ParseUint: parsing "{digits}": {why}')
    return number


def _require_word(word: str, name: str, what: str) -> None:
    if not word:
        raise CelError(f"{name} is empty")
    if not _WORD.fullmatch(word):
        raise CelError(f'Invalid character(s) found in {what} "{word}"')


class Address(msgspec.Struct, frozen=True):
    """An IP address."""

    ip: IPv4Address | IPv6Address


class Network(msgspec.Struct, frozen=True):
    """An address with the length of its prefix; bits beyond the prefix may be set."""

    ip: IPv4Address | IPv6Address
    length: int


class Duration(msgspec.Struct, frozen=True, order=True):
    """A duration of at most 292 years."""

    nanos: int


class Timestamp(msgspec.Struct, frozen=True, order=True):
    """A time of the years 1 to 9999."""

    nanos: int
    """Since 1970-01-01T00:00:00Z."""


class Url(msgspec.Struct, frozen=True):
    """An absolute URL or path; host and path as they are written in a URL."""

    scheme: str
    host: str
    path: str
    query: str
    rest: str = ""
    """User and fragment, which no function shows."""


class NamedFormat(msgspec.Struct, frozen=True):
    """A format of texts, such as that of labels.

    Attributes:
        faults: returns the messages on a text; empty if it has the format.
        pattern_length: length of a regular expression that a check costs as much as.
    """

    name: str
    faults: Callable[[str], Sequence[str]]
    pattern_length: int


def type_of(value: object) -> str:
    """Return the name of a value's type."""
    return _TYPE_NAMES.get(type(value)) or ("map" if isinstance(value, Mapping) else "list")


_TYPE_NAMES: Mapping[type, str] = {
    bool: BOOL,
    int: INT,
    UInt: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
    CelType: TYPE,
    Quantity: QUANTITY,
    Semver: SEMVER,
    Address: IP,
    Network: CIDR,
    Duration: DURATION,
    Timestamp: TIMESTAMP,
    Url: URL,
    NamedFormat: NAMED_FORMAT,
    OptionalValue: "optional_type",
}


def is_of(value: object, expected: Type) -> bool:
    """Return whether a value has a type, without a look at the elements of lists and maps."""
    if isinstance(expected, tuple):
        kind = expected[0]
        return bool(kind == "param" or type_of(value).removesuffix("_type") == kind)
    return is_unknown(expected) or type_of(value) == expected


def equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal; values of different types are not, but numbers."""
    kind, other = type(a), type(b)
    if kind in _NUMBERS and other in _NUMBERS:
        return bool(a == b if kind is not float and other is not float else float(a) == float(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return len(a) == len(b) and all(
            key in b and equal(value, b[key]) for key, value in a.items()
        )
    if kind in (list, tuple) and other in (list, tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    return kind is other and bool(a == b)


def compare(a: Any, b: Any) -> int:
    """Return -1, 0 or 1 as `a` is less than, equal to or greater than `b`.

    Raises:
        CelError: the values can't be compared.
    """
    if type(a) is not type(b) and not (type(a) in _NUMBERS and type(b) in _NUMBERS):
        raise no_such_overload()
    if type(a) not in _ORDERED:
        raise no_such_overload()
    if float in (type(a), type(b)):
        a, b = float(a), float(b)
    return int(a > b) - int(a < b)


_ORDERED = frozenset({bool, *_NUMBERS, str, bytes, Duration, Timestamp})


def contains(container: Mapping[Any, Any] | Sequence[Any], key: Any) -> bool:
    """Return whether a list has an element, or a map a key."""
    if isinstance(container, Mapping):
        return key.__hash__ is not None and key in container and type(key) is not bool
    return any(equal(element, key) for element in container)


def no_such_overload() -> CelError:
    """Return the error of a function or operator that doesn't take values of these types."""
    return CelError("no such overload")


def cost_exceeded() -> CelError:
    """Return the error of an evaluation that costs more than it may."""
    return CelError("operation cancelled: actual cost limit exceeded")
