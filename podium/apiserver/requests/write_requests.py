"""Writing: create, replace, patch and delete, and the subresources that are written otherwise."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from podium.api.objects import metadata_of
from podium.apiserver.attributes import WriteOptions
from podium.apiserver.decoding import DecodedObject, PatchType, decode_patch
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.long_work import apart
from podium.apiserver.requests import query_options
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import patch_type
from podium.apiserver.requests.response_forms import shown_list
from podium.apiserver.schema.struct_types import BINDING, DELETE_OPTIONS, EVICTION
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import DeleteOptions, PatchRequest, Written

_SUCCESS: dict[str, Any] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": 201,
}


def create(call: Call) -> Response:
    """Create the object in the body."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(*call.taken)
    obj = call.server.create(request, decoded.obj)
    return _written(call, Written(obj, True), decoded, None)


def update(call: Call) -> Response:
    """Replace an object, or a subresource of it, by the one in the body."""
    request = call.attributes("UpdateOptions")
    decoded = call.decoded(*call.taken)
    before = _generation(call)
    return _written(call, call.server.replace(request, decoded.obj), decoded, before)


def patch(call: Call) -> Response:
    """Patch an object, or a subresource of it, with the body."""
    media_type = patch_type(call.request.header("Content-Type"), call.info.kind)
    request = call.attributes("PatchOptions", is_apply=media_type == PatchType.APPLY)
    validation = call.field_validation
    decoded = apart(decode_patch, call.request.body, media_type, field_validation=validation)
    patch = PatchRequest(media_type, decoded.obj, call.info.api_version, validation)
    before = _generation(call)
    return _written(call, call.server.patch(request, patch), decoded, before)


def _generation(call: Call) -> Any:
    info = call.info
    old = call.server.store.get(info.kind.key, info.namespace, info.name)
    return metadata_of(old or {}).get("generation")


def _written(call: Call, written: Written, sent: DecodedObject, before: Any) -> Response:
    obj, warnings = written.obj, (*sent.warnings, *written.warnings)
    registration = registration_of(call.info.kind)
    if written.created:
        warnings += (*registration.warnings(obj), *registration.warnings_of_new(obj, sent.obj))
    elif not call.info.subresource:
        generation = metadata_of(obj).get("generation")
        # A kind without generations is warned of with each change.
        if generation is None or generation != before:
            warnings += (*registration.warnings(obj),)
    return call.answer(obj, code=201 if written.created else 200, warnings=warnings)


def bind(call: Call) -> Response:
    """Bind a pod as the Binding in the body says; without a pod in the path, it names the pod."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(BINDING)
    name = request.name or metadata_of(decoded.obj).get("name", "")
    call.server.bind(structs.replace(request, name=name), decoded.obj)
    return call.respond(201, _SUCCESS, decoded.warnings)


def evict(call: Call) -> Response:
    """Evict a pod as the Eviction in the body says."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(EVICTION)
    call.server.evict(request, decoded.obj)
    return call.respond(201, _SUCCESS, decoded.warnings)


def delete(call: Call) -> Response:
    """Delete an object."""
    asked = _delete_options(call)
    request = call.attributes_with(WriteOptions(dry_run=bool(asked.get("dryRun"))))
    deleted = call.server.delete(request, DeleteOptions.of(asked))
    # Only this way of asking tells clients that the deletion goes on.
    is_accepted = not deleted.gone and asked.get("orphanDependents") is False
    return call.answer(deleted.answer, code=202 if is_accepted else 200)


def delete_collection(call: Call) -> Response:
    """Delete all objects of a list, which is the answer."""
    wanted = query_options.list_options(call.parameters, watch=False)
    asked = _delete_options(call)
    listing = call.server.delete_collection(
        call.attributes_with(WriteOptions(dry_run=bool(asked.get("dryRun")))),
        parse_selection(call.info.kind, wanted.label_selector, wanted.field_selector),
        DeleteOptions.of(asked),
        wanted,
    )
    return call.respond(200, shown_list(call.form, listing, call.now_s))


def _delete_options(call: Call) -> Mapping[str, Any]:
    asked: Mapping[str, Any] = (
        call.decoded(DELETE_OPTIONS).obj
        if call.request.body
        else query_options.delete_options(call.parameters)
    )
    query_options.check_delete_options(asked)
    return asked
