"""The types of fields that documents have in common, each with its check and its JSON Schema."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec
from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from podium.api.documents.document import fault, refuse
from podium.api.errors import ErrorKind, FieldError, InvalidValueError
from podium.api.values.durations import duration_seconds
from podium.api.values.quantity import nanos

T = TypeVar("T")
Tuple = Annotated[tuple[T, ...], Field(strict=False)]
"""A list in the document, a tuple in Python."""

FrozenSet = Annotated[frozenset[T], Field(strict=False)]
"""A list in the document, a set in Python."""

INT32_MAX = (1 << 31) - 1
INT64_MAX = (1 << 63) - 1
_ENDLESS = (INT32_MAX, INT64_MAX)


class _Checked(msgspec.Struct, frozen=True):
    @abstractmethod
    def checked(self, value: Any) -> Any:
        """The value; raises a fault if it isn't one that the field may have."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.checked, handler(source))


class Range(_Checked, frozen=True):
    """An integer from `low` to `high`, both included."""

    low: int
    high: int = INT32_MAX

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "minimum": self.low, "maximum": self.high}

    def checked(self, value: int) -> int:
        if value < self.low and self.high in _ENDLESS:
            raise fault(f"must be at least {self.low}")
        if not self.low <= value <= self.high:
            raise fault(f"must be from {self.low} to {self.high}")
        return value


class Bits(_Checked, frozen=True):
    """A signed integer of so many bits."""

    bits: int

    def checked(self, value: int) -> int:
        if not -(1 << self.bits - 1) <= value < 1 << self.bits - 1:
            raise fault(f"must fit into {self.bits} bits")
        return value


class Choice(_Checked, frozen=True):
    """A string out of a closed set.

    Attributes:
        values: the strings, in the order in which faults list them.
        may_be_empty: whether the empty string is taken, too, as if the field were absent.
    """

    values: tuple[str, ...]
    may_be_empty: bool = False

    @property
    def accepted(self) -> str:
        """What a field that is missing should hold."""
        return f"{'one of ' if len(self.values) > 1 else ''}{', '.join(self.values)}"

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "enum": [*self.values]}

    def checked(self, value: str) -> str:
        if value in self.values or (self.may_be_empty and not value):
            return value
        raise unsupported(self.values)


def member_of(kind: type[StrEnum]) -> BeforeValidator:
    """The check of a string out of a closed set, which makes it a member of the enumeration."""
    check = Choice(tuple(kind))
    return BeforeValidator(lambda value: kind(check.checked(value)))


def unsupported(known: Iterable[str]) -> PydanticCustomError:
    """The fault of a value outside a closed set."""
    listed = ", ".join(f'"{one}"' for one in known)
    return fault(f"supported values: {listed}", ErrorKind.UNSUPPORTED)


class Required(_Checked, frozen=True):
    """A string that must not be empty; its faults say what is `accepted`."""

    accepted: str = ""

    def checked(self, value: str) -> str:
        if not value:
            raise fault(self.accepted, ErrorKind.REQUIRED)
        return value


def _seconds(value: Any) -> float:
    found = duration_seconds(value) if isinstance(value, str) else None
    if found is None or found < 0:
        raise fault("must be a duration such as 10s, 1m30s or 250ms")
    return found


Duration = Annotated[
    float, BeforeValidator(_seconds), WithJsonSchema({"type": "string", "format": "duration"})
]
"""A duration as Kubernetes writes it, such as `1m30s`; seconds in Python, not negative."""


def _amounts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise fault("must be an object, with a quantity for each resource")
    texts = {name: str(one) if type(one) is int else one for name, one in value.items()}
    refuse(_faulty_amounts(texts))
    return texts


def _faulty_amounts(texts: Mapping[str, Any]) -> list[FieldError]:
    faults = []
    for resource, text in texts.items():
        try:
            nanos(text)
        except InvalidValueError as error:
            faults.append(error.under(resource).error)
    return faults


_AMOUNTS = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
Amounts = Annotated[dict[str, str], BeforeValidator(_amounts), WithJsonSchema(_AMOUNTS)]
"""Quantities by resource; whole numbers may be written as such."""
