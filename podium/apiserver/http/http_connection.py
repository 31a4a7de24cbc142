"""Connections of clients, which answer fully received requests without an asyncio task.

Uvicorn creates a task for each request, which waits for the body and writes the response in parts.
Nearly all requests arrive in one piece and can be answered at once: calling `prompt` directly saves
a quarter of the server's time for a small request. Other requests, such as those with long bodies
and watches, use uvicorn's task.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from podium.apiserver.http.limits import Limits
from podium.apiserver.requests import Response

RawHeaders = Sequence[tuple[bytes, bytes]]

_NO_CACHE = (b"cache-control", b"no-cache, private")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

_WRITTEN_BYTES_MAX = 64 * 2**10
_TOO_LONG = "Request line and headers are too long."
# The colon, space and line end of a header.
_HEADER_SIGNS = len(": \r\n")


def raw_headers(response: Response) -> RawHeaders:
    """Return the headers of a response as bytes, without Content-Length."""
    headers = [_NO_CACHE]
    for name, value in response.headers:
        # Warnings quote what the client has sent, which may contain line ends.
        headers.append((name.lower().encode(), _CONTROL.sub(" ", value).encode()))
    return headers


async def hung_up(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


Prompt = Callable[[Scope, bytes], tuple[Response, bytes] | ASGIApp]
"""Answers a request from its scope and body, or returns an application to run as a task.

Applications offer it as `prompt`; it isn't called for HEAD.
"""


class HttpConnection(HttpToolsProtocol):
    """Uvicorn's connection, with prompt responses, and limits on request line and headers."""

    def __init__(self, *, limits: Limits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits

    _heads = 0
    _is_in_head = True
    _head_bytes = 0
    _is_reading = False
    _has_begun = False
    _too_late: asyncio.TimerHandle | None = None
    _begun: tuple[RequestResponseCycle, ASGIApp] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # With TLS, asyncio would buffer 512 KiB for each client that doesn't read.
        transport.set_write_buffer_limits(_WRITTEN_BYTES_MAX)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._too_late = self.loop.call_later(self._limits.head_s, self._hang_up)

    def _head_came(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def _hang_up(self) -> None:
        if self.cycle and not self.cycle.response_complete:  # type: ignore[truthy-bool]
            # The previous answer, such as a watch, is still being sent.
            self._await_head()
        else:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            # asyncio's TLS passes data on after closing, when no answer can be sent.
            return
        was_in_head, heads = self._is_in_head, self._heads
        self._is_reading = True
        super().data_received(data)
        self._is_reading = False
        if was_in_head and heads == self._heads and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > self._limits.head_bytes:
                self.send_400_response(_TOO_LONG)
        if self._has_begun and self._too_late is None and not self.transport.is_closing():
            self._await_head()
        begun, self._begun = self._begun, None
        if begun is not None:
            self._answer(*begun)

    def on_message_begin(self) -> None:
        self._has_begun = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._has_begun = False
        self._head_came()
        length = len(self.url) + sum(
            len(name) + len(value) + _HEADER_SIGNS for name, value in self.headers
        )
        if length > self._limits.head_bytes:
            # Uvicorn answers an error in a callback of the parser with 400.
            raise ValueError(_TOO_LONG)
        super().on_headers_complete()
        self._heads += 1
        self._is_in_head = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_in_head, self._head_bytes = True, 0

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:  # type: ignore[override]
        """Start a request; if several were received, keep the first until all are parsed."""
        if self._is_reading and self._begun is None:
            self._begun = cycle, app
        else:
            super()._start_asgi_task(cycle, app)  # type: ignore[arg-type]

    def _answer(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:
        prompt: Prompt | None = getattr(app, "prompt", None)
        answer: tuple[Response, bytes] | ASGIApp = app
        is_whole = not cycle.more_body and cycle.scope["method"] != "HEAD"
        may_write = not (self.flow.write_paused or self.transport.is_closing())
        if prompt is not None and is_whole and may_write:
            answer = prompt(cycle.scope, bytes(cycle.body))  # type: ignore[arg-type]
        if not isinstance(answer, tuple):
            super()._start_asgi_task(cycle, answer)  # type: ignore[arg-type]
            return
        response, content = answer
        parts = [STATUS_LINE[response.code]]
        for name, value in (*self.server_state.default_headers, *raw_headers(response)):
            parts += (name, b": ", value, b"\r\n")
        if not cycle.keep_alive:
            parts.append(b"connection: close\r\n")
        parts += (b"content-length: %d\r\n\r\n" % len(content), content)
        # A single write: with TLS each write is a record, for which the client wakes up.
        self.transport.write(b"".join(parts))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.response_started = cycle.response_complete = True
        cycle.on_response = lambda: None
        self.on_response_complete()
