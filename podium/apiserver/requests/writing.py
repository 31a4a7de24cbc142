"""Writing: create, replace, patch and delete."""

from collections.abc import Mapping
from typing import Any

from podium.apiserver.decoding import PatchType, decode_patch
from podium.apiserver.long_work import apart
from podium.apiserver.requests import options
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import patch_type
from podium.apiserver.requests.presenting import shown_list
from podium.apiserver.requests.reading import page
from podium.apiserver.schema.bodies import DELETE_OPTIONS
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import DeleteOptions, PatchRequest, WriteOptions, Written


def create(call: Call) -> Response:
    """Create the object in the body."""
    route = call.route
    how = call.write_options("CreateOptions")
    decoded = call.decoded(route.kind, route.api_version)
    obj = call.server.create(route.kind, decoded.obj, route.namespace, call.now_s, how)
    return call.answer(obj, call.form, code=201, warnings=decoded.warnings)


def update(call: Call) -> Response:
    """Replace an object, or a subresource of it, by the one in the body."""
    route = call.route
    how = call.write_options("UpdateOptions")
    decoded = call.decoded(route.kind, route.api_version)
    written = call.server.replace(
        route.kind,
        decoded.obj,
        route.namespace,
        route.name,
        call.now_s,
        how,
        route.subresource,
    )
    return _written(call, written, decoded.warnings)


def patch(call: Call) -> Response:
    """Patch an object, or a subresource of it, with the body."""
    route = call.route
    request, how, warnings = patch_request(call)
    written = call.server.patch(
        route.kind, route.namespace, route.name, request, call.now_s, how, route.subresource
    )
    return _written(call, written, warnings)


def patch_request(call: Call) -> tuple[PatchRequest, WriteOptions, tuple[str, ...]]:
    """The patch in the body, how to write what it makes, and what to warn of."""
    media_type = patch_type(call.request.header("Content-Type"), call.route.kind)
    how = call.write_options("PatchOptions", is_apply=media_type == PatchType.APPLY)
    validation = call.field_validation
    decoded = apart(decode_patch, call.request.body, media_type, field_validation=validation)
    request = PatchRequest(media_type, decoded.obj, call.route.api_version, validation)
    return request, how, decoded.warnings


def _written(call: Call, written: Written, warnings: tuple[str, ...]) -> Response:
    return call.answer(
        written.obj,
        call.form,
        code=201 if written.created else 200,
        warnings=warnings + written.warnings,
    )


def delete(call: Call) -> Response:
    """Delete an object."""
    route = call.route
    asked = _delete_options(call)
    deleted = call.server.delete(
        route.kind,
        route.namespace,
        route.name,
        DeleteOptions.of(asked),
        now_s=call.now_s,
        options=WriteOptions(dry_run=bool(asked.get("dryRun"))),
    )
    # Only this way of asking tells clients that the deletion goes on.
    is_accepted = not deleted.gone and asked.get("orphanDependents") is False
    return call.answer(deleted.answer, call.form, code=202 if is_accepted else 200)


def delete_collection(call: Call) -> Response:
    """Delete all objects of a list, which is the answer."""
    route = call.route
    wanted = options.list_options(call.parameters, watch=False)
    asked = _delete_options(call)
    listing = call.server.delete_collection(
        route.kind,
        route.namespace,
        parse_selection(route.kind, wanted.label_selector, wanted.field_selector),
        DeleteOptions.of(asked),
        now_s=call.now_s,
        page=page(wanted),
        options=WriteOptions(dry_run=bool(asked.get("dryRun"))),
    )
    return call.respond(200, shown_list(call.form, listing, call.now_s))


def _delete_options(call: Call) -> Mapping[str, Any]:
    """The DeleteOptions in the body, or else in the query."""
    asked: Mapping[str, Any] = (
        call.decoded(DELETE_OPTIONS).obj
        if call.request.body
        else options.delete_options(call.parameters)
    )
    options.check_delete_options(asked)
    return asked
