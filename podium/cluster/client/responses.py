"""Decodes the answers of an API server: objects, and errors."""

from http import HTTPStatus
from typing import Any

import msgspec

from podium.machines.events import UNKNOWN_OUTCOME, CallError

# A gateway says so of a server that it has lost sight of.
_NOBODY_KNOWS = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT})
_MESSAGE_LENGTH_MAX = 500


class UnreadableAnswerError(ValueError):
    """An answer that isn't one of an API server."""


def decoded(content: bytes) -> dict[str, Any]:
    """The object that an answer is; raises UnreadableAnswerError if it is none."""
    try:
        found = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise UnreadableAnswerError(f"an answer that isn't JSON: {error}") from None
    if not isinstance(found, dict):
        raise UnreadableAnswerError("an answer that isn't an object")
    return found


def error_of(code: int, content: bytes, retry_after: str | None) -> CallError:
    """Why a call failed.

    Args:
        content: a `Status`, unless something else than an API server answers.
        retry_after: the header of that name, in seconds or otherwise.
    """
    try:
        status = decoded(content)
    except UnreadableAnswerError:
        status = {}
    if status.get("kind") != "Status":
        text = content.decode(errors="replace").strip()[:_MESSAGE_LENGTH_MAX]
        status = {"message": f"an answer with code {code}: {text}"}
        if code in _NOBODY_KNOWS:
            status["reason"] = UNKNOWN_OUTCOME
    details = status.get("details") or {}
    wait = retry_after if retry_after and retry_after.isdecimal() else None
    return CallError(
        code,
        str(status.get("reason") or ""),
        str(status.get("message") or ""),
        float(wait or details.get("retryAfterSeconds") or 0),
    )


def unknown(why: str) -> CallError:
    """The call has been sent, or may have been, and there is no answer."""
    return CallError(HTTPStatus.GATEWAY_TIMEOUT, UNKNOWN_OUTCOME, why)


def unsent(why: str) -> CallError:
    """Outcome of a call that didn't reach a server."""
    return CallError(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailable", why)
