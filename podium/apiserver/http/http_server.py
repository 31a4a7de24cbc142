"""The HTTP server: serves an application on a local port, in the running event loop."""

import asyncio
import errno
import resource
import socket
from functools import partial
from typing import Protocol, Self, cast

import uvicorn
from starlette.types import Receive, Scope, Send

from podium.api.errors import PodiumError
from podium.apiserver.http.certificates import Certificates
from podium.apiserver.http.http_connection import HttpConnection
from podium.apiserver.http.limits import Limits

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
