"""From plain values to documents, or to everything that is wrong with them."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from podium.api.documents.document import Document
from podium.api.documents.fields import Choice, Required
from podium.api.errors import ErrorKind, FieldError, PodiumError

T = TypeVar("T", bound=Document)
Location = tuple[int | str, ...]

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


class Decoded(NamedTuple, Generic[T]):
    """A document, or None and what is wrong with it."""

    document: T | None
    faults: tuple[FieldError, ...] = ()


class InvalidDocumentError(PodiumError):
    """A document that can't be used; carries every fault as `errors`, in reading order."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def read(kind: type[T], value: object) -> T:
    """The document that a value stands for; raises InvalidDocumentError."""
    document, faults = decode(kind, value)
    if document is None:
        raise InvalidDocumentError(faults)
    return document


def decode(
    kind: type[T], value: object, path: str = "", context: Mapping[str, Any] | None = None
) -> Decoded[T]:
    """The document that a value stands for.

    Args:
        path: where it stands, for faults; empty for a whole file.
        context: what checks of fields look up, by name.
    """
    try:
        return Decoded(kind.model_validate(value, by_name=False, context=dict(context or {})))
    except ValidationError as error:
        details = [
            one
            for one in error.errors(include_url=False)
            # Not lists that are too short only as their items are wrong, which have own faults.
            if one["type"] != "too_short" or not one["input"]
        ]
        return Decoded(None, tuple(_fault(one, kind).under(path) for one in details))


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


def _fields_at(kind: Any, location: Location) -> dict[str, FieldInfo]:
    for step in location:
        if isinstance(step, str):
            kind = _fields_of(kind)[step].annotation
    return _fields_of(kind)


def _fields_of(annotation: Any) -> dict[str, FieldInfo]:
    """Those of the documents that an annotation is about: of `A` in `list[A]` and `A | None`."""
    while not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        annotation = next(one for one in get_args(annotation) if one is not type(None))
    fields = annotation.model_fields
    return {field.alias or name: field for name, field in fields.items()}
