"""Subresources that take objects of their own: binding, eviction and scale."""

from typing import Any

from podium.api.objects import metadata_of
from podium.api.refused import RefusedError
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.writing import patch_request
from podium.apiserver.schema.bodies import BINDING, EVICTION, SCALE

_SUCCESS: dict[str, Any] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": 201,
}


def bind(call: Call) -> Response:
    """Bind a pod as the Binding in the body says; without a pod in the path, it names the pod."""
    route = call.route
    how = call.write_options("CreateOptions")
    decoded = call.decoded(BINDING)
    name = route.name or metadata_of(decoded.obj).get("name", "")
    call.server.bind(route.namespace, name, decoded.obj, call.now_s, how)
    return call.respond(201, _SUCCESS, decoded.warnings)


def evict(call: Call) -> Response:
    """Evict a pod as the Eviction in the body says."""
    route = call.route
    how = call.write_options("CreateOptions")
    decoded = call.decoded(EVICTION)
    call.server.evict(route.namespace, route.name, decoded.obj, call.now_s, how)
    return call.respond(201, _SUCCESS, decoded.warnings)


def give_token(call: Call) -> Response:
    """Refuse a token: roles aren't heeded, so it would let a service account do all or nothing."""
    message = (
        f"service account {call.route.namespace}/{call.route.name} gets no token, as roles aren't "
        "heeded here; the cluster's kubeconfig lets clients in"
    )
    raise RefusedError(501, "NotImplemented", message)


def get_scale(call: Call) -> Response:
    """Answer with a workload's scale."""
    route = call.route
    scale = call.server.get_scale(route.kind, route.namespace, route.name)
    return call.answer(scale, call.form_of(SCALE, SCALE.api_version))


def replace_scale(call: Call) -> Response:
    """Scale a workload as the Scale in the body says."""
    route = call.route
    how = call.write_options("UpdateOptions")
    decoded = call.decoded(SCALE)
    scale = call.server.replace_scale(
        route.kind, route.namespace, route.name, decoded.obj, call.now_s, how
    )
    form = call.form_of(SCALE, SCALE.api_version)
    return call.answer(scale, form, warnings=decoded.warnings)


def patch_scale(call: Call) -> Response:
    """Patch a workload's scale."""
    route = call.route
    request, how, warnings = patch_request(call)
    scale = call.server.patch_scale(
        route.kind, route.namespace, route.name, request, call.now_s, how
    )
    return call.answer(scale, call.form_of(SCALE, SCALE.api_version), warnings=warnings)
