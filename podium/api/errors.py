"""Errors that name the field, the invalid value and what is accepted, and refused API requests."""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Self

import msgspec
from msgspec.structs import replace


class PodiumError(Exception):
    """The base of all errors that Podium raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Constructors don't take the message, which is what an exception is usually made anew with.
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[PodiumError], args: tuple[Any, ...], state: dict[str, Any]) -> PodiumError:
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


class ErrorKind(StrEnum):
    """The kind of a field's fault, such as `Invalid value`, with which messages begin."""

    INVALID = "Invalid value"
    UNSUPPORTED = "Unsupported value"
    DUPLICATE = "Duplicate value"
    NOT_FOUND = "Not found"
    REQUIRED = "Required value"
    FORBIDDEN = "Forbidden"
    TOO_LONG = "Too long"
    TOO_MANY = "Too many"


OMITTED = msgspec.UNSET
"""Replaces a value that messages don't show, for fields with too many entries."""

_WITHOUT_VALUE = frozenset(
    {ErrorKind.REQUIRED, ErrorKind.FORBIDDEN, ErrorKind.TOO_LONG, ErrorKind.TOO_MANY}
)


class FieldError(msgspec.Struct, frozen=True):
    """A fault of a field; the message may be empty."""

    field: str
    """Path such as `spec.containers[0].resources.requests[cpu]`; empty if unknown."""
    value: object
    message: str
    kind: ErrorKind = ErrorKind.INVALID

    @property
    def text(self) -> str:
        """The message without the field."""
        parts = [str(self.kind)]
        if self.kind not in _WITHOUT_VALUE and self.value is not OMITTED:
            parts.append(quoted(self.value))
        if self.message:
            parts.append(self.message)
        return ": ".join(parts)

    def __str__(self) -> str:
        return f"{self.field}: {self.text}" if self.field else self.text

    def under(self, path: str) -> Self:
        """Return the fault with `path` prepended to its field."""
        dot = "." if path and self.field and not self.field.startswith("[") else ""
        return replace(self, field=path + dot + self.field)


class InvalidValueError(PodiumError):
    """A value isn't valid; `error` describes the fault."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(error)
        self.error = error

    def __str__(self) -> str:
        return str(self.error)

    def under(self, path: str) -> Self:
        """Return the error with `path` prepended to its field."""
        return type(self)(self.error.under(path))


def unsupported(field: str, value: object, supported: Iterable[str]) -> FieldError:
    """Return the fault of a value outside a closed set, which the message lists in order."""
    choices = ", ".join(quoted(choice) for choice in supported)
    return FieldError(field, value, f"supported values: {choices}", ErrorKind.UNSUPPORTED)


def aggregate(errors: Iterable[object]) -> str:
    """Join the distinct texts of errors: `a`, or `[a, b]`; empty for none."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""


def quoted(value: object) -> str:
    """Quote a value for a message, as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


class StatusCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of several causes in a `Status`, such as `FieldValueInvalid`; the field may be empty."""

    reason: str
    message: str
    field: str = ""


class RefusedError(PodiumError):
    """The API server refuses a request and returns a `Status`; fields may be absent as upstream."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        causes: tuple[StatusCause, ...] = (),
        details: Mapping[str, Any] | None = None,
        retry_after_s: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = causes
        self.details = details
        """Name, group, kind and uid of the object, as far as known."""
        self.retry_after_s = retry_after_s
        self.metadata: Mapping[str, Any] = metadata or {}
        """Metadata of the `Status`, such as the `continue` token of an expired list."""

    def status(self) -> dict[str, Any]:
        """Return the `Status` object (meta/v1)."""
        details = {**(self.details or {})}
        if self.causes:
            details["causes"] = msgspec.to_builtins([*self.causes])
        if self.retry_after_s is not None:
            details["retryAfterSeconds"] = self.retry_after_s
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {**self.metadata},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        if details or self.details is not None:
            status["details"] = details
        return {**status, "code": self.code}
