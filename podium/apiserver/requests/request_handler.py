"""The entry point for all requests of clients, independent of HTTP."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from urllib.parse import parse_qs, unquote

from msgspec.structs import replace

from podium.api.errors import RefusedError
from podium.api.kinds import custom_kinds
from podium.apiserver.kinds.registration.registrations import is_idle
from podium.apiserver.long_work import kept
from podium.apiserver.refusals import entity_too_large, no_room, no_such_method
from podium.apiserver.registry import Registry
from podium.apiserver.requests import (
    authorization,
    discovery,
    object_requests,
    routes,
    unstored_kinds,
)
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import PLAIN_TEXT, Request, Response, refused, warning
from podium.apiserver.requests.negotiation import JSON, accepts_aggregated, is_pretty, output
from podium.apiserver.requests.openapi import documents
from podium.apiserver.requests.query_options import Parameters
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
# Handlers of subresources that aren't part of the object.
_SPECIAL_HANDLERS: Mapping[tuple[str, str], _Handler] = {
    ("binding", "create"): object_requests.bind,
    ("eviction", "create"): object_requests.evict,
    ("log", "get"): object_requests.log,
    ("token", "create"): unstored_kinds.token,
    **{
        (subresource, verb): object_requests.connect
        for subresource in routes.CONNECTIONS
        for verb in routes.CONNECTING
    },
}
# Handlers of kinds whose objects aren't stored.
_UNSTORED_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(REVIEWS, unstored_kinds.access),
    "SelfSubjectReview": unstored_kinds.self_subject,
    "SelfSubjectRulesReview": unstored_kinds.self_subject_rules,
    **dict.fromkeys(METRICS, unstored_kinds.metrics),
}
_DEPRECATED: Mapping[str, str] = {
    "Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
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
    """Return the response to a request; `checks` has the errors of further checks for `/readyz`."""
    path, _, query = request.path.partition("?")
    segments = [unquote(part) for part in path.split("/") if part]
    parameters = Parameters(parse_qs(query, keep_blank_values=True) if query else {})
    # The time of a request stays the same when it runs again after long work.
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
    answer = _unrouted(kinds, request, segments, parameters, checks)
    if answer is not None or not routes.is_served(segments, kinds):
        authorization.check_path(server.authorizer, request.user, request.method, segments)
        if answer is not None and request.method != "GET":
            raise no_such_method()
        return answer or _plain_text(404, "404 page not found\n")
    info = routes.route(request.method, segments, kinds)
    kind = info.kind
    authorization.check(server, request.user, info, parameters)
    if len(request.body) > BODY_LENGTH_MAX:
        raise entity_too_large(f"limit is {BODY_LENGTH_MAX}")
    wanted = output(
        request.header("Accept"),
        streams=info.verb in ("list", "watch"),
        tables=kind.key not in REVIEWS,
    )
    special = _SPECIAL_HANDLERS.get((info.subresource, info.verb))
    handler = _UNSTORED_HANDLERS.get(kind.key) or special or _HANDLERS[info.verb]
    response = handler(Call(server, request, info, parameters, wanted, now_s))
    warnings = []
    if kind.key in _DEPRECATED:
        warnings.append(_DEPRECATED[kind.key])
    if isinstance(kind, custom_kinds.CustomKind) and kind.definition.get("deprecated"):
        usual = f"{kind.api_version} {kind.name} is deprecated"
        warnings.append(kind.definition.get("deprecationWarning") or usual)
    if response.code == _CREATED and not info.subresource and is_idle(kind):
        warnings.append(f"Podium stores objects of kind {kind.name}, but nothing acts on them")
    written = response.body
    if kind is custom_kinds.DEFINITION and info.verb in _WRITING and isinstance(written, Mapping):
        warnings += [_NO_CEL] if custom_kinds.has_cel_rules(written) else []
        warnings += [_NO_CONVERSION] if custom_kinds.is_converted_elsewhere(written) else []
    if not warnings:
        return response
    return replace(response, headers=(*response.headers, *map(warning, warnings)))


def _unrouted(
    kinds: Registry,
    request: Request,
    segments: Sequence[str],
    parameters: Parameters,
    checks: Mapping[str, str],
) -> Response | None:
    """Return the response for a non-resource path; None for any other path."""
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
    document = discovery.document(segments, request.header("Host"), kinds)
    if document is None:
        return documents.answer(kinds, request, segments, parameters)
    return Response(200, document, (("Content-Type", output(accept).media_type),))


def _plain_text(code: int, text: str) -> Response:
    return Response(code, text, (("Content-Type", PLAIN_TEXT),))
