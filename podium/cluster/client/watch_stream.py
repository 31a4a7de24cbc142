"""The stream of a watch: from bytes, as they come, to news."""

from http import HTTPStatus

import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object, metadata_of
from podium.cluster.client.responses import UnreadableAnswerError, decoded
from podium.machines.events import CallError

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
