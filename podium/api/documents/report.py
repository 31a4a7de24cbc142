"""Reports that Podium writes, declared as types: their JSON and its schema are made of them.

A report is a dataclass derived from `Report`. Its fields are spelt in camel case in JSON and stand
in the same order; the annotations below say what differs.
"""

from functools import cache
from operator import not_
from typing import Annotated, Any

from pydantic import ConfigDict, Field, PlainSerializer, TypeAdapter
from pydantic.alias_generators import to_camel

API_VERSION = "podium.dev/v1alpha1"

HIDDEN = Field(exclude=True)
"""Only Python has the field."""

IF_ANY = Field(exclude_if=not_)
"""The field is left out if it is empty or false."""

IF_KNOWN = Field(exclude_if=lambda value: value is None)
"""The field is left out if it is None."""

Seconds = Annotated[float, Field(serialization_alias="at")]
"""When something happens: `at`, in seconds since the beginning."""

OrNull = Annotated[str, PlainSerializer(lambda text: text or None, return_type=str | None)]
"""A text, null in JSON if it is empty."""


class Report:
    """The base of all reports."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(
        alias_generator=to_camel,
        arbitrary_types_allowed=True,
        json_schema_serialization_defaults_required=True,
    )


def plain(report: Report, kind: type[Report] | None = None) -> dict[str, Any]:
    """A report, taken for its own class or another one, as plain values for JSON and YAML."""
    cls: Any = kind or type(report)
    found: dict[str, Any] = _adapter(cls).dump_python(report, mode="json", by_alias=True)
    return found


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
