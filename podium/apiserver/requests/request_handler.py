"""From a request to its answer: the one way in for clients, before HTTP."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import unquote

from msgspec.structs import replace

from podium.api.kinds.custom_kinds import (
    DEFINITION,
    CustomKind,
    has_cel_rules,
    is_converted_elsewhere,
)
from podium.api.refused import RefusedError
from podium.apiserver.kinds.registration.registrations import is_idle
from podium.apiserver.long_work import kept
from podium.apiserver.refusals import entity_too_large, no_room
from podium.apiserver.registry import Registry
from podium.apiserver.requests import (
    authorization,
    discovery,
    metrics_api,
    object_requests,
    openapi,
    pod_logs,
    reviews,
    routes,
    tokens,
)
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import PLAIN_TEXT, Request, Response, refused, warning
from podium.apiserver.requests.negotiation import JSON, accepts_aggregated, is_pretty, output
from podium.apiserver.requests.query_options import Parameters, parse_query
from podium.apiserver.requests.routes import RequestInfo
from podium.apiserver.schema.struct_types import METRICS, REVIEWS
from podium.apiserver.server import ApiServer
from podium.apiserver.store.errors import NoRoomError

BODY_LENGTH_MAX = 3 * 2**20

_Handler = Callable[[Call], Response]

_HANDLERS: Mapping[str, _Handler] = {
    "get": object_requests.get,
    "list": object_requests.list_or_watch,
    "watch": object_requests.list_or_watch,
    "create": object_requests.create,
    "update": object_requests.update,
    "patch": object_requests.patch,
    "delete": object_requests.delete,
    "deletecollection": object_requests.delete_collection,
}
# Subresources that aren't a part of the object.
_SPECIAL_HANDLERS: Mapping[tuple[str, str], _Handler] = {
    ("binding", "create"): object_requests.bind,
    ("eviction", "create"): object_requests.evict,
    ("log", "get"): pod_logs.log,
    ("token", "create"): tokens.create,
    **{
        (one, verb): object_requests.connect
        for one in routes.CONNECTIONS
        for verb in routes.CONNECTING
    },
}
# Kinds of which nothing is stored.
_OF_KINDS: Mapping[str, _Handler] = {
    **dict.fromkeys(REVIEWS, reviews.access),
    "SelfSubjectReview": reviews.self_subject,
    "SelfSubjectRulesReview": reviews.self_subject_rules,
    **dict.fromkeys(METRICS, metrics_api.answer),
}
_DEPRECATED: Mapping[str, str] = {
    "Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}
_WRITING = ("create", "update", "patch")
_NO_CEL = "Podium doesn't evaluate the rules in x-kubernetes-validations"
_NO_CONVERSION = (
    "Podium calls no conversion webhooks: only the version that objects are stored in is served"
)
_CREATED = 201
_NO_CHECKS: Mapping[str, str] = {}


def handle(
    server: ApiServer, request: Request, now_s: float, checks: Mapping[str, str] = _NO_CHECKS
) -> Response:
    """Answer a request; what is refused is answered with its code and a `Status`.

    `checks` says what is wrong, or nothing, by what `/readyz` tells besides.
    """
    path, _, query = request.path.partition("?")
    segments = [unquote(part) for part in path.split("/") if part]
    parameters = parse_query(query)
    # Work that is done elsewhere isn't done again because it took its time.
    began_s = kept("began", lambda: now_s)
    try:
        request = authorization.in_name_of(server, request)
        response = _answer(server, request, segments, parameters, began_s, checks)
    except (RefusedError, NoRoomError) as error:
        media_type = JSON
        with suppress(RefusedError):
            media_type = output(request.header("Accept")).media_type
        response = refused(error if isinstance(error, RefusedError) else no_room(), media_type)
    pretty = is_pretty(parameters.text("pretty"), request.header("User-Agent"))
    return replace(response, pretty=True) if pretty else response


def _answer(
    server: ApiServer,
    request: Request,
    segments: Sequence[str],
    parameters: Parameters,
    now_s: float,
    checks: Mapping[str, str],
) -> Response:
    kinds = server.kinds
    told = _told(kinds, request, segments, parameters, checks)
    if told is not None:
        authorization.check_path(server.authorizer, request.user, request.method, segments)
        if request.method != "GET":
            raise routes.no_such_method()
        return told
    if not routes.is_served(segments, kinds):
        authorization.check_path(server.authorizer, request.user, request.method, segments)
        return _plain_text(404, "404 page not found\n")
    found = routes.route(request.method, segments, kinds)
    authorization.check(server, request.user, found, parameters)
    if len(request.body) > BODY_LENGTH_MAX:
        raise entity_too_large(f"limit is {BODY_LENGTH_MAX}")
    wanted = output(
        request.header("Accept"),
        streams=found.verb in ("list", "watch"),
        tables=found.kind.key not in REVIEWS,
    )
    call = Call(server, request, found, parameters, wanted, now_s)
    special = _SPECIAL_HANDLERS.get((found.subresource, found.verb))
    handler = _OF_KINDS.get(found.kind.key) or special or _HANDLERS[found.verb]
    response = handler(call)
    warnings = tuple(map(warning, _warnings(found, response)))
    return replace(response, headers=(*response.headers, *warnings)) if warnings else response


def _warnings(found: RequestInfo, response: Response) -> Iterator[str]:
    kind = found.kind
    if kind.key in _DEPRECATED:
        yield _DEPRECATED[kind.key]
    if isinstance(kind, CustomKind) and kind.definition.get("deprecated"):
        usual = f"{kind.api_version} {kind.name} is deprecated"
        yield kind.definition.get("deprecationWarning") or usual
    if response.code == _CREATED and not found.subresource and is_idle(kind):
        yield f"Podium stores objects of kind {kind.name}, but nothing acts on them"
    written = response.body
    if kind is DEFINITION and found.verb in _WRITING and isinstance(written, Mapping):
        if has_cel_rules(written):
            yield _NO_CEL
        if is_converted_elsewhere(written):
            yield _NO_CONVERSION


def _told(
    kinds: Registry,
    request: Request,
    segments: Sequence[str],
    parameters: Parameters,
    checks: Mapping[str, str],
) -> Response | None:
    health = discovery.health(segments, checks, verbose="verbose" in parameters.values)
    if health is not None:
        return _plain_text(*health)
    if not segments:
        return Response(200, discovery.index(kinds))
    if segments == ["version"]:
        return Response(200, discovery.version())
    accept = request.header("Accept")
    if segments in discovery.ROOTS and accepts_aggregated(accept):
        return Response(
            200, discovery.aggregated(segments, kinds), (("Content-Type", discovery.AGGREGATED),)
        )
    found = discovery.document(segments, request.header("Host"), kinds)
    if found is None:
        return openapi.answer(kinds, request, segments, parameters)
    return Response(200, found, (("Content-Type", output(accept).media_type),))


def _plain_text(code: int, text: str) -> Response:
    return Response(code, text, (("Content-Type", PLAIN_TEXT),))
