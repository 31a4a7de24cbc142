"""An HTTP client of an API server; implements `podium.machines.async_api.AsyncApi`."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any, Self
from urllib.parse import quote

import aiohttp
import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS, Kind
from podium.api.objects import Object, entries, metadata_of, place_of
from podium.api.release import __version__
from podium.cluster.client.connection import Connection, MissingConnectionError, load_connection
from podium.machines.async_api import (
    ForbiddenError,
    NotServedError,
    ObjectList,
    UnreachableError,
    WatchEventLike,
    WatchExpiredError,
)
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import UNKNOWN_OUTCOME, CallError, Outcome

JSON = "application/json"
STRATEGIC = "application/strategic-merge-patch+json"


class Call(msgspec.Struct, frozen=True):
    """A request to an API server."""

    method: str
    path: str
    body: Object
    media_type: str = JSON


def call_of(effect: Effect) -> Call:
    """Return the HTTP request that carries out an effect; raises KeyError."""
    match effect:
        case Create(obj=obj):
            kind = KINDS[effect.kind]
            version = str(obj.get("apiVersion") or kind.api_version)
            namespace = obj["metadata"].get("namespace", "")
            named = {"apiVersion": version, "kind": kind.name, **obj}
            return Call("POST", collection_path(kind, namespace, version), named)
        case Replace(obj=obj):
            kind, metadata = KINDS[effect.kind], obj["metadata"]
            namespace = metadata.get("namespace", "")
            path = object_path(kind, namespace, metadata["name"], effect.subresource)
            named = {"apiVersion": kind.api_version, "kind": kind.name, **obj}
            return Call("PUT", path, named)
        case Patch(namespace=namespace, name=name):
            path = object_path(ALL_KINDS[effect.kind], namespace, name, effect.subresource)
            return Call("PATCH", path, effect.body, STRATEGIC)
        case Delete(namespace=namespace, name=name):
            options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
            if effect.grace_period_s is not None:
                options["gracePeriodSeconds"] = effect.grace_period_s
            preconditions = {"uid": effect.uid, "resourceVersion": effect.resource_version}
            if said := {field: value for field, value in preconditions.items() if value}:
                options["preconditions"] = said
            if effect.propagation:
                options["propagationPolicy"] = effect.propagation
            return Call("DELETE", object_path(KINDS[effect.kind], namespace, name), options)
        case Bind(namespace=namespace, name=name):
            path = object_path(KINDS["Pod"], namespace, name, "binding")
            return Call("POST", path, effect.binding)
        case Evict(namespace=namespace, name=name):
            path = object_path(KINDS["Pod"], namespace, name, "eviction")
            return Call("POST", path, effect.eviction)
    raise KeyError(type(effect))


def collection_path(kind: Kind, namespace: str = "", api_version: str = "") -> str:
    """Return the URL path of a kind's collection; of all namespaces if `namespace` is empty."""
    version = api_version or kind.api_version
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    place = f"/namespaces/{quote(namespace, safe='')}" if kind.namespaced and namespace else ""
    return f"{root}{place}/{kind.plural}"


def object_path(kind: Kind, namespace: str, name: str, subresource: str = "") -> str:
    """Return the URL path of an object or, if `subresource` is given, of a subresource."""
    path = f"{collection_path(kind, namespace)}/{quote(name, safe='')}"
    return f"{path}/{subresource}" if subresource else path


REQUESTS_MAX = 100
PAGE_LENGTH = 500
REQUEST_S = 34.0
"""Timeout of a request: a little longer than the API server's own for admission."""
WATCH_S_MIN = 300
SILENCE_S = 150.0
_CONNECT_S = 10.0
# API servers close connections that are idle for 90 s.
_IDLE_S = 60.0
_READ_BUFFER = 2**21
_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"

_MESSAGE_LENGTH_MAX = 500
_NAMES_ALONE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

_FAILURES = (aiohttp.ClientError, TimeoutError, OSError)


class CallFailedError(PodiumError):
    """A failed read, or the end of a watch: the API server refused it or couldn't be reached."""

    def __init__(self, error: CallError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(eq=False)
class HttpApi:
    """A client of an API server, to be used inside of `async with`."""

    connection: Connection
    rng: Random
    """Draws the duration of each watch, so that watches don't all end at once."""
    _: KW_ONLY
    fields: Mapping[str, str] = field(default_factory=dict)
    """Field selectors of lists and watches, by kind."""
    requests_max: int = REQUESTS_MAX
    """Limit of concurrent requests, watches excluded."""
    request_s: float = REQUEST_S
    """Timeout of a request in seconds, unless the connection has one."""
    page_length: int = PAGE_LENGTH
    silence_s: float = SILENCE_S
    """Seconds without events (bookmarks come every minute) after which a watch fails."""
    accept: str = JSON

    def __post_init__(self) -> None:
        self._request_slots = asyncio.Semaphore(self.requests_max)
        own_s = self.connection.request_s
        # None, and not 0, is aiohttp's word for no limit.
        total_s = (self.request_s if own_s is None else own_s) or None
        self._timeout = aiohttp.ClientTimeout(total_s, connect=_CONNECT_S)

    async def __aenter__(self) -> Self:
        tls = self.connection.tls
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_IDLE_S, ssl=True if tls is None else tls
            ),
            headers={"User-Agent": f"podium/{__version__}", "Accept": self.accept},
            read_bufsize=_READ_BUFFER,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def call(self, effect: Effect) -> Outcome:
        answer = await self._answer(call_of(effect))
        if isinstance(answer, CallError):
            return Outcome(effect, answer)
        return Outcome(effect, obj=answer)

    async def get(self, kind: str, name: str, namespace: str = "") -> Object:
        """Read an object; raises CallFailedError."""
        return await self.read(object_path(KINDS[kind], namespace, name))

    async def read(self, path: str) -> Object:
        """Read what is at a URL path; raises CallFailedError."""
        answer = await self._answer(Call("GET", path, {}))
        if isinstance(answer, CallError):
            raise CallFailedError(answer)
        return answer

    async def may(self, user: str, groups: Sequence[str], attributes: Mapping[str, str]) -> bool:
        """Return whether a user has access, by a SubjectAccessReview; False if that fails."""
        spec = {"user": user, "groups": [*groups], "resourceAttributes": {**attributes}}
        answer = await self._answer(Call("POST", _ACCESS_REVIEWS, {"spec": spec}))
        return not isinstance(answer, CallError) and bool(answer["status"]["allowed"])

    async def list(self, kind: str) -> ObjectList:
        try:
            return await self._list(kind, self.page_length)
        except WatchExpiredError:
            # The list's revision was compacted between two pages: read all objects at once.
            return await self._list(kind, 0)

    async def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        lasts_s = self.rng.randint(WATCH_S_MIN, 2 * WATCH_S_MIN)
        query = self._selected(kind, resourceVersion=str(revision), watch="true")
        query |= {"allowWatchBookmarks": "true", "timeoutSeconds": str(lasts_s)}
        timeout = aiohttp.ClientTimeout(None, connect=_CONNECT_S, sock_read=self.silence_s)
        started_s, has_events = asyncio.get_running_loop().time(), False
        try:
            call = Call("GET", collection_path(ALL_KINDS[kind]), {})
            async with await self._send(call, query, timeout) as response:
                if response.status != HTTPStatus.OK:
                    raise _failure(await _error(response))
                decoder = WatchDecoder(ALL_KINDS[kind])
                async for chunk in response.content.iter_any():
                    if events := decoder.take(chunk):
                        has_events = True
                        yield events
        except CallFailedError as error:
            raise _failure(error.error) from None
        except (*_FAILURES, UnreadableAnswerError, MissingConnectionError) as error:
            raise UnreachableError(f"watch of {kind}: {_why(error)}") from None
        if not has_events and asyncio.get_running_loop().time() - started_s < 1:
            raise UnreachableError(f"watch of {kind}: ended at once")

    async def _list(self, kind: str, page_length: int) -> ObjectList:
        listed_kind = ALL_KINDS[kind]
        call = Call("GET", collection_path(listed_kind), {})
        query = self._selected(kind)
        if page_length:
            query["limit"] = str(page_length)
        objects: list[Object] = []
        revision = ""
        while True:
            page = await self._answer(call, query)
            if isinstance(page, CallError):
                raise _failure(page)
            metadata = metadata_of(page)
            objects += (
                {"apiVersion": listed_kind.api_version, "kind": listed_kind.name, **obj}
                for obj in entries(page, "items")
            )
            revision = revision or str(metadata.get("resourceVersion") or "0")
            if not metadata.get("continue"):
                return ObjectList(objects, int(revision))
            query["continue"] = metadata["continue"]

    def _selected(self, kind: str, **query: str) -> dict[str, str]:
        selector = self.fields.get(kind)
        return {**query, "fieldSelector": selector} if selector else query

    async def _answer(
        self, call: Call, query: Mapping[str, str] | None = None
    ) -> dict[str, Any] | CallError:
        async with self._request_slots:
            try:
                async with await self._send(call, query or {}, self._timeout) as response:
                    if response.status >= HTTPStatus.BAD_REQUEST:
                        return await _error(response)
                    return _decoded(await response.read())
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
                return _unsent(_why(error))
            except MissingConnectionError as error:
                return _unsent(str(error))
            except (*_FAILURES, UnreadableAnswerError) as error:
                # The call may have been carried out.
                return CallError(HTTPStatus.GATEWAY_TIMEOUT, UNKNOWN_OUTCOME, _why(error))

    async def _send(
        self, call: Call, query: Mapping[str, str], timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        """Send a request, and send it again with reloaded credentials after a 401."""
        response = await self._send_once(call, query, timeout)
        if response.status == HTTPStatus.UNAUTHORIZED:
            response.release()
            await self.connection.renew()
            response = await self._send_once(call, query, timeout)
        return response

    async def _send_once(
        self, call: Call, query: Mapping[str, str], timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        connection = self.connection
        headers = {}
        if authorization := await connection.authorization():
            headers["Authorization"] = authorization
        if connection.impersonated_user:
            headers["Impersonate-User"] = connection.impersonated_user
        body = None
        if call.method != "GET":
            headers["Content-Type"] = call.media_type
            body = msgspec.json.encode(call.body)
        return await self._session.request(
            call.method,
            connection.url + call.path,
            params=query,
            data=body,
            headers=headers,
            timeout=timeout,
            proxy=connection.proxy or None,
            server_hostname=connection.server_name or None,
        )


async def _error(response: aiohttp.ClientResponse) -> CallError:
    retry_after = response.headers.get("Retry-After")
    return error_of(response.status, await response.read(), retry_after)


def _unsent(why: str) -> CallError:
    return CallError(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailable", why)


def _failure(error: CallError) -> WatchExpiredError | UnreachableError:
    match error.code:
        case HTTPStatus.GONE:
            return WatchExpiredError(error.message)
        case HTTPStatus.FORBIDDEN | HTTPStatus.UNAUTHORIZED:
            return ForbiddenError(error.message)
        case HTTPStatus.NOT_FOUND:
            return NotServedError(error.message)
    return UnreachableError(error.message)


def _why(error: BaseException) -> str:
    return str(error) or type(error).__name__


class UnreadableAnswerError(ValueError):
    """A response body that isn't a JSON object, or not an event of a watch."""


def _decoded(content: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise UnreadableAnswerError(f"an answer that isn't JSON: {error}") from None
    if not isinstance(answer, dict):
        raise UnreadableAnswerError("an answer that isn't an object")
    return answer


def error_of(code: int, content: bytes, retry_after: str | None) -> CallError:
    """Return the error of a failed HTTP response; `retry_after` is its Retry-After header."""
    try:
        status = _decoded(content)
    except UnreadableAnswerError:
        status = {}
    if status.get("kind") != "Status":
        text = content.decode(errors="replace").strip()[:_MESSAGE_LENGTH_MAX]
        status = {"message": f"an answer with code {code}: {text}"}
        if code in (HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT):
            # A gateway says so when it has lost its server, which may have acted.
            status["reason"] = UNKNOWN_OUTCOME
    details = status.get("details") or {}
    wait = retry_after if retry_after and retry_after.isdecimal() else None
    return CallError(
        code,
        str(status.get("reason") or ""),
        str(status.get("message") or ""),
        float(wait or details.get("retryAfterSeconds") or 0),
    )


class StreamedEvent(msgspec.Struct, frozen=True):
    """An event of a watch; implements `podium.machines.async_api.WatchEventLike`."""

    type: str
    obj: Object
    revision: int


class WatchDecoder:
    """Decodes the byte stream of one watch into events."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._rest = b""

    def take(self, chunk: bytes) -> list[StreamedEvent]:
        """Decode the next bytes of the stream, and return the events that they complete.

        Raises CallFailedError if the server ends the watch with an error (events before it in
        `chunk` are repeated by the next watch), and UnreadableAnswerError.
        """
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        events = []
        for line in filter(bytes.strip, lines):
            event = _decoded(line)
            event_type, obj = event.get("type"), event.get("object")
            if not isinstance(event_type, str) or not isinstance(obj, dict):
                raise UnreadableAnswerError("a line of a watch that isn't an event")
            if event_type == "ERROR":
                code = int(obj.get("code") or HTTPStatus.INTERNAL_SERVER_ERROR)
                reason, message = (str(obj.get(field) or "") for field in ("reason", "message"))
                raise CallFailedError(CallError(code, reason, message))
            named = {"apiVersion": self._kind.api_version, "kind": self._kind.name, **obj}
            events.append(
                StreamedEvent(event_type, named, int(metadata_of(obj)["resourceVersion"]))
            )
        return events


def names_of(
    kind: str, kubeconfig: str | None, context: str | None, within_s: float
) -> Sequence[tuple[str, str]]:
    """List the namespaces and names of all objects of a kind, for completion in a shell.

    The list is empty if the cluster can't be read within `within_s` seconds.
    """

    async def listed() -> Sequence[tuple[str, str]]:
        async with asyncio.timeout(within_s):
            connection = await load_connection(kubeconfig, context)
            async with HttpApi(connection, Random(), accept=_NAMES_ALONE) as api:
                return [*map(place_of, (await api.list(kind)).objects)]

    try:
        return asyncio.run(listed())
    except (PodiumError, TimeoutError, OSError, ValueError):
        return ()
