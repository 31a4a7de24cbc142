"""`/metrics`, `/healthz`, `/livez`, `/readyz` and `/configz`, over plain HTTP.

A process is ready once all kinds that decisions need are listed.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from podium.api.values.durations import format_duration
from podium.api.values.times import NANOS_PER_SECOND
from podium.apiserver.requests.discovery import health
from podium.cluster.drivers.driver_events import DriverEvent, Listed, ListFailed, Relisted, Started
from podium.cluster.real.logs import fields
from podium.machines.async_api import ForbiddenError, NotServedError
from podium.scheduler.config.document import KubeSchedulerConfiguration, Plugins, PluginSet

_PLAIN = {
    *("api_version", "kind", "parallelism"),
    *("pod_initial_backoff_seconds", "pod_max_backoff_seconds"),
}
_DURATIONS = ("leaseDuration", "renewDeadline", "retryPeriod")


def configuration_document(found: KubeSchedulerConfiguration) -> dict[str, Any]:
    """A configuration, as it could be written in a file."""
    election = found.election.model_dump(by_alias=True)
    for name in _DURATIONS:
        election[name] = format_duration(round(election[name] * NANOS_PER_SECOND))
    connection = found.connection.model_dump(include={"kubeconfig", "qps", "burst"})
    return {
        **found.model_dump(by_alias=True, include=_PLAIN),
        "leaderElection": {**election, "resourceLock": "leases"},
        "clientConnection": {**connection, "contentType": "application/json"},
        "percentageOfNodesToScore": found.percentage_of_nodes_to_score or 0,
        "profiles": [
            {
                "schedulerName": profile.scheduler_name,
                "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
                "plugins": {
                    field.alias: _plugin_set(getattr(profile.plugins, name))
                    for name, field in Plugins.model_fields.items()
                },
                "pluginConfig": [
                    {"name": name, "args": args.model_dump(mode="json", by_alias=True)}
                    for name, args in sorted(profile.args.items())
                    if isinstance(args, BaseModel)
                ],
            }
            for profile in found.profiles
        ],
    }


def _plugin_set(plugins: PluginSet) -> dict[str, Any]:
    found = {
        "enabled": [one.model_dump() for one in plugins.enabled],
        "disabled": [{"name": one.name} for one in plugins.disabled],
    }
    return {field: values for field, values in found.items() if values}


_logger = logging.getLogger(__name__)


class InformerHealth:
    """Follows lists of the kinds that decisions need, and watches; a hook of the live driver."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._kinds = frozenset(kinds)
        self._unlisted = set(self._kinds)
        self._told: dict[str, type[Exception]] = {}

    @property
    def ailment(self) -> str:
        """Describe the lists that are missing; empty if none is."""
        if not self._unlisted:
            return ""
        barred = sorted(kind for kind in self._unlisted if self._told.get(kind) is ForbiddenError)
        if barred:
            return f"may not list and watch {', '.join(barred)}"
        return f"waits for lists of {', '.join(sorted(self._unlisted))}"

    def follow(self, event: DriverEvent) -> None:
        match event:
            case Started():
                self._unlisted = set(self._kinds)
            case Listed(kind=kind):
                self._unlisted.discard(kind)
                if self._told.pop(kind, None) is not None:
                    _logger.info("lists and watches a kind again", extra=fields(kind=kind))
            case Relisted(kind=kind):
                _logger.info("a watch has expired; lists anew", extra=fields(kind=kind))
            case ListFailed(kind=kind, error=error):
                what = "can't list or watch a kind; tries again"
                if isinstance(error, NotServedError):
                    self._unlisted.discard(kind)
                    what = "the server knows no such kind; goes on without"
                elif isinstance(error, ForbiddenError):
                    what = "may not list and watch a kind; goes on as soon as it may"
                if self._told.get(kind) is not type(error):
                    self._told[kind] = type(error)
                    _logger.warning(what, extra=fields(kind=kind, error=str(error)))


class HealthApp(Starlette):
    """An application that `podium.apiserver.http.http_server.Serving` can serve."""

    def close(self) -> None:
        """Nothing lasts that would have to be ended."""


def health_app(
    checks: Callable[[], Mapping[str, str]],
    metrics: Callable[[], bytes],
    configuration: Mapping[str, Any],
    options: Mapping[str, Any],
) -> HealthApp:
    """The application."""

    async def is_well(request: Request) -> Response:
        segments = request.url.path.strip("/").split("/")
        verbose = "verbose" in request.query_params
        found = health(segments, checks(), verbose=verbose)
        code, text = found or (404, "not found\n")
        return PlainTextResponse(text, code)

    async def tell_metrics(_: Request) -> Response:
        return Response(metrics(), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    async def tell_configuration(_: Request) -> Response:
        return JSONResponse({"componentconfig": configuration, "podium.dev": options})

    questions = ("healthz", "livez", "readyz")
    routes = [Route(f"/{question}", is_well) for question in questions]
    routes += [Route(f"/{question}/{{check:path}}", is_well) for question in questions]
    routes += [Route("/metrics", tell_metrics), Route("/configz", tell_configuration)]
    return HealthApp(routes=routes)
