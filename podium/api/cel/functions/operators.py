"""Operators, and the conversions between numbers, texts and bytes."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from podium.api.cel.functions.overloads import (
    OF_BOTH,
    OF_SMALLER,
    PER_CHARACTER,
    TRAVERSAL,
    UNIT,
    Cost,
    Overload,
    Size,
    Sized,
    by_sizes,
    function,
    share,
    size_of,
)
from podium.api.cel.syntax import UInt
from podium.api.cel.type_system import (
    BOOL,
    BYTES,
    CIDR,
    COMPARABLE,
    DOUBLE,
    DYN,
    INT,
    IP,
    LIST,
    MAP,
    NAMED_FORMAT,
    NUMBERS,
    QUANTITY,
    SEMVER,
    STRING,
    TYPE,
    UINT,
    URL,
    A,
)
from podium.api.cel.values import (
    CelError,
    CelType,
    compare,
    contains,
    cost_exceeded,
    equal,
    type_of,
)
from podium.api.values.quantity import INT64_MAX, INT64_MIN

_UINT64_MAX = 2**64 - 1
_NAMED_FORMAT_SIZE_MAX = 64
_ELEMENTS_MAX = 1_000_000


def limited(number: int) -> int:
    """Return an int of 64 bits; raises CelError for others."""
    if not INT64_MIN <= number <= INT64_MAX:
        raise CelError("integer overflow")
    return number


def _unsigned(number: int) -> UInt:
    if not 0 <= number <= _UINT64_MAX:
        raise CelError("unsigned integer overflow")
    return UInt(number)


def _quotient(a: int, b: int) -> int:
    if not b:
        raise CelError("division by zero")
    # Go rounds towards zero.
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    if not b:
        raise CelError("modulus by zero")
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _real_quotient(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


_INTEGER_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "_+_": lambda a, b: a + b,
    "_-_": lambda a, b: a - b,
    "_*_": lambda a, b: a * b,
    "_/_": _quotient,
    "_%_": _remainder,
}
_REAL_OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "_+_": lambda a, b: a + b,
    "_-_": lambda a, b: a - b,
    "_*_": lambda a, b: a * b,
    "_/_": _real_quotient,
}


def _integer_operator(sign: str) -> list[Overload]:
    compute = _INTEGER_OPERATORS[sign]
    return [
        function(sign, (INT, INT), INT, lambda a, b: limited(compute(a, b))),
        function(sign, (UINT, UINT), UINT, lambda a, b: _unsigned(compute(int(a), int(b)))),
    ]


def _appended(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    # Costs don't tell, since cel-go copies neither list.
    if len(a) + len(b) > _ELEMENTS_MAX:
        raise cost_exceeded()
    return [*a, *b]


def _size_of_both(arguments: Sequence[Sized]) -> Size:
    return arguments[0].size + arguments[1].size


def _orders(sign: str, holds: Callable[[int], bool]) -> list[Overload]:
    def is_ordered(a: Any, b: Any) -> bool:
        # NaN is in no order.
        return False if a != a or b != b else holds(compare(a, b))

    pairs = [(a, b) for a in NUMBERS for b in NUMBERS]
    pairs += [(kind, kind) for kind in COMPARABLE if kind not in NUMBERS]
    of_texts = {STRING, BYTES}
    return [
        function(sign, pair, BOOL, is_ordered, OF_SMALLER if pair[0] in of_texts else UNIT)
        for pair in pairs
    ]


_CHEAPLY_EQUAL = frozenset({QUANTITY, SEMVER, IP, CIDR, URL, NAMED_FORMAT})


def _estimated_equality(arguments: Sequence[Sized]) -> int:
    a, b = arguments
    if a.kind == b.kind == NAMED_FORMAT:
        return share(_NAMED_FORMAT_SIZE_MAX, PER_CHARACTER)
    if a.kind == b.kind and a.kind in _CHEAPLY_EQUAL:
        return 1
    return OF_SMALLER.estimate(arguments)


def _actual_equality(values: Sequence[Any], _: Any) -> int:
    if type_of(values[0]) in _CHEAPLY_EQUAL:
        return 1
    return share(min(map(size_of, values)), PER_CHARACTER)


_EQUALITY = Cost(_estimated_equality, _actual_equality)


def _to_int(number: float) -> int:
    if not -(2.0**63) < number < 2.0**63:
        raise CelError("integer overflow")
    return int(number)


def _read_number(text: str, read: Callable[[str], Any], what: str) -> Any:
    try:
        if text != text.strip() or "_" in text:
            raise ValueError
        return read(text)
    except ValueError:
        raise CelError(f"type conversion error from 'string' to '{what}'") from None


def _read_bool(text: str) -> bool:
    if text in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if text in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise CelError("type conversion error from 'string' to 'bool'")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None


def double_text(number: float) -> str:
    """Return a double as text, with the fewest digits that tell it from others."""
    if number != number or math.isinf(number):
        return "NaN" if number != number else ("+Inf" if number > 0 else "-Inf")
    digits, exponent = f"{Decimal(repr(number)).normalize():e}".split("e")
    if -5 < int(exponent) < 6:
        return f"{Decimal(repr(number)).normalize():f}"
    return f"{digits}e{exponent[0]}{exponent[1:]:0>2}"


def _encoded_size(arguments: Sequence[Sized]) -> Size:
    size = arguments[0].size
    return size * Size(1, 4)


def _decoded_size(arguments: Sequence[Sized]) -> Size:
    size = arguments[0].size
    return Size(size.least // 4, size.most)


def unchanged(value: Any) -> Any:
    """Return a value that is of the wanted type already."""
    return value


_CONVERSIONS: Sequence[tuple[str, str, Callable[[Any], Any]]] = (
    (INT, INT, unchanged),
    (UINT, INT, lambda a: limited(int(a))),
    (DOUBLE, INT, _to_int),
    (STRING, INT, lambda a: limited(_read_number(a, int, "int"))),
    (UINT, UINT, unchanged),
    (INT, UINT, _unsigned),
    (DOUBLE, UINT, lambda a: _unsigned(int(a) if a >= 0 else -1)),
    (STRING, UINT, lambda a: _unsigned(_read_number(a, int, "uint"))),
    (DOUBLE, DOUBLE, unchanged),
    (INT, DOUBLE, float),
    (UINT, DOUBLE, float),
    (STRING, DOUBLE, lambda a: _read_number(a, float, "double")),
    (STRING, STRING, unchanged),
    (BOOL, STRING, lambda a: "true" if a else "false"),
    (INT, STRING, str),
    (UINT, STRING, lambda a: str(int(a))),
    (DOUBLE, STRING, double_text),
    (BOOL, BOOL, unchanged),
    (STRING, BOOL, _read_bool),
    (BYTES, BYTES, unchanged),
)

CONVERSIONS = frozenset({BOOL, INT, UINT, DOUBLE, STRING, BYTES})
"""Functions that convert literals before an expression is evaluated."""

OVERLOADS = (
    *(overload for sign in _INTEGER_OPERATORS for overload in _integer_operator(sign)),
    *(function(s, (DOUBLE, DOUBLE), DOUBLE, call) for s, call in _REAL_OPERATORS.items()),
    *(
        function("_+_", (kind, kind), kind, lambda a, b: a + b, OF_BOTH, _size_of_both)
        for kind in (STRING, BYTES)
    ),
    function("_+_", (LIST, LIST), LIST, _appended, UNIT, _size_of_both),
    function("-_", (INT,), INT, lambda a: limited(-a)),
    function("-_", (DOUBLE,), DOUBLE, lambda a: -a),
    function("!_", (BOOL,), BOOL, lambda a: not a),
    function("_?_:_", (BOOL, A, A), A, lambda test, a, b: a if test else b),
    function("_==_", (A, A), BOOL, equal, _EQUALITY),
    function("_!=_", (A, A), BOOL, lambda a, b: not equal(a, b), OF_SMALLER),
    *_orders("_<_", lambda order: order < 0),
    *_orders("_<=_", lambda order: order <= 0),
    *_orders("_>_", lambda order: order > 0),
    *_orders("_>=_", lambda order: order >= 0),
    function("@in", (A, LIST), BOOL, lambda a, b: contains(b, a), by_sizes(lambda _, size: size)),
    function("@in", (A, MAP), BOOL, lambda a, b: contains(b, a)),
    *(function(to, (of,), to, call) for of, to, call in _CONVERSIONS),
    function("string", (BYTES,), STRING, _decoded, TRAVERSAL, _decoded_size),
    function("bytes", (STRING,), BYTES, str.encode, TRAVERSAL, _encoded_size),
    function("dyn", (A,), DYN, unchanged),
    function("type", (A,), TYPE, lambda a: CelType(type_of(a))),
)
