"""Errors that name the field, the bad value and what would be accepted.

Texts are worded like those of Kubernetes (`field: Invalid value: "x": why`), because they are
compared with, and answered in place of, the API server's.
"""

import json
from collections.abc import Iterable
from enum import StrEnum
from typing import Self

import msgspec
from msgspec.structs import replace


class PodiumError(Exception):
    """The root of all errors that Podium raises on purpose."""


class ErrorKind(StrEnum):
    """What is wrong with a field; the text stands before the value in the message."""

    INVALID = "Invalid value"
    UNSUPPORTED = "Unsupported value"
    DUPLICATE = "Duplicate value"
    NOT_FOUND = "Not found"
    REQUIRED = "Required value"
    FORBIDDEN = "Forbidden"
    TOO_LONG = "Too long"
    TOO_MANY = "Too many"


OMITTED = object()
"""In place of a value that isn't to be shown, as the field has too many."""

_WITHOUT_VALUE = frozenset(
    {ErrorKind.REQUIRED, ErrorKind.FORBIDDEN, ErrorKind.TOO_LONG, ErrorKind.TOO_MANY}
)


class FieldError(msgspec.Struct, frozen=True):
    """One fault of one field.

    Attributes:
        field: path such as `spec.containers[0].resources.requests[cpu]`; empty where the value
            was judged without knowing where it stands.
        message: what is wrong and what would be accepted; may be empty.
        kind: what stands before the value.
    """

    field: str
    value: object
    message: str
    kind: ErrorKind = ErrorKind.INVALID

    @property
    def text(self) -> str:
        """The fault without its field."""
        parts = [str(self.kind)]
        if self.kind not in _WITHOUT_VALUE and self.value is not OMITTED:
            parts.append(quoted(self.value))
        if self.message:
            parts.append(self.message)
        return ": ".join(parts)

    def __str__(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text

    def under(self, path: str) -> Self:
        """The same fault, with its field taken as relative to `path`."""
        dot = "." if path and self.field and not self.field.startswith("[") else ""
        return replace(self, field=path + dot + self.field)


class InvalidValueError(PodiumError):
    """A value that can't be used; carries the one fault as `error`."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(error)
        self.error = error

    def __str__(self) -> str:
        return str(self.error)

    def under(self, path: str) -> Self:
        """The same error, with its field taken as relative to `path`."""
        return type(self)(self.error.under(path))


def unsupported(field: str, value: object, supported: Iterable[str]) -> FieldError:
    """The fault of a value outside a closed set; the message lists the set in its order."""
    choices = ", ".join(quoted(choice) for choice in supported)
    return FieldError(field, value, f"supported values: {choices}", ErrorKind.UNSUPPORTED)


def aggregate(errors: Iterable[object]) -> str:
    """One text for several errors, repetitions left out: `a`, or `[a, b]`; empty for none."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""


def quoted(value: object) -> str:
    """A value as messages quote it: as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
