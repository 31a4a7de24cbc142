"""Functions of optional values."""

from collections.abc import Sequence
from typing import Any

from podium.api.cel.functions.overloads import function, method
from podium.api.cel.type_system import BOOL, LIST, OPTIONAL, A
from podium.api.cel.values import ABSENT, CelError, OptionalValue, Semver, no_such_overload


def _value(optional: OptionalValue) -> Any:
    if not optional.is_present:
        raise CelError("optional.none() dereference")
    return optional.value


def _non_zero(value: Any) -> OptionalValue:
    return OptionalValue(True, value) if value or type(value) is Semver else ABSENT


def _or(optional: OptionalValue, other: OptionalValue) -> OptionalValue:
    return optional if optional.is_present else other


def _or_value(optional: OptionalValue, other: Any) -> Any:
    return optional.value if optional.is_present else other


def _unwrapped(optionals: Sequence[OptionalValue]) -> list[Any]:
    if not all(isinstance(optional, OptionalValue) for optional in optionals):
        raise no_such_overload()
    return [optional.value for optional in optionals if optional.is_present]


OVERLOADS = (
    function("optional.of", (A,), OPTIONAL, lambda a: OptionalValue(True, a)),
    function("optional.ofNonZeroValue", (A,), OPTIONAL, _non_zero),
    function("optional.none", (), OPTIONAL, lambda: ABSENT),
    function("optional.unwrap", (("list", OPTIONAL),), LIST, _unwrapped),
    method("unwrapOpt", (("list", OPTIONAL),), LIST, _unwrapped),
    method("hasValue", (OPTIONAL,), BOOL, lambda a: a.is_present),
    method("value", (OPTIONAL,), A, _value),
    method("or", (OPTIONAL, OPTIONAL), OPTIONAL, _or),
    method("orValue", (OPTIONAL, A), A, _or_value),
)
