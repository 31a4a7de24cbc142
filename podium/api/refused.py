"""The error for a refused API request, with the contents of its `Status` object."""

from collections.abc import Mapping
from typing import Any

import msgspec

from podium.api.errors import PodiumError


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
