"""The HTTP server of an application, whose connections answer most requests without a task.

Uvicorn creates a task for each request, which waits for the body and writes the response in parts.
Nearly all requests arrive in one piece and can be answered at once: calling `prompt` directly saves
a quarter of the server's time for a small request. Other requests, such as those with long bodies
and watches, use uvicorn's task.
"""

import asyncio
import errno
import re
import resource
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, Self, cast

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from podium.api.errors import PodiumError
from podium.apiserver.http.certificates import Certificates
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


LOOPBACK = "127.0.0.1"

_BACKLOG = 2048
_STOP_S = 1
# How long clients may take to close their connections.
_GOODBYE_S = 0.3
# client-go speaks TLS 1.2 at least, with these ciphers first.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"


class Application(Protocol):
    """An ASGI application that can end its long-lived responses, such as watches."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    def close(self) -> None:
        """End all long-lived responses."""
        ...


class CannotListenError(PodiumError):
    """The server can't listen at the requested address."""


class Serving:
    """A running server, which listens on its socket until `stop`."""

    def __init__(self, app: Application, listener: socket.socket, config: uvicorn.Config) -> None:
        host, port = listener.getsockname()[:2]
        # A server of all addresses is reached on its own machine by the loopback one.
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)
        scheme = "https" if config.is_ssl else "http"
        self.url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        self._app = app
        self._listener = listener
        config.load()
        self._server = uvicorn.Server(config)
        self._server.lifespan = config.lifespan_class(config)
        self._ticking: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        app: Application,
        limits: Limits,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        certificates: Certificates | None,
    ) -> Self:
        """Listen on a port (0 for any), without certificates by HTTP; raises CannotListenError."""
        allow_many_descriptors()
        listener = _bound(host, port, limits)
        try:
            config = uvicorn.Config(
                app,
                http=cast("type[asyncio.Protocol]", partial(HttpConnection, limits=limits)),
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=_BACKLOG,
                limit_concurrency=limits.connections_max,
                timeout_keep_alive=limits.idle_s,
                timeout_graceful_shutdown=_STOP_S,
                ssl_certfile=None if certificates is None else certificates.certificate,
                ssl_keyfile=None if certificates is None else str(certificates.key),
                ssl_ciphers=_CIPHERS,
            )
            serving = cls(app, listener, config)
            server = serving._server

            def connection() -> asyncio.Protocol:
                return config.http_protocol_class(  # type: ignore[call-arg]
                    config=config, server_state=server.server_state, app_state=server.lifespan.state
                )

            # As `uvicorn.Server.startup`, with a time limit of TLS handshakes.
            listening = await asyncio.get_running_loop().create_server(
                connection,
                sock=listener,
                ssl=config.ssl,
                backlog=config.backlog,
                ssl_handshake_timeout=limits.head_s if config.is_ssl else None,
            )
        except BaseException:
            listener.close()
            raise
        server.servers = [listening]
        server.started = True
        serving._ticking = asyncio.create_task(server.main_loop())
        return serving

    @property
    def connection_count(self) -> int:
        """The number of connected clients."""
        return len(self._server.server_state.connections)

    async def stop(self) -> None:
        """End all watches, finish current requests, and disconnect all clients."""
        ticking, self._ticking = self._ticking, None
        if ticking is None:
            return
        ticking.cancel()
        self._app.close()
        state = self._server.server_state

        def hang_up() -> None:
            for connection in list(state.connections):
                connection.transport.abort()

        asyncio.get_running_loop().call_later(_GOODBYE_S, hang_up)
        await self._server.shutdown(sockets=[self._listener])
        if state.tasks:
            await asyncio.wait(state.tasks, timeout=_STOP_S)


def _bound(host: str, port: int, limits: Limits) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only for sockets with an explicit protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Inherited by connections: Linux disconnects clients that don't read.
            stall_ms = round(limits.stall_s * 1000)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, stall_ms)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        number = getattr(error, "errno", None)
        other = "name another one, or 0 for any"
        why = f"can't listen at port {port} of {host}: {error}"
        if number == errno.EADDRINUSE:
            why = f"port {port} of {host} is in use already; {other}"
        elif number == errno.EACCES:
            why = f"port {port} of {host} is reserved; {other}"
        elif number == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
            why = f"{host} is no address of this machine"
        raise CannotListenError(why) from None
    return listener


_WANTED = 65_536


def allow_many_descriptors() -> int:
    """Raise the process's limit of open files as far as allowed, and return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
