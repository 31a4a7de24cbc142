"""Decodes the answers of an API server: objects, errors, and the stream of a watch."""

from http import HTTPStatus
from typing import Any

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of
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
    """Why a call failed."""
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


_ERROR = "ERROR"


class WatchError(PodiumError):
    """The server ends a watch with an error."""

    def __init__(self, error: CallError) -> None:
        super().__init__(error.message)
        self.error = error


class StreamedEvent(msgspec.Struct, frozen=True):
    """An event of a watch; implements `podium.machines.async_api.WatchEventLike`."""

    type: str
    obj: Object
    revision: int


class WatchDecoder:
    """Decodes the bytes of one watch into events."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._rest = b""

    def take(self, chunk: bytes) -> list[StreamedEvent]:
        """The events that are complete with the next bytes.

        Raises:
            WatchError: the server says that something is wrong; what it told before is lost, and
                is told by the next watch.
            UnreadableAnswerError: it says something else than events.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [self._event(line) for line in lines if line.strip()]

    def _event(self, line: bytes) -> StreamedEvent:
        event = decoded(line)
        kind, obj = event.get("type"), event.get("object")
        if not isinstance(kind, str) or not isinstance(obj, dict):
            raise UnreadableAnswerError("a line of a watch that isn't an event")
        if kind == _ERROR:
            code = int(obj.get("code") or HTTPStatus.INTERNAL_SERVER_ERROR)
            reason, message = (str(obj.get(field) or "") for field in ("reason", "message"))
            raise WatchError(CallError(code, reason, message))
        named = {"apiVersion": self._kind.api_version, "kind": self._kind.name, **obj}
        return StreamedEvent(kind, named, int(metadata_of(obj)["resourceVersion"]))
