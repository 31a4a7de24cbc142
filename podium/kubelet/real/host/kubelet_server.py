"""The kubelet's HTTPS endpoint for `kubectl logs`: `/containerLogs`.

Clients authenticate with certificates of the cluster's authority, and are authorized by the API
server. The API server, which is the usual client, passes errors on to the user.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
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
"""The attributes of the access that reading logs of a node needs."""

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
"""The kubelet's words for common reasons of waiting containers."""


class CannotServeLogsError(PodiumError):
    """The endpoint can't listen on its address and port."""


class NoLogError(Exception):
    """A container has no log for the requested run."""


@dataclass(eq=False)
class KubeletServer:
    """The server of `/containerLogs`, which runs inside of `async with`."""

    directory: NodeDirectory
    containers: Containers
    _: KW_ONLY
    fetch_pod: FetchPod
    may_read: MayRead
    now_s: Callable[[], float]
    address: str
    port: int | None
    """None for 10250, or a free port if that is in use; the port in use once it runs."""
    tls: ssl.SSLContext
    head_s: float = _HEAD_S
    """Seconds after which a connection without a complete request head is closed."""
    _cuts: dict[web.RequestHandler, asyncio.TimerHandle] = field(default_factory=dict, init=False)

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._authorized])
        app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", self._logs)
        self._runner = web.AppRunner(
            app,
            handler_cancellation=True,
            shutdown_timeout=_STOP_S,
            # Of aiohttp's limits, this one holds for the heads of further requests.
            keepalive_timeout=self.head_s,
        )
        await self._runner.setup()
        try:
            try:
                await self._listen(USUAL_PORT if self.port is None else self.port)
            except OSError:
                if self.port is not None:
                    raise
                await self._listen(0)
        except OSError as error:
            await self._runner.cleanup()
            raise CannotServeLogsError(
                f"port {self.port} of {self.address}: {error.strerror}"
            ) from None
        self.port = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        await self._runner.cleanup()

    async def _listen(self, port: int) -> None:
        self._listening = await asyncio.get_running_loop().create_server(
            self._connection, self.address, port, ssl=self.tls, ssl_handshake_timeout=self.head_s
        )

    def _connection(self) -> asyncio.Protocol:
        assert self._runner.server is not None
        handler = self._runner.server()

        def cut() -> None:
            del self._cuts[handler]
            if handler.transport is not None:
                handler.transport.abort()

        self._cuts[handler] = asyncio.get_running_loop().call_later(self.head_s, cut)
        return handler

    @web.middleware
    async def _authorized(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        cut = self._cuts.pop(request.protocol, None)
        if cut is not None:
            cut.cancel()
        certificate = request.get_extra_info("peercert")
        if not certificate:
            return web.Response(status=401, text="Unauthorized")
        fields = [pair for part in certificate["subject"] for pair in part]
        user = next((value for key, value in fields if key == "commonName"), "")
        groups = [value for key, value in fields if key == "organizationName"]
        if not await self.may_read(user, groups):
            what = "verb=get, resource=nodes, subresource(s)=[proxy]"
            return web.Response(status=403, text=f"Forbidden (user={user}, {what})")
        return await handler(request)

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        names = request.match_info
        pod = await self.fetch_pod(names["namespace"], names["pod"])
        if pod is None:
            where = f'pod "{names["pod"]}" not found in namespace "{names["namespace"]}"'
            return web.Response(status=404, text=where)
        container = names["container"]
        query, since = request.query, 0
        try:
            if "sinceSeconds" in query:
                since = int((self.now_s() - int(query["sinceSeconds"])) * NANOS_PER_SECOND)
            elif "sinceTime" in query:
                since = parse_time(query["sinceTime"])
            options = LogOptions(
                follow=query.get("follow") == "true",
                tail_lines=_number(query, "tailLines"),
                since=format_time(since, _NANOSECOND_DIGITS) if since else "",
                timestamps=query.get("timestamps") == "true",
                limit_bytes=_number(query, "limitBytes"),
            )
            attempt = wanted_attempt(pod, container, "previous" in query)
        except (NoLogError, ValueError) as error:
            return web.Response(status=400, text=str(error))
        run = ContainerId(pod["metadata"]["uid"], container, attempt)

        def is_running() -> bool:
            running = self.containers.get(run)
            return running is not None and not running.exited.done()

        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(request)
        async for text in log_text(
            self.directory.log(pod, container, attempt), options, is_running
        ):
            await answer.write(text)
        await answer.write_eof()
        return answer


def wanted_attempt(pod: Object, container: str, previous: bool) -> int:
    """Return the attempt (from 0) of a container whose log is wanted; raises NoLogError."""
    status = status_of(pod)
    statuses = (one for key in _STATUSES for one in status.get(key) or ())
    found = next((one for one in statuses if one["name"] == container), None)
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
