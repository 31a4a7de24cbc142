"""Documents that Podium reads in addition to Kubernetes objects, declared as types.

A document is a class derived from `Document`; the types of common fields have a check and a JSON
Schema each. `decode` reports all faults of a value at once, with fields and accepted values.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Generic, NamedTuple, Self, TypeVar, get_args

import msgspec
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import (
    CoreSchema,
    ErrorDetails,
    InitErrorDetails,
    PydanticCustomError,
    core_schema,
)

from podium.api.errors import ErrorKind, FieldError, InvalidValueError, PodiumError
from podium.api.values.quantity import INT64_MAX, nanos
from podium.api.values.times import duration_seconds

T = TypeVar("T")
D = TypeVar("D", bound="Document")

_MESSAGES: Mapping[str, str] = {
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "frozen_set_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "must not be empty",
}


class Document(BaseModel):
    """Base of documents: names are in camel case, null counts as absent, other fields are refused.

    Values aren't converted: a string isn't accepted as an integer.
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
            raise ValidationError.from_exception_data("", [*map(_details, faults), *own]) from None
        refuse([*faults, *made.contradictions()])
        return made

    def contradictions(self) -> Iterable[FieldError]:
        """Return faults of combinations of fields that are valid individually."""
        return ()

    @classmethod
    def faults_as_written(cls, _value: Mapping[str, Any]) -> Iterable[FieldError]:
        """Return faults of combinations of fields in the raw value, whose fields may be invalid."""
        return ()

    def gives(self, *fields: str) -> bool:
        """Return whether the document sets any of these fields, given by their Python names."""
        return any(field in self.model_fields_set for field in fields)


def fault(message: str, kind: ErrorKind = ErrorKind.INVALID) -> PydanticCustomError:
    """Return the exception for a field's check to raise; the message says what is accepted."""
    return PydanticCustomError(kind.name, "{text}", {"text": message})


def refuse(faults: Iterable[FieldError]) -> None:
    """Raise a ValidationError if there are faults; their fields are relative to the document."""
    if details := [*map(_details, faults)]:
        raise ValidationError.from_exception_data("", details)


def _details(error: FieldError) -> InitErrorDetails:
    location = (error.field,) if error.field else ()
    return InitErrorDetails(type=fault(error.message, error.kind), loc=location, input=error.value)


Tuple = Annotated[tuple[T, ...], Field(strict=False)]
"""A list in the document, a tuple in Python."""

FrozenSet = Annotated[frozenset[T], Field(strict=False)]
"""A list in the document, a set in Python."""

INT32_MAX = (1 << 31) - 1
_ENDLESS = (INT32_MAX, INT64_MAX)


class _Checked(msgspec.Struct, frozen=True):
    @abstractmethod
    def checked(self, value: Any) -> Any:
        """Return the value if it is valid; raise a `fault` otherwise."""

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
    """A signed integer of this many bits."""

    bits: int

    def checked(self, value: int) -> int:
        if not -(1 << self.bits - 1) <= value < 1 << self.bits - 1:
            raise fault(f"must fit into {self.bits} bits")
        return value


class Choice(_Checked, frozen=True):
    """A string out of a closed set, or an empty one if allowed; messages list the set in order."""

    values: tuple[str, ...]
    may_be_empty: bool = False

    @property
    def accepted(self) -> str:
        """The accepted values, as listed by the fault of a missing field."""
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
    """Return a validator that converts a string to a member of an enumeration."""
    check = Choice(tuple(kind))
    return BeforeValidator(lambda value: kind(check.checked(value)))


def unsupported(known: Iterable[str]) -> PydanticCustomError:
    """Return the fault of a value outside a closed set."""
    listed = ", ".join(f'"{one}"' for one in known)
    return fault(f"supported values: {listed}", ErrorKind.UNSUPPORTED)


class Required(_Checked, frozen=True):
    """A string that must not be empty; messages say what is `accepted`."""

    accepted: str = ""

    def checked(self, value: str) -> str:
        if not value:
            raise fault(self.accepted, ErrorKind.REQUIRED)
        return value


def _seconds(value: Any) -> float:
    seconds = duration_seconds(value) if isinstance(value, str) else None
    if seconds is None or seconds < 0:
        raise fault("must be a duration such as 10s, 1m30s or 250ms")
    return seconds


Duration = Annotated[
    float, BeforeValidator(_seconds), WithJsonSchema({"type": "string", "format": "duration"})
]
"""A duration as Kubernetes writes it, such as `1m30s`; seconds in Python, not negative."""


def _amounts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise fault("must be an object, with a quantity for each resource")
    texts = {name: str(one) if type(one) is int else one for name, one in value.items()}
    faults = []
    for resource, text in texts.items():
        try:
            nanos(text)
        except InvalidValueError as error:
            faults.append(error.under(resource).error)
    refuse(faults)
    return texts


_AMOUNTS = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
Amounts = Annotated[dict[str, str], BeforeValidator(_amounts), WithJsonSchema(_AMOUNTS)]
"""Quantities by resource; whole numbers may be written as such."""


class Decoded(NamedTuple, Generic[D]):
    """The result of decoding: the document, or None and the faults of the value."""

    document: D | None
    faults: tuple[FieldError, ...] = ()


class InvalidDocumentError(PodiumError):
    """A value isn't a valid document; `errors` lists all faults in reading order."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def read(kind: type[D], value: object) -> D:
    """Decode a value into a document; raises InvalidDocumentError."""
    document, faults = decode(kind, value)
    if document is None:
        raise InvalidDocumentError(faults)
    return document


def decode(
    kind: type[D], value: object, path: str = "", context: Mapping[str, Any] | None = None
) -> Decoded[D]:
    """Decode a value into a document or faults; `context` has values for checks of fields."""
    try:
        return Decoded(kind.model_validate(value, by_name=False, context=dict(context or {})))
    except ValidationError as error:
        details = [
            one
            for one in error.errors(include_url=False)
            # Not lists that are too short only as their items are wrong, which have own faults.
            if one["type"] != "too_short" or not one["input"]
        ]
        return Decoded(None, tuple(_fault(detail, kind).under(path) for detail in details))


def _fault(error: ErrorDetails, kind: type[BaseModel]) -> FieldError:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"])
    path, value = "".join(steps).removeprefix(".").replace(".[", "["), error["input"]
    if error["type"] in ErrorKind.__members__:
        return FieldError(path, value, error["msg"], ErrorKind[error["type"]])
    if error["type"] == "extra_forbidden":
        known = f"unknown field; known: {', '.join(_fields_at(kind, error['loc'][:-1]))}"
        return FieldError(path, value, known, ErrorKind.FORBIDDEN)
    if error["type"] == "missing":
        *within, name = error["loc"]
        metadata = _fields_at(kind, tuple(within))[str(name)].metadata
        accepted = (one.accepted for one in metadata if isinstance(one, Choice | Required))
        return FieldError(path, None, next(accepted, ""), ErrorKind.REQUIRED)
    return FieldError(path, value, _MESSAGES.get(error["type"], error["msg"]))


def _fields_at(kind: Any, location: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    for step in location:
        if isinstance(step, str):
            kind = _fields_of(kind)[step].annotation
    return _fields_of(kind)


def _fields_of(annotation: Any) -> dict[str, FieldInfo]:
    # The fields of the document that an annotation names: of `A` in `list[A]` and `A | None`.
    while not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
    return {field.alias or name: field for name, field in annotation.model_fields.items()}
