"""Checks of literals that can't be right whatever an expression is evaluated with."""

from collections.abc import Mapping, Sequence

from podium.api.cel.functions.formatting import check_clause, fill
from podium.api.cel.functions.overloads import Overload
from podium.api.cel.functions.strings import regex
from podium.api.cel.syntax import ListOf, Literal, MapOf, Node
from podium.api.cel.type_system import DYN, Type, value_type_name
from podium.api.cel.values import CelError

# Functions that read an argument, by its position.
_READ = {"timestamp": 0, "duration": 0, "matches": 1}


def literal_fault(
    place: int, overload: Overload, arguments: Sequence[Node], kinds: Mapping[int, Type]
) -> tuple[int, str] | None:
    """Return what is wrong with a literal argument of a call, and where; None if nothing is.

    Args:
        place: that of the call.
        kinds: the types of parts by the identity of their nodes.
    """
    position = _READ.get(overload.name)
    if position is not None:
        argument = arguments[position]
        if isinstance(argument, Literal) and not _is_readable(overload, argument.value):
            return argument.place, f"invalid {overload.name} argument"
    elif overload.name == "format":
        text, values = arguments
        if isinstance(text, Literal) and isinstance(values, ListOf):
            return _unformattable(place, str(text.value), values.elements, kinds)
    return None


def _is_readable(overload: Overload, value: object) -> bool:
    if overload.name == "duration" and not isinstance(value, str):
        return False
    try:
        regex(str(value)) if overload.name == "matches" else overload.call(value)
    except CelError:
        return False
    return True


def _unformattable(
    place: int, text: str, values: Sequence[Node], kinds: Mapping[int, Type]
) -> tuple[int, str] | None:
    used = 0

    def check(letter: str, _precision: int, value: Node) -> str:
        nonlocal used
        used += 1
        _check_value(letter, value, kinds)
        return ""

    try:
        fill(text, values, check)
    except CelError as error:
        return place if error.place is None else error.place, str(error)
    if used < len(values):
        why = f"too many arguments supplied to string.format (expected {used}, got {len(values)})"
        return place, why
    return None


def _check_value(letter: str, value: Node, kinds: Mapping[int, Type]) -> None:
    kind = kinds[id(value)]
    name = value_type_name(kind)
    try:
        if name != DYN:
            check_clause(letter, name)
    except CelError as error:
        error.place = value.place
        raise
    if letter == "s" and isinstance(value, ListOf | MapOf):
        parts = value.elements if isinstance(value, ListOf) else sum(value.entries, ())
        for part in parts:
            _check_value(letter, part, kinds)
