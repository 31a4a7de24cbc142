"""The kubelet's HTTPS endpoint, as far as `kubectl logs` needs it: `/containerLogs`.

Who asks has a certificate by the cluster's authority, and may do what the API server says. The API
server asks with its own; what it is told of an error, it tells the user.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Self

from aiohttp import web

from podium.api.errors import PodiumError
from podium.api.objects import Object, part, status_of
from podium.api.values.times import NANOS_PER_SECOND, format_time, parse_time
from podium.kubelet.containers.container import ContainerId
from podium.kubelet.real.host.container_logs import LogOptions, log_text
from podium.kubelet.real.host.containers import Containers
from podium.kubelet.real.host.node_directory import NodeDirectory

USUAL_PORT = 10250
ASKED = {"verb": "get", "resource": "nodes", "subresource": "proxy"}
"""What those may do to a node who may read logs there."""

FetchPod = Callable[[str, str], Awaitable[Object | None]]
"""Reads a pod by namespace and name; None if there is none."""
MayRead = Callable[[str, Sequence[str]], Awaitable[bool]]
"""Whether a user, with groups, may read logs here."""

_NANOSECOND_DIGITS = 9
_HEAD_S = 32.0
_STOP_S = 1.0
_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_PULLING = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}
"""The kubelet's words for the reasons for which containers wait most."""


class CannotServeLogsError(PodiumError):
    """The endpoint can't listen where it should."""


class NoLogError(Exception):
    """There is no log of the wanted run of a container."""


class KubeletServer:
    """Serves logs while it runs, from `async with` to its end.

    Args:
        port: None for the usual one, or, if that is in use, any.
        head_s: how long a connection may take to bring a request's head, in seconds, TLS handshake
            included; later it is cut.
    """

    def __init__(
        self,
        directory: NodeDirectory,
        containers: Containers,
        *,
        fetch_pod: FetchPod,
        may_read: MayRead,
        now_s: Callable[[], float],
        address: str,
        port: int | None,
        tls: ssl.SSLContext,
        head_s: float = _HEAD_S,
    ) -> None:
        self._directory = directory
        self._containers = containers
        self._fetch_pod = fetch_pod
        self._may_read = may_read
        self._now_s = now_s
        self._address = address
        self._wanted_port = port
        self._tls = tls
        self._head_s = head_s
        self._cuts: dict[web.RequestHandler, asyncio.TimerHandle] = {}
        self.port = 0

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._authorized])
        app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", self._logs)
        self._runner = web.AppRunner(
            app,
            handler_cancellation=True,
            shutdown_timeout=_STOP_S,
            # Of aiohttp's limits, this one holds for the heads of further requests.
            keepalive_timeout=self._head_s,
        )
        await self._runner.setup()
        try:
            try:
                await self._listen(USUAL_PORT if self._wanted_port is None else self._wanted_port)
            except OSError:
                if self._wanted_port is not None:
                    raise
                await self._listen(0)
        except OSError as error:
            await self._runner.cleanup()
            raise CannotServeLogsError(
                f"port {self._wanted_port} of {self._address}: {error.strerror}"
            ) from None
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        await self._runner.cleanup()

    async def _listen(self, port: int) -> None:
        self._listening = await asyncio.get_running_loop().create_server(
            self._connection,
            self._address,
            port,
            ssl=self._tls,
            ssl_handshake_timeout=self._head_s,
        )

    def _connection(self) -> asyncio.Protocol:
        assert self._runner.server is not None
        handler = self._runner.server()
        cut = asyncio.get_running_loop().call_later(self._head_s, self._cut, handler)
        self._cuts[handler] = cut
        return handler

    def _cut(self, handler: web.RequestHandler) -> None:
        del self._cuts[handler]
        if handler.transport is not None:
            handler.transport.abort()

    @web.middleware
    async def _authorized(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        cut = self._cuts.pop(request.protocol, None)
        if cut is not None:
            cut.cancel()
        certificate = request.get_extra_info("peercert")
        if not certificate:
            return web.Response(status=401, text="Unauthorized")
        fields = [field for part in certificate["subject"] for field in part]
        user = next((value for key, value in fields if key == "commonName"), "")
        groups = [value for key, value in fields if key == "organizationName"]
        if not await self._may_read(user, groups):
            what = "verb=get, resource=nodes, subresource(s)=[proxy]"
            return web.Response(status=403, text=f"Forbidden (user={user}, {what})")
        return await handler(request)

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        names = request.match_info
        pod = await self._fetch_pod(names["namespace"], names["pod"])
        if pod is None:
            where = f'pod "{names["pod"]}" not found in namespace "{names["namespace"]}"'
            return web.Response(status=404, text=where)
        container = names["container"]
        try:
            options = self._options(request.query)
            attempt = wanted_attempt(pod, container, "previous" in request.query)
        except (NoLogError, ValueError) as error:
            return web.Response(status=400, text=str(error))
        run = ContainerId(pod["metadata"]["uid"], container, attempt)

        def is_running() -> bool:
            running = self._containers.get(run)
            return running is not None and not running.exited.done()

        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(request)
        async for text in log_text(
            self._directory.log(pod, container, attempt), options, is_running
        ):
            await answer.write(text)
        await answer.write_eof()
        return answer

    def _options(self, query: Mapping[str, str]) -> LogOptions:
        since = 0
        if "sinceSeconds" in query:
            since = int((self._now_s() - int(query["sinceSeconds"])) * NANOS_PER_SECOND)
        elif "sinceTime" in query:
            since = parse_time(query["sinceTime"])
        return LogOptions(
            follow=query.get("follow") == "true",
            tail_lines=_number(query, "tailLines"),
            since=format_time(since, _NANOSECOND_DIGITS) if since else "",
            timestamps=query.get("timestamps") == "true",
            limit_bytes=_number(query, "limitBytes"),
        )


def wanted_attempt(pod: Object, container: str, previous: bool) -> int:
    """Which run of a container has the log that is asked for, as the kubelet chooses it.

    Raises:
        NoLogError: there was no such run yet.
    """
    status = status_of(pod)
    told = [one for field in _STATUSES for one in status.get(field) or ()]
    found = next((one for one in told if one["name"] == container), None)
    where = f'container "{container}" in pod "{pod["metadata"]["name"]}"'
    if found is None:
        raise NoLogError(f"{where} is not available")
    state, last = found.get("state") or {}, found.get("lastState") or {}
    attempt, has_ended = int(found["restartCount"]), "terminated" in last
    is_begun = "running" in state or "terminated" in state
    if previous:
        if not has_ended:
            raise NoLogError(f"previous terminated {where} not found")
        return attempt - 1 if is_begun else attempt
    if is_begun or has_ended:
        return attempt
    reason = part(state, "waiting").get("reason", "")
    raise NoLogError(f"{where} is waiting to start: {_PULLING.get(reason, reason)}")


def _number(query: Mapping[str, str], name: str) -> int | None:
    return int(query[name]) if name in query else None
