"""The HTTP server of `/metrics`, `/healthz`, `/livez`, `/readyz` and `/configz`.

A scheduler process is ready once all kinds that its decisions depend on are listed.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from podium.apiserver.requests.discovery import health
from podium.cluster.drivers.driver_events import DriverEvent, Listed, ListFailed, Relisted, Started
from podium.cluster.real.logs import fields
from podium.machines.async_api import ForbiddenError, NotServedError

LEADER_ELECTION = "leaderElection"
"""The check of leader election, as kube-scheduler names it; `/healthz` has it as well."""

_logger = logging.getLogger(__name__)


class InformerHealth:
    """Tracks lists and watches of the kinds that decisions depend on; a hook of the live driver."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._kinds = frozenset(kinds)
        self._unlisted = set(self._kinds)
        self._failures: dict[str, type[Exception]] = {}

    @property
    def ailment(self) -> str:
        """A message with the kinds that aren't listed yet, and why; empty if all are listed."""
        if not self._unlisted:
            return ""
        barred = sorted(
            kind for kind in self._unlisted if self._failures.get(kind) is ForbiddenError
        )
        if barred:
            return f"may not list and watch {', '.join(barred)}"
        return f"waits for lists of {', '.join(sorted(self._unlisted))}"

    def follow(self, event: DriverEvent) -> None:
        match event:
            case Started():
                self._unlisted = set(self._kinds)
            case Listed(kind=kind):
                self._unlisted.discard(kind)
                if self._failures.pop(kind, None) is not None:
                    _logger.info("lists and watches a kind again", extra=fields(kind=kind))
            case Relisted(kind=kind):
                _logger.info("a watch has expired; lists again", extra=fields(kind=kind))
            case ListFailed(kind=kind, error=error):
                what = "can't list or watch a kind; tries again"
                if isinstance(error, NotServedError):
                    self._unlisted.discard(kind)
                    what = "the server doesn't serve a kind; goes on without it"
                elif isinstance(error, ForbiddenError):
                    what = "may not list and watch a kind; goes on as soon as it may"
                if self._failures.get(kind) is not type(error):
                    self._failures[kind] = type(error)
                    _logger.warning(what, extra=fields(kind=kind, error=str(error)))


class HealthApp(Starlette):
    """An application that `podium.apiserver.http.http_server.Serving` can serve."""

    def close(self) -> None:
        """Do nothing, as no request outlasts its response."""


def health_app(
    checks: Callable[[], Mapping[str, str]],
    metrics: Callable[[], bytes],
    configuration: Mapping[str, Any],
    options: Mapping[str, Any],
) -> HealthApp:
    """Make the application; `checks` returns a message by check, which is empty if it passed."""

    async def probe(request: Request) -> Response:
        segments = request.url.path.strip("/").split("/")
        verbose = "verbose" in request.query_params
        answer = health(segments, checks(), verbose=verbose, of_health=(LEADER_ELECTION,))
        code, text = answer or (404, "not found\n")
        return PlainTextResponse(text, code)

    async def expose(_: Request) -> Response:
        return Response(metrics(), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    async def show_configuration(_: Request) -> Response:
        return JSONResponse({"componentconfig": configuration, "podium.dev": options})

    probes = ("healthz", "livez", "readyz")
    paths = (path for name in probes for path in (f"/{name}", f"/{name}/{{check:path}}"))
    routes = [Route(path, probe) for path in paths]
    routes += [Route("/metrics", expose), Route("/configz", show_configuration)]
    return HealthApp(routes=routes)
