"""A server to talk to: real sockets, in a thread of its own, and an API server behind it."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx

from podium.apiserver.authentication.users import ADMIN, READER
from podium.apiserver.http.certificates import Certificates, kept_certificates
from podium.apiserver.http.http_app import ApiApp
from podium.apiserver.http.http_server import Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.users import ClusterTokens, Tokens, kept_tokens
from podium.apiserver.rbac.authorizer import Authorizer
from podium.apiserver.requests import Request, Response, handle
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store

PODS = "/api/v1/namespaces/default/pods"
JSON = {"Content-Type": "application/json"}


class PlainBackend:
    """An API server without controllers, by the clock on the wall.

    Attributes:
        fault: raised by all answers, if there is one.
    """

    def __init__(self, store: Store | None = None) -> None:
        self.server = ApiServer(store or Store(), Random(7))
        self.server.bootstrap(time.time())
        self.fault: Exception | None = None

    @property
    def authorizer(self) -> Authorizer:
        return self.server.authorizer

    def answer(self, request: Request) -> Response:
        if self.fault is not None:
            raise self.fault
        return handle(self.server, request, time.time())

    def now_s(self) -> float:
        return time.time()

    def metrics(self) -> str:
        return "pods 1\n"


@dataclass(frozen=True)
class Running:
    """A server that is being served.

    Attributes:
        backend: answers.
        app: in front of it.
        users: by their tokens.
        serving: on the network.
        tokens: of the two users.
        certificates: None for plain HTTP.
        loop: where it runs.
    """

    backend: PlainBackend
    app: ApiApp
    users: Tokens
    serving: Serving
    tokens: ClusterTokens
    certificates: Certificates | None
    loop: asyncio.AbstractEventLoop

    @property
    def address(self) -> tuple[str, int]:
        url = httpx.URL(self.serving.url)
        assert url.port is not None
        return url.host, url.port

    def trust(self) -> ssl.SSLContext | bool:
        """What a client needs to believe that this is the server."""
        if self.certificates is None:
            return True
        return ssl.create_default_context(cafile=self.certificates.authority)

    def client(self, token: str | None = None) -> httpx.Client:
        """A client with a token, the admin's unless another one is given; none if it is empty."""
        token = self.tokens.admin if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.serving.url, verify=self.trust(), headers=headers)

    def connect(self) -> socket.socket:
        """A bare connection, without TLS."""
        return socket.create_connection(self.address, timeout=60)

    def within(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Have something done in the server's event loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=60)

    def watch_count(self) -> int:
        return self.app.watch_count


@contextmanager
def running(
    directory: Path, *, limits: Limits | None = None, tls: bool = True, store: Store | None = None
) -> Iterator[Running]:
    """A server that runs until the end of `with`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    certificates = kept_certificates(directory / "tls", time.time()) if tls else None
    tokens = kept_tokens(directory / "tokens")
    limits = limits or Limits()
    users = Tokens({tokens.admin: ADMIN, tokens.reader: READER})
    backend = PlainBackend(store)
    app = ApiApp(backend, users, limits, Random(1))
    try:
        start = Serving.start(app, limits, certificates=certificates)
        serving = asyncio.run_coroutine_threadsafe(start, loop).result(timeout=60)
        server = Running(backend, app, users, serving, tokens, certificates, loop)
        try:
            yield server
        finally:
            server.within(serving.stop())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def eventually(condition: Any, within_s: float = 10.0) -> None:
    """Wait until something is so, and fail if it isn't in time."""
    end_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end_s, "it never came to be"
        time.sleep(0.01)


def pod(name: str, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "nginx"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": containers, **spec},
    }
