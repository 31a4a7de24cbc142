"""What is known of a function of CEL: types, implementation and cost.

Costs are those of cel-go and Kubernetes' libraries. They are counted when an expression is
evaluated, and estimated from the greatest sizes of values before that. Mostly both follow from the
sizes of the arguments. The size of a value is its number of characters, bytes, elements or entries,
and 1 for all others.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from podium.api.cel.type_system import Type
from podium.api.cel.values import Address, Network, OptionalValue

UNBOUNDED = 2**64 - 1
"""A size or cost of which nothing is known, and the greatest."""

PER_CHARACTER = 0.1
"""Cost of going through a text, by its length."""

_PER_PATTERN_CHARACTER = 0.25
LIST_COST, MAP_COST = 10, 30
"""Cost of making a list or a map, besides what is in it."""


class Size(msgspec.Struct, frozen=True):
    """The bounds of a value's size."""

    least: int = 0
    most: int = UNBOUNDED

    def __add__(self, other: "Size") -> "Size":
        return Size(self.least + other.least, bounded(self.most + other.most))

    def __mul__(self, other: "Size") -> "Size":
        return Size(self.least * other.least, bounded(self.most * other.most))

    def __or__(self, other: "Size") -> "Size":
        """Return bounds within which values of either size are."""
        return Size(min(self.least, other.least), max(self.most, other.most))


UNKNOWN = Size()


class Sized(msgspec.Struct, frozen=True):
    """What is known of an argument before an expression is evaluated.

    Attributes:
        literal: its value if it is a constant.
    """

    kind: Type
    size: Size = UNKNOWN
    literal: object = None


class Cost(msgspec.Struct, frozen=True):
    """What a call costs, besides its arguments.

    Attributes:
        estimate: returns the greatest cost for arguments.
        actual: returns the cost for the values of arguments and the result.
    """

    estimate: Callable[[Sequence[Sized]], int]
    actual: Callable[[Sequence[Any], Any], int]


class Overload(msgspec.Struct, frozen=True, eq=False):
    """A function for arguments of some types; the target of a method is the first argument.

    Attributes:
        size: returns the size of the result, where it follows from the arguments.
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    call: Callable[..., Any]
    is_method: bool
    cost: Cost
    size: Callable[[Sequence[Sized]], Size] | None


def bounded(number: int) -> int:
    """Return a size or cost, or the greatest if it is greater."""
    return min(number, UNBOUNDED)


def share(size: int, per_unit: float) -> int:
    """Return the cost of a size, rounded up."""
    return math.ceil(size * per_unit)


def size_of(value: object) -> int:
    """Return the size of a value."""
    if isinstance(value, OptionalValue) and value.is_present:
        return size_of(value.value)
    if isinstance(value, Address | Network):
        return len(value.ip.packed)
    return len(value) if hasattr(value, "__len__") else 1


def by_sizes(cost: Callable[..., int]) -> Cost:
    """Return the cost that is a function of the sizes of all arguments."""
    return Cost(
        lambda arguments: bounded(cost(*(argument.size.most for argument in arguments))),
        lambda values, _: cost(*map(size_of, values)),
    )


UNIT = by_sizes(lambda *_: 1)
"""Cost of a function that takes the same time for any arguments."""

# Of a function that goes through its first argument, once or twice, or through two of them.
TRAVERSAL = by_sizes(lambda size, *_: share(size, PER_CHARACTER))
TWO_TRAVERSALS = by_sizes(lambda size, *_: share(size, 2 * PER_CHARACTER))
OF_SMALLER = by_sizes(lambda a, b: share(min(a, b), PER_CHARACTER))
OF_BOTH = by_sizes(lambda a, b: share(bounded(a + b), PER_CHARACTER))


def matching(length: int, pattern_length: int) -> int:
    """Return the cost of matching a text of some length with a regular expression."""
    text = share(bounded(length + 1), PER_CHARACTER)
    return text * share(pattern_length, _PER_PATTERN_CHARACTER)


MATCHING = by_sizes(lambda text, pattern, *_: matching(text, pattern))


def of_first(arguments: Sequence[Sized]) -> Size:
    """Return the size of the first argument, as that of the result."""
    return arguments[0].size


def function(
    name: str,
    parameters: Sequence[Type],
    result: Type,
    call: Callable[..., Any],
    cost: Cost = UNIT,
    size: Callable[[Sequence[Sized]], Size] | None = None,
) -> Overload:
    """Return an overload of a function or operator."""
    return Overload(name, tuple(parameters), result, call, False, cost, size)


def method(
    name: str,
    parameters: Sequence[Type],
    result: Type,
    call: Callable[..., Any],
    cost: Cost = UNIT,
    size: Callable[[Sequence[Sized]], Size] | None = None,
) -> Overload:
    """Return an overload of a method, whose first parameter is its target."""
    return Overload(name, tuple(parameters), result, call, True, cost, size)
