"""The base of all documents, and how their checks say what is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
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

    @model_validator(mode="wrap")
    @classmethod
    def _checked_together(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        faults = list(cls.faults_as_written(value)) if isinstance(value, dict) else []
        try:
            made = handler(value)
        except ValidationError as error:
            own = [
                InitErrorDetails(
                    type=fault(one["msg"], ErrorKind[one["type"]])
                    if one["type"] in ErrorKind.__members__
                    else one["type"],
                    loc=one["loc"],
                    input=one["input"],
                    ctx=one.get("ctx", {}),
                )
                for one in error.errors(include_url=False)
            ]
            details = [*map(_details, faults), *own]
            raise ValidationError.from_exception_data("", details) from None
        refuse([*faults, *made.contradictions()])
        return made

    def contradictions(self) -> Iterable[FieldError]:
        """Faults of fields together; checked once each field is right by itself."""
        return ()

    @classmethod
    def faults_as_written(cls, _value: Mapping[str, Any]) -> Iterable[FieldError]:
        """What is wrong with fields together, as written, even if one is wrong by itself."""
        return ()

    def gives(self, *fields: str) -> bool:
        """Whether the document itself has one of these fields, by their names in Python."""
        return any(field in self.model_fields_set for field in fields)


def fault(message: str, kind: ErrorKind = ErrorKind.INVALID) -> PydanticCustomError:
    """What a check of one field raises: a sentence that says what would be accepted."""
    return PydanticCustomError(kind.name, "{text}", {"text": message})


def refuse(faults: Iterable[FieldError]) -> None:
    """Raise what is wrong with fields together, if anything, by paths relative to the document."""
    if details := [*map(_details, faults)]:
        raise ValidationError.from_exception_data("", details)


def _details(one: FieldError) -> InitErrorDetails:
    location = (one.field,) if one.field else ()
    return InitErrorDetails(type=fault(one.message, one.kind), loc=location, input=one.value)
