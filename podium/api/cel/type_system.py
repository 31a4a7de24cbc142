"""The types of CEL, and which types fit which."""

from collections.abc import Mapping
from typing import Any

Type = str | tuple[Any, ...]
"""A type: a name such as `int`, or a tuple: `("list", element)`, `("map", key, value)`,
`("optional", value)`, or `("param", name)` for any type in the signature of a function."""

BOOL, INT, UINT, DOUBLE, STRING, BYTES = "bool", "int", "uint", "double", "string", "bytes"
NULL, TYPE, DYN, ANY = "null_type", "type", "dyn", "any"
ERROR = "!error!"
"""The type of a part that has a fault, which fits any type."""

TIMESTAMP, DURATION = "google.protobuf.Timestamp", "google.protobuf.Duration"
QUANTITY, SEMVER = "kubernetes.Quantity", "kubernetes.Semver"
URL, NAMED_FORMAT = "kubernetes.URL", "kubernetes.NamedFormat"
IP, CIDR = "net.IP", "net.CIDR"

FREE = "free"
"""The type of elements of an empty list or map, which fits any type."""

A, B = ("param", "A"), ("param", "B")
LIST, MAP, OPTIONAL = ("list", A), ("map", A, B), ("optional", A)
STRINGS = ("list", STRING)

NUMBERS = (INT, UINT, DOUBLE)
COMPARABLE = (*NUMBERS, BOOL, STRING, BYTES, DURATION, TIMESTAMP)
SCALAR = frozenset({*NUMBERS, BOOL, DURATION, TIMESTAMP})
_UNKNOWN = frozenset({DYN, ANY, FREE, ERROR})


def is_unknown(kind: Type) -> bool:
    """Return whether values of any type may have this one."""
    return kind in _UNKNOWN


def has_free_part(kind: Type) -> bool:
    """Return whether a type is, or has, that of the elements of an empty list or map."""
    return kind == FREE or (isinstance(kind, tuple) and any(map(has_free_part, kind[1:])))


def is_a(kind: Type, name: str) -> bool:
    """Return whether a type is a `list`, `map`, `optional` or `param`."""
    return isinstance(kind, tuple) and kind[0] == name


def is_assignable(wanted: Type, kind: Type, bound: dict[str, Type]) -> bool:
    """Return whether a value of a type fits a parameter; binds the parameters of types."""
    if is_a(wanted, "param"):
        known = bound.setdefault(wanted[1], kind)
        bound[wanted[1]] = joined(known, kind)
        return is_assignable(known, kind, {})
    if is_unknown(wanted) or is_unknown(kind):
        return True
    if isinstance(wanted, tuple) and isinstance(kind, tuple):
        return wanted[0] == kind[0] and all(
            is_assignable(a, b, bound) for a, b in zip(wanted[1:], kind[1:], strict=True)
        )
    if kind == NULL:
        # Null is a value of all messages and abstract types, whose names have a dot.
        return wanted == NULL or is_a(wanted, "optional") or "." in wanted
    return wanted == kind


def is_certain(wanted: Type, kind: Type) -> bool:
    """Return whether a value of a type fits a parameter whatever the value is."""
    if is_a(wanted, "param") or is_unknown(wanted):
        return True
    if isinstance(wanted, tuple):
        return isinstance(kind, tuple) and all(map(is_certain, wanted[1:], kind[1:]))
    return wanted == kind


def is_equivalent(kind: Type, other: Type) -> bool:
    """Return whether two types are the same, where the elements of empty lists are of any type."""
    if FREE in (kind, other):
        return True
    if isinstance(kind, tuple) and isinstance(other, tuple):
        return kind[0] == other[0] and all(map(is_equivalent, kind[1:], other[1:]))
    return kind == other


def substituted(kind: Type, bound: Mapping[str, Type]) -> Type:
    """Return a type with its parameters replaced by the types that are bound to them."""
    if is_a(kind, "param"):
        return bound.get(kind[1], FREE)
    if isinstance(kind, tuple):
        return (kind[0], *(substituted(part, bound) for part in kind[1:]))
    return kind


def joined(kind: Type, other: Type) -> Type:
    """Return the type of what is of one type or another, given that one fits the other."""
    if kind == FREE or (other in (DYN, ANY) and kind not in (DYN, ANY)):
        return other
    if isinstance(kind, tuple) and isinstance(other, tuple) and kind[0] == other[0]:
        return (kind[0], *map(joined, kind[1:], other[1:]))
    return kind


def type_name(kind: Type) -> str:
    """Return a type as errors of the checker write it."""
    return _written(kind, _SHORT)


def declared_name(kind: Type) -> str:
    """Return a type by the full name of its declaration."""
    return _written(kind, _FULL)


def value_type_name(kind: Type) -> str:
    """Return the name of the type that values of a type have at runtime."""
    head = kind if isinstance(kind, str) else kind[0]
    return "optional_type" if head == "optional" else head


def _written(kind: Type, names: Mapping[str, str]) -> str:
    if not isinstance(kind, tuple):
        return names.get(kind, kind)
    return f"{value_type_name(kind)}({', '.join(_written(part, names) for part in kind[1:])})"


_SHORT = {NULL: "null", TIMESTAMP: "timestamp", DURATION: "duration", FREE: DYN}
_FULL = {ANY: "google.protobuf.Any", FREE: DYN}
