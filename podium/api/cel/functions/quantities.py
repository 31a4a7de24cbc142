"""Functions of quantities, such as `1Gi`, and of semantic versions."""

from collections.abc import Callable
from typing import Any

from podium.api.cel.functions.operators import limited
from podium.api.cel.functions.overloads import TRAVERSAL, Overload, function, method
from podium.api.cel.type_system import BOOL, DOUBLE, INT, QUANTITY, SEMVER, STRING
from podium.api.cel.values import CelError, Semver, parse_semver
from podium.api.errors import InvalidValueError
from podium.api.values.quantity import (
    INT64_MAX,
    INT64_MIN,
    NANOS_PER_UNIT,
    Quantity,
    parse_quantity,
)


def _quantity(text: str) -> Quantity:
    try:
        return parse_quantity(text)
    except InvalidValueError as error:
        raise CelError(error.error.message) from None


def succeeds(read: Callable[..., Any]) -> Callable[..., bool]:
    """Return the function that tests whether texts can be read."""

    def is_readable(*arguments: Any) -> bool:
        try:
            read(*arguments)
        except CelError:
            return False
        return True

    return is_readable


def _is_integer(amount: Quantity) -> bool:
    units, rest = divmod(amount.nanos, NANOS_PER_UNIT)
    return not rest and INT64_MIN <= units <= INT64_MAX


def _as_integer(amount: Quantity) -> int:
    if not _is_integer(amount):
        raise CelError("cannot convert value to integer")
    return amount.nanos // NANOS_PER_UNIT


def _units(number: int) -> Quantity:
    return Quantity(number * NANOS_PER_UNIT)


def _sign_of(number: int) -> int:
    return (number > 0) - (number < 0)


def _semver(text: str, normalize: bool = False) -> Semver:
    if not normalize:
        return parse_semver(text)
    parts = [
        (part.lstrip("0") if part.lstrip("0")[:1].isdigit() else "0" + part.lstrip("0"))
        if len(part) > 1
        else part
        for part in text.removeprefix("v").split(".", 2)
    ]
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return parse_semver(".".join([*parts, "0", "0"][: max(len(parts), 3)]))


def _number_of_version(name: str) -> Overload:
    return method(name, (SEMVER,), INT, lambda version: limited(getattr(version, name)))


_PAIR, _WITH_INT = (QUANTITY, QUANTITY), (QUANTITY, INT)
_VERSIONS = (SEMVER, SEMVER)
_NORMALIZED = (STRING, BOOL)

OVERLOADS = (
    function("quantity", (STRING,), QUANTITY, _quantity, TRAVERSAL),
    function("isQuantity", (STRING,), BOOL, succeeds(_quantity), TRAVERSAL),
    method("isGreaterThan", _PAIR, BOOL, lambda a, b: a.nanos > b.nanos),
    method("isLessThan", _PAIR, BOOL, lambda a, b: a.nanos < b.nanos),
    method("compareTo", _PAIR, INT, lambda a, b: _sign_of(a.nanos - b.nanos)),
    method("add", _PAIR, QUANTITY, lambda a, b: a + b),
    method("sub", _PAIR, QUANTITY, lambda a, b: a - b),
    method("add", _WITH_INT, QUANTITY, lambda a, n: a + _units(n)),
    method("sub", _WITH_INT, QUANTITY, lambda a, n: a - _units(n)),
    method("isInteger", (QUANTITY,), BOOL, _is_integer),
    method("asInteger", (QUANTITY,), INT, _as_integer),
    method("asApproximateFloat", (QUANTITY,), DOUBLE, lambda a: a.nanos / 1e9),
    function("sign", (QUANTITY,), INT, lambda a: _sign_of(a.nanos)),
    function("semver", (STRING,), SEMVER, _semver, TRAVERSAL),
    function("semver", _NORMALIZED, SEMVER, _semver, TRAVERSAL),
    function("isSemver", (STRING,), BOOL, succeeds(_semver), TRAVERSAL),
    function("isSemver", _NORMALIZED, BOOL, succeeds(_semver), TRAVERSAL),
    method("isGreaterThan", _VERSIONS, BOOL, lambda a, b: a > b),
    method("isLessThan", _VERSIONS, BOOL, lambda a, b: a < b),
    method("compareTo", _VERSIONS, INT, lambda a, b: (a > b) - (a < b)),
    *map(_number_of_version, ("major", "minor", "patch")),
)
