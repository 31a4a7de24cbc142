"""Serving: an application on a port of this machine, in an event loop that runs already."""

import asyncio
import errno
import socket
import ssl
import time
from asyncio import sslproto
from collections.abc import Sequence
from email.utils import formatdate
from functools import partial
from typing import Self

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from uvicorn.config import Config
from uvicorn.server import ServerState

from podium.api.errors import PodiumError
from podium.server.app import ApiApp
from podium.server.certificates import Certificates
from podium.server.connection import Connection
from podium.server.descriptors import allow_many_descriptors
from podium.server.limits import Limits

LOOPBACK = "127.0.0.1"

_BACKLOG = 2048
_TICK_S = 1.0
_STOP_S = 1.0
# Clients that don't read don't say good-bye either.
_GOODBYE_S = 0.2
_LOOK_S = 0.01
# asyncio sets so much aside for each connection with TLS, 256 KiB unless it is told otherwise:
# thousands of watches, which send nothing, would fill the memory with it.
_TLS_BUFFER_BYTES = 16 * 2**10
# TLS 1.2 is the least that client-go speaks, and these are its own choices.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"


class CantListen(PodiumError):  # noqa: N818 - it says what it is
    """The server can't listen where it should."""


class Serving:
    """A server that listens, from `start` to `stop`.

    Attributes:
        url: where clients find it.

    Args:
        app: answers.
        limits: of the connections.
        listener: a socket that is bound and listens.
        certificates: for TLS; None for HTTP that anybody on the machine could listen in on.
        pages: what else is served; these routes see to it themselves who may visit them.
    """

    def __init__(
        self,
        app: ApiApp,
        limits: Limits,
        listener: socket.socket,
        certificates: Certificates | None,
        pages: Sequence[BaseRoute],
    ) -> None:
        host, port = listener.getsockname()[:2]
        scheme = "http" if certificates is None else "https"
        self.url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        self._app = app
        self._pages = pages
        self._limits = limits
        self._listener = listener
        self._tls = None if certificates is None else _context(certificates)
        self._state = ServerState()
        self._server: asyncio.Server | None = None
        self._ticker: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        app: ApiApp,
        limits: Limits,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        certificates: Certificates | None,
        pages: Sequence[BaseRoute] = (),
    ) -> Self:
        """Listen; once this returns, clients are answered.

        Args:
            app: answers.
            limits: of the connections.
            host: an address of this machine.
            port: 0 for any that is free.
            certificates: for TLS; None for HTTP that anybody on the machine could listen in on.
            pages: what else is served; these routes see to it themselves who may visit them.

        Raises:
            CantListen: the port is in use, or the address isn't one of this machine.
        """
        allow_many_descriptors()
        listener = _bound(host, port)
        try:
            serving = cls(app, limits, listener, certificates, pages)
            await serving._listen()
        except BaseException:
            listener.close()
            raise
        return serving

    @property
    def connection_count(self) -> int:
        """How many clients are connected."""
        return len(self._state.connections)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        config = Config(
            Starlette(routes=[*self._pages, Mount("/", app=self._app)]),
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=self._limits.idle_s,
        )
        config.load()
        self._tick()
        handshake_s = None if self._tls is None else self._limits.handshake_s
        self._server = await loop.create_server(
            partial(Connection, self._limits, config, self._state, {}),
            sock=self._listener,
            ssl=self._tls,
            backlog=_BACKLOG,
            ssl_handshake_timeout=handshake_s,
            ssl_shutdown_timeout=None if self._tls is None else _GOODBYE_S,
        )
        self._ticker = asyncio.create_task(self._tick_on())

    async def stop(self) -> None:
        """End all watches, let requests under way end, and hang up on all that are left."""
        if self._server is None or self._ticker is None:
            return
        self._ticker.cancel()
        self._server.close()
        self._app.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        deadline_s = time.monotonic() + _STOP_S
        while self._state.connections and time.monotonic() < deadline_s:
            await asyncio.sleep(_LOOK_S)
        for connection in list(self._state.connections):
            connection.transport.abort()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=_STOP_S)
        await self._server.wait_closed()

    async def _tick_on(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self._tick()

    def _tick(self) -> None:
        """Tell the time in answers, and hang up on clients that are too slow."""
        date = formatdate(time.time(), usegmt=True).encode()
        self._state.default_headers = [(b"date", date)]
        now_s = asyncio.get_running_loop().time()
        for connection in list(self._state.connections):
            if isinstance(connection, Connection) and connection.is_overdue(now_s):
                connection.abort()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only sockets that say that they are TCP's are spared waiting for acknowledgements by asyncio.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise CantListen(_why(host, port, error)) from None
    return listener


def _why(host: str, port: int, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"port {port} of {host} is in use already; name another one, or 0 for any"
    if number == errno.EACCES:
        return f"port {port} of {host} is reserved; name another one, or 0 for any"
    if number == errno.EADDRNOTAVAIL or isinstance(error, socket.gaierror):
        return f"{host} is no address of this machine"
    return f"can't listen at port {port} of {host}: {error}"


def _context(certificates: Certificates) -> ssl.SSLContext:
    sslproto.SSLProtocol.max_size = _TLS_BUFFER_BYTES
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_CIPHERS)
    context.load_cert_chain(certificates.certificate, certificates.key)
    return context
