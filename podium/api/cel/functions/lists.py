"""Functions of lists, maps and sets."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from podium.api.cel.functions.operators import limited
from podium.api.cel.functions.overloads import (
    LIST_COST,
    PER_CHARACTER,
    UNBOUNDED,
    Cost,
    Overload,
    Size,
    Sized,
    bounded,
    by_sizes,
    function,
    method,
    of_first,
    share,
)
from podium.api.cel.syntax import UInt
from podium.api.cel.type_system import (
    BOOL,
    BYTES,
    COMPARABLE,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    LIST,
    MAP,
    OPTIONAL,
    STRING,
    UINT,
    A,
    is_a,
)
from podium.api.cel.values import (
    ABSENT,
    CelError,
    Duration,
    OptionalValue,
    compare,
    contains,
    cost_exceeded,
    equal,
    no_such_overload,
    type_of,
)

SORT_BY_KEYS = "@sortByAssociatedKeys"
_TEXTS = (STRING, BYTES)
# Longer ones cost more than any expression may.
_RANGE_MAX = 1_000_000


def _is_sorted(values: Sequence[Any]) -> bool:
    return all(compare(a, b) <= 0 for a, b in pairwise(values))


def _least(values: Sequence[Any]) -> Any:
    return _extreme(values, "min", -1)


def _greatest(values: Sequence[Any]) -> Any:
    return _extreme(values, "max", 1)


def _extreme(values: Sequence[Any], name: str, sign: int) -> Any:
    if not values:
        raise CelError(f"{name} called on empty list")
    best = values[0]
    for value in values[1:]:
        if compare(value, best) * sign > 0:
            best = value
    return best


_ZEROS = {INT: 0, UINT: UInt(0), DOUBLE: 0.0, DURATION: Duration(0)}


def _sum(zero: Any, values: Sequence[Any]) -> Any:
    total = values[0] if values else zero
    if type_of(total) not in _ZEROS:
        raise no_such_overload()
    for value in values[1:]:
        if type(value) is not type(total):
            raise no_such_overload()
        if isinstance(value, Duration):
            total = Duration(limited(total.nanos + value.nanos))
        else:
            total = total + value if isinstance(value, float) else type(value)(total + value)
    return total if isinstance(total, float | Duration) else type(total)(limited(total))


def _first_index(values: Sequence[Any], wanted: Any) -> int:
    return next((index for index, value in enumerate(values) if equal(value, wanted)), -1)


def _last_index(values: Sequence[Any], wanted: Any) -> int:
    back = _first_index(values[::-1], wanted)
    return -1 if back < 0 else len(values) - 1 - back


def _first(values: Sequence[Any]) -> OptionalValue:
    return OptionalValue(True, values[0]) if values else ABSENT


def _last(values: Sequence[Any]) -> OptionalValue:
    return OptionalValue(True, values[-1]) if values else ABSENT


def _slice(values: Sequence[Any], start: int, end: int) -> list[Any]:
    why = ""
    if start < 0 or end < 0:
        why = "negative indexes not supported"
    elif start > end:
        why = "start index must be less than or equal to end index"
    elif end > len(values):
        why = f"list is length {len(values)}"
    if why:
        raise CelError(f"cannot slice({start}, {end}), {why}")
    return [*values[start:end]]


def _flatten(values: Sequence[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise CelError("level must be non-negative")
    flat: list[Any] = []
    for value in values:
        is_list = isinstance(value, list | tuple) and depth
        flat += _flatten(value, depth - 1) if is_list else [value]
    return flat


def _distinct(values: Sequence[Any]) -> list[Any]:
    distinct: list[Any] = []
    for value in values:
        if not contains(distinct, value):
            distinct.append(value)
    return distinct


def _sort_by_keys(values: Sequence[Any], keys: Sequence[Any]) -> list[Any]:
    if keys and type_of(keys[0]) not in COMPARABLE:
        raise CelError("list elements must be comparable")
    if len({type(key) for key in keys}) > 1:
        raise CelError("list elements must have the same type")
    return [values[index] for index in sorted(range(len(values)), key=keys.__getitem__)]


def _sorted(values: Sequence[Any]) -> list[Any]:
    return _sort_by_keys(values, values)


def _has_all(values: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return all(contains(values, element) for element in wanted)


def _is_equivalent(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return _has_all(a, b) and _has_all(b, a)


def _range(length: int) -> list[int]:
    if length > _RANGE_MAX:
        raise cost_exceeded()
    return [*range(length)]


def _has_any(values: Sequence[Any], wanted: Sequence[Any]) -> bool:
    return any(contains(values, element) for element in wanted)


def _traversal(value: Any) -> int:
    """Return the cost of going through a value and all that is in it."""
    if isinstance(value, str | bytes):
        return int(len(value) * PER_CHARACTER)
    if isinstance(value, Mapping):
        return sum(_traversal(key) + _traversal(entry) for key, entry in value.items())
    return sum(map(_traversal, value)) if isinstance(value, list | tuple) else 1


def _estimated_traversal(arguments: Sequence[Sized]) -> int:
    values = arguments[0]
    if not is_a(values.kind, "list"):
        return share(values.size.most, PER_CHARACTER)
    each = 1 + share(UNBOUNDED, PER_CHARACTER) if values.kind[1] in _TEXTS else 1
    return bounded(values.size.most * each)


_EACH = Cost(_estimated_traversal, lambda values, _: _traversal(values[0]))


def _making(size: int, per_element: float = 1) -> int:
    return bounded(share(size, per_element) + 1 + LIST_COST)


def _square(arguments: Sequence[Sized]) -> Size:
    return arguments[0].size * arguments[0].size


def _literal(argument: Sized, otherwise: int) -> int:
    return max(argument.literal, 0) if type(argument.literal) is int else otherwise


def _sliced_size(arguments: Sequence[Sized]) -> Size:
    values, start, end = arguments
    length = _literal(end, values.size.most) - _literal(start, 0)
    return Size(length, length) if length >= 0 else Size(UNBOUNDED, UNBOUNDED)


def _range_size(arguments: Sequence[Sized]) -> Size:
    length = _literal(arguments[0], UNBOUNDED)
    return Size(length, length)


def _flattening(size: int, depth: int = 1) -> int:
    return _making(bounded(size * depth))


_FLATTENING = Cost(
    lambda of: _flattening(of[0].size.most, *(_literal(depth, UNBOUNDED) for depth in of[1:])),
    lambda values, _: _flattening(len(values[0]), *values[1:]),
)
_SLICING = Cost(
    lambda arguments: _making(_sliced_size(arguments).most), lambda _, made: _making(len(made))
)
_RANGE = Cost(
    lambda arguments: _making(_range_size(arguments).most), lambda _, made: _making(len(made))
)
_REVERSAL = by_sizes(_making)
_SETS = by_sizes(lambda a, b: bounded(a * b) + 1)
_TWO_WAYS = by_sizes(lambda a, b: bounded(2 * a * b) + 1)


def _comparing(kind: str, position: int = 0) -> Cost:
    """Return the cost of comparing all elements of a list with each other.

    Args:
        kind: their type, as far as the overload tells it.
        position: that of the list among the arguments.
    """

    def cost_of(size: int, kind: str) -> int:
        return _making(bounded(size * size), 2 + PER_CHARACTER if kind in _TEXTS else 2)

    def actual(values: Sequence[Any], _: Any) -> int:
        elements = values[position]
        return cost_of(len(elements), type_of(elements[0]) if elements else kind)

    return Cost(lambda arguments: cost_of(arguments[position].size.most, kind), actual)


def _ordered(kind: str) -> list[Overload]:
    """Return the methods of lists of elements that have an order."""
    of_kind, by_keys = (("list", kind),), (LIST, ("list", kind))
    return [
        method("isSorted", of_kind, BOOL, _is_sorted, _EACH),
        method("min", of_kind, kind, _least, _EACH),
        method("max", of_kind, kind, _greatest, _EACH),
        method("sort", of_kind, of_kind[0], _sorted, _comparing(kind), _square),
        # What the macro `sortBy` calls with the keys of all elements.
        method(SORT_BY_KEYS, by_keys, LIST, _sort_by_keys, _comparing(kind, 1), _square),
    ]


OVERLOADS = (
    *(
        make("size", (kind,), INT, len)
        for make in (function, method)
        for kind in (STRING, BYTES, LIST, MAP)
    ),
    *(overload for kind in COMPARABLE for overload in _ordered(kind)),
    *(
        method("sum", (("list", kind),), kind, partial(_sum, zero), _EACH)
        for kind, zero in _ZEROS.items()
    ),
    method("indexOf", (LIST, A), INT, _first_index, _EACH),
    method("lastIndexOf", (LIST, A), INT, _last_index, _EACH),
    method("distinct", (LIST,), LIST, _distinct, _comparing(DYN), _square),
    method("reverse", (LIST,), LIST, lambda a: [*reversed(a)], _REVERSAL, of_first),
    method("slice", (LIST, INT, INT), LIST, _slice, _SLICING, _sliced_size),
    method("flatten", (("list", LIST),), LIST, _flatten, _FLATTENING, of_first),
    method("flatten", (("list", DYN), INT), ("list", DYN), _flatten, _FLATTENING, of_first),
    function("lists.range", (INT,), ("list", INT), _range, _RANGE, _range_size),
    method("first", (LIST,), OPTIONAL, _first),
    method("last", (LIST,), OPTIONAL, _last),
    function("sets.contains", (LIST, LIST), BOOL, _has_all, _SETS),
    function("sets.intersects", (LIST, LIST), BOOL, _has_any, _SETS),
    function("sets.equivalent", (LIST, LIST), BOOL, _is_equivalent, _TWO_WAYS),
)
