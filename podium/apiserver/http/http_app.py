"""The ASGI application: limits, authenticates and reads requests for a `Backend` to answer."""

import asyncio
import gc
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Protocol, TypeVar

from msgspec import structs
from starlette import responses
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from podium.api.errors import RefusedError
from podium.apiserver import refusals
from podium.apiserver.authentication.users import ANONYMOUS, Attempt, User
from podium.apiserver.http.http_server import Application, raw_headers
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.streams import NodeLogs, Watches
from podium.apiserver.http.users import Tokens
from podium.apiserver.long_work import LARGE_BYTES, LongWork, PostponedError
from podium.apiserver.rbac.authorizer import Authorizer
from podium.apiserver.requests import NodeLog, Request, Response, Watching
from podium.apiserver.requests.authorization import check_path
from podium.apiserver.requests.messages import HEADER_SEPARATOR, refused

T = TypeVar("T")

_METRICS = "/metrics"
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_COMPRESSION_LEVEL = 1
_IMPERSONATE = "impersonate-"

_logger = logging.getLogger(__name__)


class Backend(Protocol):
    """Protocol of the object that answers requests; the server blocks during each call."""

    @property
    def authorizer(self) -> Authorizer:
        """The authorizer for `/metrics`."""
        ...

    def answer(self, request: Request) -> Response:
        """Return the response to a request, as `podium.apiserver.requests.handle` does.

        The server closes a watch in the response at its end. Exceptions are bugs or failures of the
        journal, and result in an internal error.
        """
        ...

    def now_s(self) -> float:
        """Return the current time of the cluster, in seconds since the epoch."""
        ...

    def metrics(self) -> str:
        """Return the metrics in Prometheus' text format; may be empty."""
        ...


@dataclass(eq=False)
class ApiApp:
    """ASGI application of the API; fetches logs from kubelets if `node_logs` is given."""

    backend: Backend
    users: Tokens
    limits: Limits
    rng: Random
    node_logs: NodeLogs | None = None

    def __post_init__(self) -> None:
        self._watches = Watches(self.limits, self.backend.now_s, self.rng)
        self._mounted: dict[str, Application] = {}
        self._under_way = 0
        # A single thread, so that the event loop competes with no more than one.
        self._worker = ThreadPoolExecutor(1, "podium-long-work")

    @property
    def watch_count(self) -> int:
        """The number of open watches."""
        return self._watches.count

    def mount(self, prefix: str, app: Application) -> None:
        """Pass requests for paths below a prefix, such as `/dashboard`, to another application."""
        self._mounted[prefix] = app

    def close(self) -> None:
        """Request the end of all watches."""
        self._watches.close()
        for app in self._mounted.values():
            app.close()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def prompt(self, scope: Scope, body: bytes) -> tuple[Response, bytes] | ASGIApp:
        """Answer a fully received request, or return the ASGI application that has to answer it."""
        if len(body) >= LARGE_BYTES or self._mounted_at(scope["path"]) is not None:
            return self
        try:
            self._check_under_way(self._under_way + 1)
            user = self._user(scope["path"], headers := _headers(scope["headers"]))
            answer = self._worked(_request(scope, headers, body, user), LongWork(is_large=False))
        except PostponedError:
            return self
        except RefusedError as refusal:
            answer = _refused(refusal)
        response, content = answer
        if content is None or _lasts(response) or len(content) >= self.limits.gzip_bytes_min:
            return partial(self._finish, response, content)
        return response, content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} isn't served")
        mounted = self._mounted_at(scope["path"])
        if mounted is not None:
            await mounted(scope, receive, send)
            return
        answer: tuple[Response, bytes | None] | None = None
        try:
            with self._being_under_way():
                self._check_under_way(self._under_way)
                user = self._user(scope["path"], headers := _headers(scope["headers"]))
                body = await read_body(receive, self.limits)
                request = _request(scope, headers, body, user)
                work = LongWork(is_large=len(body) >= LARGE_BYTES)
                while answer is None:
                    try:
                        answer = self._worked(request, work)
                    except PostponedError as postponed:
                        await self._elsewhere(postponed.work)
        except ClientDisconnect:
            return
        except RefusedError as refusal:
            answer = _refused(refusal)
        await self._finish(*answer, scope, receive, send)

    def _mounted_at(self, path: str) -> Application | None:
        for prefix, app in self._mounted.items():
            if path == prefix or path.startswith(f"{prefix}/"):
                return app
        return None

    @contextmanager
    def _being_under_way(self) -> Iterator[None]:
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    def _check_under_way(self, under_way: int) -> None:
        if under_way > self.limits.requests_max:
            raise refusals.too_many("requests")

    def _user(self, path: str, headers: Mapping[str, str]) -> User:
        """Authenticate a request; raises RefusedError (401) unless the path is public."""
        authorization = headers.get("authorization")
        if authorization is None and ANONYMOUS.may(Attempt("get", path=path)):
            return ANONYMOUS
        try:
            user = self.users.user(authorization or "")
        except Exception:
            _logger.exception("credentials for %s can't be judged", path)
            raise refusals.server_fault() from None
        if user is None:
            raise refusals.unauthorized()
        return user

    def _worked(self, request: Request, work: LongWork) -> tuple[Response, bytes | None]:
        """Return the response and its body, None if encoding is long; raises PostponedError."""
        try:
            with work:
                response = self._response(request)
            watching = response.body
            if isinstance(watching, Watching) and self._watches.count >= self.limits.watches_max:
                watching.stream.close()
                raise refusals.too_many("watches")
            if _lasts(response):
                return response, b""
            return response, None if work.is_large else response.content()
        except (RefusedError, PostponedError):
            raise
        except Exception:
            _logger.exception("%s %s failed", request.method, request.path)
            raise refusals.server_fault() from None

    async def _finish(
        self, response: Response, content: bytes | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        head = {"type": "http.response.start", "status": response.code}
        try:
            if _lasts(response):
                if isinstance(response.body, Watching):
                    await send({**head, "headers": raw_headers(response)})
                    await self._watches.serve(response.body, receive, send)
                elif isinstance(response.body, NodeLog) and self.node_logs is not None:
                    await self.node_logs.serve(response, response.body, receive, send)
                return
            with self._being_under_way():
                if content is None:
                    content = await self._elsewhere(response.content)
                headers, least = raw_headers(response), self.limits.gzip_bytes_min
                if len(content) >= least:
                    whole = responses.Response(content, response.code)
                    whole.raw_headers += headers
                    await GZipMiddleware(whole, least, _COMPRESSION_LEVEL)(scope, receive, send)
                    return
                headers = [(b"content-length", b"%d" % len(content)), *headers]
                await send({**head, "headers": headers})
                await send({"type": "http.response.body", "body": content})
        except ClientDisconnect:
            return
        except Exception:
            _logger.exception("%s %s failed", scope["method"], scope["path"])
            raise

    async def _elsewhere(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, uncollected, work)

    def _response(self, request: Request) -> Response:
        if request.path.partition("?")[0] == _METRICS:
            if request.method not in ("GET", "HEAD"):
                raise refusals.no_such_method()
            check_path(self.backend.authorizer, request.user, "GET", [_METRICS.strip("/")])
            return Response(200, self.backend.metrics(), (("Content-Type", _METRICS_TYPE),))
        if request.method != "HEAD":
            return self.backend.answer(request)
        # A GET whose body isn't sent; a watch or a log has nothing else.
        response = self.backend.answer(replace(request, method="GET"))
        if isinstance(response.body, Watching):
            response.body.stream.close()
        return structs.replace(response, body="") if _lasts(response) else response


def uncollected(work: Callable[[], T]) -> T:
    """Call a function with Python's garbage collector disabled, which is slow for many objects."""
    if not gc.isenabled():
        return work()
    gc.disable()
    try:
        return work()
    finally:
        gc.freeze()
        gc.enable()


def _refused(refusal: RefusedError) -> tuple[Response, bytes]:
    response = refused(refusal)
    return response, response.content()


def _lasts(response: Response) -> bool:
    return isinstance(response.body, (Watching, NodeLog))


def _request(scope: Scope, headers: Mapping[str, str], body: bytes, user: User) -> Request:
    path, query = scope["raw_path"].decode("latin-1"), scope["query_string"].decode("latin-1")
    return Request(scope["method"], f"{path}?{query}" if query else path, headers, body, user)


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by lower-case name; the values of repeated headers are joined."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        separator = HEADER_SEPARATOR if key.startswith(_IMPERSONATE) else ", "
        headers[key] = f"{headers[key]}{separator}{text}" if key in headers else text
    return headers


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """Read the body of a request; raises RefusedError (413 or 408) or ClientDisconnect."""
    parts: list[bytes] = []
    length, has_more = 0, True
    try:
        async with asyncio.timeout(limits.request_s):
            while has_more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > limits.body_bytes_max:
                    raise refusals.entity_too_large(f"limit is {limits.body_bytes_max}")
                has_more = message.get("more_body", False)
    except TimeoutError:
        why = "Timeout: request body was not received in time"
        raise RefusedError(408, "Timeout", why) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)
