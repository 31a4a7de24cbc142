"""A connection: uvicorn's, held to limits that keep slow and greedy clients from harm."""

import asyncio
import math
from http import HTTPStatus
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from podium.server import statuses
from podium.server.corking import CorkedTransport
from podium.server.limits import Limits

_NEVER = math.inf


class _HeadersTooLarge(Exception):  # noqa: N818 - it says what it is
    """The request line and the headers are longer than may be."""


class Connection(HttpToolsProtocol):
    """A connection that says when it is overdue; somebody has to look from time to time."""

    def __init__(
        self, limits: Limits, config: Config, server_state: ServerState, app_state: dict[str, Any]
    ) -> None:
        super().__init__(config, server_state, app_state)
        self._limits = limits
        self._header_bytes = 0
        self._is_in_headers = True
        self._arrived_by_s = _NEVER
        self._read_by_s = _NEVER

    def is_overdue(self, now_s: float) -> bool:
        """Whether the client is too slow to be waited for, by the event loop's clock."""
        return now_s > min(self._arrived_by_s, self._read_by_s)

    def abort(self) -> None:
        """Hang up, whatever is still to be sent."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(CorkedTransport(transport, self.loop))
        self._arrived_by_s = self.loop.time() + self._limits.request_s
        if len(self.connections) > self._limits.connections_max:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._is_in_headers and not self.transport.is_closing():
            self._header_bytes += len(data)
            if self._header_bytes > self._limits.header_bytes_max:
                self._refuse_headers()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._read_by_s = self.loop.time() + self._limits.stall_s

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_by_s = _NEVER

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._is_in_headers = True
        self._arrived_by_s = self.loop.time() + self._limits.request_s

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value))

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._is_in_headers = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._arrived_by_s = _NEVER

    def send_400_response(self, msg: str) -> None:
        """Answer what can't be parsed, and hang up."""
        if self._header_bytes > self._limits.header_bytes_max:
            self._refuse_headers()
        else:
            self._refuse(400, msg)

    def _count(self, length: int) -> None:
        self._header_bytes += length
        if self._header_bytes > self._limits.header_bytes_max:
            # The parser takes any exception for a fault of the request.
            raise _HeadersTooLarge

    def _refuse_headers(self) -> None:
        self._refuse(431, f"Request headers too large: limit is {self._limits.header_bytes_max}")

    def _refuse(self, code: int, message: str) -> None:
        response = statuses.answer(statuses.malformed(code, message))
        content = response.content()
        head = (
            f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\n"
            f"content-type: {response.header('Content-Type')}\r\n"
            f"content-length: {len(content)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + content)
        self.transport.close()
