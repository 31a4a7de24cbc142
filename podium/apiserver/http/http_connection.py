"""A client's connection: requests that have come as a whole are answered in the turn they come in.

Uvicorn makes a task of each request, which waits for the body, and writes the answer bit by bit.
Nearly all requests come in one piece, and what answers them never waits: an application that says
so is simply called, which takes a quarter off the server's time for a small request. All else, such
as long bodies and watches, goes uvicorn's way.
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
# Of a header: the colon with its space, and the end of the line.
_HEADER_SIGNS = len(": \r\n")


def raw_headers(response: Response) -> RawHeaders:
    """The headers of an answer as they are sent, without its length."""
    headers = [_NO_CACHE]
    for name, value in response.headers:
        # Warnings repeat what the client has sent, line ends and all.
        headers.append((name.lower().encode(), _CONTROL.sub(" ", value).encode()))
    return headers


async def hung_up(receive: Receive) -> None:
    """Wait until the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass


Prompt = Callable[[Scope, bytes], tuple[Response, bytes] | ASGIApp]
"""Answers a request other than HEAD at once, or returns the application that does so in a task.

Its arguments are the scope and the whole body. Applications offer it as `prompt`.
"""


class HttpConnection(HttpToolsProtocol):
    """Uvicorn's connection, which answers promptly, and at one go.

    A head, which is a request's line with its headers, has an end: in bytes and in time.
    """

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
        # With TLS, asyncio would keep 512 KiB for each client that doesn't read.
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
            # The answer to the request before is still being sent, such as a watch.
            self._await_head()
        else:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            # asyncio's TLS still hands on what comes, and can't answer any more.
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
            # Several pieces may have come at once; the parser has uvicorn answer an error with 400.
            raise ValueError(_TOO_LONG)
        super().on_headers_complete()
        self._heads += 1
        self._is_in_head = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._is_in_head, self._head_bytes = True, 0

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:  # type: ignore[override]
        """Begin with a request; one of those that come together waits until all were read."""
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
        # At one go: with TLS each write is a record, and something for the client to wake for.
        self.transport.write(b"".join(parts))
        if not cycle.keep_alive:
            self.transport.close()
        cycle.response_started = cycle.response_complete = True
        cycle.on_response = lambda: None
        self.on_response_complete()
