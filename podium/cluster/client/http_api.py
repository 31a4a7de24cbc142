"""`AsyncApi` over HTTP: what machines need of a real API server."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from http import HTTPStatus
from random import Random
from typing import Any, Self
from urllib.parse import quote

import aiohttp
import msgspec

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import ALL_KINDS, KINDS, Kind
from podium.api.objects import Object, entries, metadata_of
from podium.api.release import __version__
from podium.cluster.client.connection import Connection, MissingConnectionError
from podium.cluster.client.responses import (
    UnreadableAnswerError,
    WatchDecoder,
    WatchError,
    decoded,
    error_of,
    unknown,
    unsent,
)
from podium.machines.async_api import (
    ForbiddenError,
    NotServedError,
    ObjectList,
    UnreachableError,
    WatchEventLike,
    WatchExpiredError,
)
from podium.machines.effects import Bind, Create, Delete, Effect, Evict, Patch, Replace
from podium.machines.events import CallError, Outcome

JSON = "application/json"
STRATEGIC = "application/strategic-merge-patch+json"


class Call(msgspec.Struct, frozen=True):
    """A request to an API server."""

    method: str
    path: str
    body: Object
    media_type: str = JSON


def call_of(effect: Effect) -> Call:
    """The request that an effect is; raises KeyError if it is no call, or of an unknown kind."""
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
    """Path of the objects of a kind, in a namespace or in all."""
    version = api_version or kind.api_version
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    place = f"/namespaces/{quote(namespace, safe='')}" if kind.namespaced and namespace else ""
    return f"{root}{place}/{kind.plural}"


def object_path(kind: Kind, namespace: str, name: str, subresource: str = "") -> str:
    """Path of an object, or of its subresource."""
    path = f"{collection_path(kind, namespace)}/{quote(name, safe='')}"
    return f"{path}/{subresource}" if subresource else path


REQUESTS_MAX = 100
PAGE_LENGTH = 500
REQUEST_S = 34.0
"""How long an answer may take: a little longer than an API server gives itself for admission."""
WATCH_S_MIN = 300
SILENCE_S = 150.0
_CONNECT_S = 10.0
# API servers close connections that are idle for 90 s.
_IDLE_S = 60.0
_READ_BUFFER = 2**21
_ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"

_FAILURES = (aiohttp.ClientError, TimeoutError, OSError)


class CallFailedError(PodiumError):
    """A read that the API server turned down, or that didn't reach it."""

    def __init__(self, error: CallError) -> None:
        super().__init__(error.message)
        self.error = error


class HttpApi:
    """An API server, from `async with` to its end.

    Args:
        rng: chooses how long watches last, so that not all end at once.
        fields: field selectors by kind, for kinds of which not all objects are wanted.
        requests_max: how many requests besides watches may be under way; more wait for their turn.
        request_s: how long an answer may take, unless the connection says so.
        page_length: how many objects a list asks for at a time.
        silence_s: after how long a watch that tells nothing is taken to be dead; servers send a
            bookmark every minute.
        accept: the media types of answers.
    """

    def __init__(
        self,
        connection: Connection,
        rng: Random,
        *,
        fields: Mapping[str, str] | None = None,
        requests_max: int = REQUESTS_MAX,
        request_s: float = REQUEST_S,
        page_length: int = PAGE_LENGTH,
        silence_s: float = SILENCE_S,
        accept: str = JSON,
    ) -> None:
        self._connection = connection
        self._rng = rng
        self._fields = fields or {}
        self._room = asyncio.Semaphore(requests_max)
        # None, and not 0, is aiohttp's word for no limit.
        total_s = (request_s if connection.request_s is None else connection.request_s) or None
        self._timeout = aiohttp.ClientTimeout(total_s, connect=_CONNECT_S)
        self._page_length = page_length
        self._silence_s = silence_s
        self._accept = accept

    async def __aenter__(self) -> Self:
        tls = self._connection.tls
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_IDLE_S, ssl=True if tls is None else tls
            ),
            headers={"User-Agent": f"podium/{__version__}", "Accept": self._accept},
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
        """One object; raises CallFailedError if it can't be had."""
        answer = await self._answer(Call("GET", object_path(KINDS[kind], namespace, name), {}))
        if isinstance(answer, CallError):
            raise CallFailedError(answer)
        return answer

    async def may(self, user: str, groups: Sequence[str], attributes: Mapping[str, str]) -> bool:
        """Return whether an access is allowed; false if the API server can't be asked."""
        spec = {"user": user, "groups": [*groups], "resourceAttributes": {**attributes}}
        answer = await self._answer(Call("POST", _ACCESS_REVIEWS, {"spec": spec}))
        return not isinstance(answer, CallError) and bool(answer["status"]["allowed"])

    async def list(self, kind: str) -> ObjectList:
        try:
            return await self._list(kind, self._page_length)
        except WatchExpiredError:
            # Somebody was too slow to read all pages; then it has to be all at once.
            return await self._list(kind, 0)

    async def watch(self, kind: str, revision: int) -> AsyncIterator[Sequence[WatchEventLike]]:
        lasts_s = self._rng.randint(WATCH_S_MIN, 2 * WATCH_S_MIN)
        query = self._selected(kind, resourceVersion=str(revision), watch="true")
        query |= {"allowWatchBookmarks": "true", "timeoutSeconds": str(lasts_s)}
        timeout = aiohttp.ClientTimeout(None, connect=_CONNECT_S, sock_read=self._silence_s)
        started_s, told = asyncio.get_running_loop().time(), False
        try:
            call = Call("GET", collection_path(ALL_KINDS[kind]), {})
            async with await self._send(call, query, timeout) as response:
                if response.status != HTTPStatus.OK:
                    raise _failure(await _error(response))
                stream = WatchDecoder(ALL_KINDS[kind])
                async for chunk in response.content.iter_any():
                    if news := stream.take(chunk):
                        told = True
                        yield news
        except WatchError as error:
            raise _failure(error.error) from None
        except (*_FAILURES, UnreadableAnswerError, MissingConnectionError) as error:
            raise UnreachableError(f"watch of {kind}: {_why(error)}") from None
        if not told and asyncio.get_running_loop().time() - started_s < 1:
            raise UnreachableError(f"watch of {kind}: ended at once")

    async def _list(self, kind: str, page_length: int) -> ObjectList:
        found = ALL_KINDS[kind]
        call = Call("GET", collection_path(found), {})
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
                {"apiVersion": found.api_version, "kind": found.name, **one}
                for one in entries(page, "items")
            )
            revision = revision or str(metadata.get("resourceVersion") or "0")
            if not metadata.get("continue"):
                return ObjectList(objects, int(revision))
            query["continue"] = metadata["continue"]

    def _selected(self, kind: str, **query: str) -> dict[str, str]:
        selector = self._fields.get(kind)
        return {**query, "fieldSelector": selector} if selector else query

    async def _answer(
        self, call: Call, query: Mapping[str, str] | None = None
    ) -> dict[str, Any] | CallError:
        async with self._room:
            try:
                async with await self._send(call, query or {}, self._timeout) as response:
                    if response.status >= HTTPStatus.BAD_REQUEST:
                        return await _error(response)
                    return decoded(await response.read())
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
                return unsent(_why(error))
            except MissingConnectionError as error:
                return unsent(str(error))
            except (*_FAILURES, UnreadableAnswerError) as error:
                return unknown(_why(error))

    async def _send(
        self, call: Call, query: Mapping[str, str], timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        """Send a request; once more with new credentials if the old ones aren't taken."""
        response = await self._send_once(call, query, timeout)
        if response.status == HTTPStatus.UNAUTHORIZED:
            response.release()
            await self._connection.renew()
            response = await self._send_once(call, query, timeout)
        return response

    async def _send_once(
        self, call: Call, query: Mapping[str, str], timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        connection = self._connection
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
