"""The dashboard over HTTP: the files of its page, and JSON for authenticated clients.

The server makes no HTML: names and texts of a cluster are sent as JSON, and the page shows them as
text. Headers restrict the page to resources of this server.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ExceptionHandler, Message, Receive, Scope, Send

from podium.api.errors import RefusedError, quoted
from podium.apiserver.authentication.users import READER, Attempt, User
from podium.apiserver.http.http_app import read_body
from podium.apiserver.http.http_server import Serving
from podium.apiserver.http.limits import Limits
from podium.apiserver.http.users import Tokens, new_token
from podium.apiserver.refusals import server_fault, too_many, unauthorized
from podium.apiserver.requests.messages import refused
from podium.ui.dashboard.feeds.feed import RecordedFeed, event_stream
from podium.ui.dashboard.pages import Pages
from podium.ui.inputs.option import Reach

T = TypeVar("T")

_logger = logging.getLogger(__name__)

PREFIX = "/dashboard"
STREAMS_MAX = 200

_JSON = "application/json"
_GZIP = {"content-encoding": "gzip"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache, private",
}
_GUARDS = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
_SERVED = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_DIGITS_MAX = 18
_NOT_BUILT = "The dashboard's page isn't here: `make` builds it.\n"

Handler = Callable[[Request], Awaitable[Response]]


class DashboardApp:
    """ASGI application for all paths below `PREFIX`."""

    def __init__(
        self, feed: RecordedFeed, pages: Pages, users: Tokens, limits: Limits | None = None
    ) -> None:
        self._feed = feed
        self._pages = pages
        self._users = users
        self._limits = limits or Limits()
        self._streams = 0
        api = f"{PREFIX}/api"
        routes = [
            Route(PREFIX, lambda _: RedirectResponse(f"{PREFIX}/")),
            Route(f"{PREFIX}/", lambda _: _file("index.html")),
            Route(f"{PREFIX}/assets/{{name}}", lambda found: _file(found.path_params["name"])),
            Route(f"{api}/beginning", self._signed_in(self._beginning)),
            Route(f"{api}/changes", self._signed_in(self._changes)),
            Route(f"{api}/disruptions", self._signed_in(self._disruptions)),
            Route(f"{api}/usage", self._signed_in(self._usage)),
            Route(f"{api}/pods/{{namespace}}/{{name}}", self._signed_in(self._pod)),
            Route(f"{api}/nodes/{{name}}", self._signed_in(self._node)),
            Route(f"{api}/budgets/{{namespace}}/{{name}}", self._signed_in(self._budget)),
            Route(
                f"{api}/workloads/{{namespace}}/{{kind}}/{{name}}", self._signed_in(self._workload)
            ),
            Route(f"{api}/plan", self._signed_in(self._form)),
            Route(f"{api}/plan", self._signed_in(self._plan), methods=["POST"]),
            Route(f"{api}/apply", self._signed_in(self._apply), methods=["POST"]),
        ]
        handlers: dict[Any, ExceptionHandler] = {
            RefusedError: _refusal,
            HTTPException: _not_served,
            ClientDisconnect: lambda _, _error: Response(status_code=400),
        }
        self._app = Starlette(routes=routes, exception_handlers=handlers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_GUARDS]
            await send(message)

        await self._app(scope, receive, guarded)

    def close(self) -> None:
        """End all event streams."""
        self._feed.close()

    def _signed_in(self, handle: Callable[[Request, User], Awaitable[Response]]) -> Handler:
        async def handled(request: Request) -> Response:
            user = self._users.user(request.headers.get("authorization", ""))
            if user is None:
                raise unauthorized()
            if not user.may(Attempt("get", path=request.url.path)):
                text = f"forbidden: User {quoted(user.name)} cannot see the dashboard"
                raise RefusedError(403, "Forbidden", text, details={})
            try:
                return await handle(request, user)
            except (RefusedError, ClientDisconnect):
                raise
            except Exception:
                _logger.exception("%s %s failed", request.method, request.url.path)
                raise server_fault() from None

        return handled

    async def _beginning(self, _: Request, _user: User) -> Response:
        return Response(await self._feed.beginning(), media_type=_JSON, headers=_GZIP)

    async def _changes(self, request: Request, _: User) -> Response:
        after = _number(request, "after", "step")
        if self._streams >= STREAMS_MAX:
            raise too_many("pages")

        async def stream() -> AsyncIterator[bytes]:
            self._streams += 1
            try:
                async for piece in event_stream(self._feed, after):
                    yield piece
            finally:
                self._streams -= 1

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def _disruptions(self, request: Request, _: User) -> Response:
        number = _number(request, "before", "disruption")
        page = await self._pages.disruptions(number)
        return Response(page, media_type=_JSON, headers=_GZIP)

    async def _usage(self, _: Request, _user: User) -> Response:
        return Response(await self._pages.usage(), media_type=_JSON, headers=_GZIP)

    async def _pod(self, request: Request, _: User) -> Response:
        namespace, name = request.path_params["namespace"], request.path_params["name"]
        return _answer(await _unless_gone(request, self._pages.pod_page(namespace, name)))

    async def _node(self, request: Request, _: User) -> Response:
        return _answer(await self._pages.node_page(request.path_params["name"]))

    async def _budget(self, request: Request, _: User) -> Response:
        namespace, name = request.path_params["namespace"], request.path_params["name"]
        return _answer(await self._pages.budget_page(namespace, name))

    async def _workload(self, request: Request, _: User) -> Response:
        return _answer(await self._pages.workload_page(**request.path_params))

    async def _plan(self, request: Request, _: User) -> Response:
        body, given = await read_body(request.receive, self._limits), request.query_params
        texts = {name: given.getlist(name) for name in given}
        return _answer(await _unless_gone(request, self._pages.plan(body, texts)))

    async def _form(self, _: Request, _user: User) -> Response:
        # Imported when it is called, as most pages don't plan.
        from podium.ui.commands.plan import PlanQuestion
        from podium.ui.schemas import question_schema

        return _answer(question_schema(PlanQuestion, Reach.EVERYWHERE))

    async def _apply(self, request: Request, user: User) -> Response:
        body = await read_body(request.receive, self._limits)
        return _answer(await self._pages.apply(body, user))


async def _unless_gone(request: Request, answer: Coroutine[Any, Any, T]) -> T:
    async def disconnected() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    working, gone = asyncio.create_task(answer), asyncio.create_task(disconnected())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()


def _number(request: Request, parameter: str, of: str) -> int:
    number = request.query_params.get(parameter, "")
    if not number.isdecimal() or len(number) > _DIGITS_MAX:
        raise RefusedError(400, "BadRequest", f"{parameter}: must be the number of a {of}")
    return int(number)


def _answer(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type=_JSON)


def _file(name: str) -> Response:
    page = files("podium.ui.dashboard") / "page"
    found = {path.name: path for path in page.iterdir()} if page.is_dir() else {}
    suffix = name[name.rfind(".") :]
    if name not in found or suffix not in _SERVED:
        return PlainTextResponse("not found\n" if found else _NOT_BUILT, 404)
    return Response(found[name].read_bytes(), media_type=_SERVED[suffix])


async def _refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError)
    response = refused(error)
    return Response(response.content(), response.code, dict(response.headers))


async def _not_served(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(f"{error.detail}\n", error.status_code)


@asynccontextmanager
async def served_locally(feed: RecordedFeed, pages: Pages, port: int = 0) -> AsyncIterator[str]:
    """Serve a dashboard on the loopback interface inside of `async with`.

    Args:
        port: 0 for any free port.

    Yields:
        The link to the dashboard, with a token for read access.

    Raises:
        CannotListenError: the port is in use.
    """
    token = new_token()
    app = DashboardApp(feed, pages, Tokens({token: READER}))
    serving = await Serving.start(app, Limits(), port=port, certificates=None)
    try:
        yield link(serving.url, token)
    finally:
        await serving.stop()


def link(url: str, token: str) -> str:
    """Return the page's URL, with the token after #, which browsers don't send to servers."""
    return f"{url}{PREFIX}/#token={token}"
