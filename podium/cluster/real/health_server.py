"""`/metrics`, `/healthz`, `/livez`, `/readyz` and `/configz`, over plain HTTP."""

from collections.abc import Callable, Mapping
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from podium.apiserver.requests.discovery import health


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
    """The application.

    Args:
        checks: what the process is ready by: by name what is wrong, or an empty text.
        metrics: all of them in Prometheus' text format.
        options: what it has of Podium's own.
    """

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
