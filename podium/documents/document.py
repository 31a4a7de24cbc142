"""The base of all documents, and how their checks say what is wrong."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import InitErrorDetails, PydanticCustomError

from podium.api.errors import ErrorKind, FieldError


class Document(BaseModel):
    """An object with known fields, spelt in camel case; null is the same as absent.

    Values aren't converted: an integer isn't read from a string.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        extra="forbid",
        strict=True,
        frozen=True,
        arbitrary_types_allowed=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: one for name, one in value.items() if one is not None}
        return value

    def gives(self, *fields: str) -> bool:
        """Whether the document itself has one of these fields, by their names in Python."""
        return any(field in self.model_fields_set for field in fields)


def fault(message: str, kind: ErrorKind = ErrorKind.INVALID) -> PydanticCustomError:
    """What a check of one field raises: a sentence that says what would be accepted."""
    return PydanticCustomError(kind.name, "{text}", {"text": message})


def refuse(faults: Iterable[FieldError]) -> None:
    """Raise what is wrong with fields together, unless there is nothing.

    Args:
        faults: with paths of single fields, relative to the document that is checked.
    """
    details = [
        InitErrorDetails(
            type=fault(one.message, one.kind),
            loc=(one.field,) if one.field else (),
            input=one.value,
        )
        for one in faults
    ]
    if details:
        raise ValidationError.from_exception_data("", details)
