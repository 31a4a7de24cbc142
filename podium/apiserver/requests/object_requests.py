"""Handlers of requests for objects and for most of their subresources."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import metadata_of
from podium.api.refused import RefusedError
from podium.apiserver.attributes import WriteOptions
from podium.apiserver.decoding import DecodedObject, PatchType, decode_patch
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.long_work import apart, concerns, kept
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests import query_options
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import JSON, patch_type
from podium.apiserver.requests.pod_logs import log_directory
from podium.apiserver.requests.response_forms import Watching, shown_list
from podium.apiserver.schema.struct_types import BINDING, DELETE_OPTIONS, EVICTION
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import DeleteOptions, PatchRequest, Written
from podium.apiserver.store.errors import TooLargeResourceVersionError
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.reading import parse_version, refusal_of

_NAME_FIELD = "metadata.name"
_SUCCESS: dict[str, Any] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": 201,
}


def get(call: Call) -> Response:
    """Return a response with an object."""
    info = call.info
    version = call.parameters.text("resourceVersion")
    revision, current = parse_version(version) if version else 0, call.server.store.revision
    if revision > current:
        # The client has seen a newer version than the stored one.
        raise refusal_of(TooLargeResourceVersionError(revision, current))
    obj = call.server.get(info.kind, info.namespace, info.name)
    concerns(obj)
    return call.answer(scale_of(info.kind, obj) if info.subresource == "scale" else obj)


def list_or_watch(call: Call) -> Response:
    """Return a response with a list, or with a started watch."""
    info = call.info
    wanted = query_options.list_options(call.parameters, watch=info.verb == "watch")
    by_name = f"{_NAME_FIELD}={info.name}" if info.name else ""
    fields = wanted.field_selector or by_name
    selection = parse_selection(info.kind, wanted.label_selector, fields)
    if info.name and selection.values_of(_NAME_FIELD) != [info.name]:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    if wanted.watch:
        stream = call.server.watch(info.kind, info.namespace, selection, wanted)
        watching = Watching(stream, call.form, wanted.timeout_s)
        # A stream of events is JSON by lines, whatever was negotiated.
        return Response(200, watching, (("Content-Type", JSON),))
    page = kept("listing", lambda: call.server.list(info.kind, info.namespace, selection, wanted))
    concerns({"items": page.items})
    return call.respond(200, apart(shown_list, call.form, page, call.now_s))


def connect(call: Call) -> Response:
    """Refuse a connection to a container, as the container is simulated or can't be reached."""
    info = call.info
    pod = call.server.get(KINDS["Pod"], info.namespace, info.name)
    message = f"pod {info.name} is simulated, and nothing runs in it for {info.subresource}"
    if log_directory(call, pod):
        message = f"pod {info.name} runs on a machine that this server has no way to"
    raise RefusedError(501, "NotImplemented", message)


def create(call: Call) -> Response:
    """Create the object in the body."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(*call.taken)
    return _written(call, Written(call.server.create(request, decoded.obj), True), decoded)


def update(call: Call) -> Response:
    """Replace an object, or its subresource, by the one in the body."""
    request = call.attributes("UpdateOptions")
    decoded = call.decoded(*call.taken)
    before = _generation(call)
    return _written(call, call.server.replace(request, decoded.obj), decoded, before)


def patch(call: Call) -> Response:
    """Patch an object, or its subresource, with the body."""
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


def _written(call: Call, written: Written, sent: DecodedObject, before: Any = None) -> Response:
    obj, warnings = written.obj, (*sent.warnings, *written.warnings)
    registration = registration_of(call.info.kind)
    if written.created:
        warnings += (*registration.warned_of(obj, sent.obj),)
    elif not call.info.subresource:
        generation = metadata_of(obj).get("generation")
        # For a kind without generations, each update repeats the warnings.
        if generation is None or generation != before:
            warnings += (*registration.warned_of(obj),)
    return call.answer(obj, code=201 if written.created else 200, warnings=warnings)


def bind(call: Call) -> Response:
    """Bind a pod as requested by the Binding in the body, which may have the name of the pod."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(BINDING)
    name = request.name or metadata_of(decoded.obj).get("name", "")
    call.server.bind(structs.replace(request, name=name), decoded.obj)
    return call.respond(201, _SUCCESS, decoded.warnings)


def evict(call: Call) -> Response:
    """Evict a pod as requested by the Eviction in the body."""
    request = call.attributes("CreateOptions")
    decoded = call.decoded(EVICTION)
    call.server.evict(request, decoded.obj)
    return call.respond(201, _SUCCESS, decoded.warnings)


def delete(call: Call) -> Response:
    """Delete an object."""
    options = _delete_options(call)
    request = call.attributes_with(WriteOptions(dry_run=bool(options.get("dryRun"))))
    deleted = call.server.delete(request, DeleteOptions.of(options))
    # As in kube-apiserver, only the old option orphanDependents gets a 202.
    is_accepted = not deleted.gone and options.get("orphanDependents") is False
    return call.answer(deleted.answer, code=202 if is_accepted else 200)


def delete_collection(call: Call) -> Response:
    """Delete the objects of a list, and return the list."""
    wanted = query_options.list_options(call.parameters, watch=False)
    options = _delete_options(call)
    page = call.server.delete_collection(
        call.attributes_with(WriteOptions(dry_run=bool(options.get("dryRun")))),
        parse_selection(call.info.kind, wanted.label_selector, wanted.field_selector),
        DeleteOptions.of(options),
        wanted,
    )
    return call.respond(200, shown_list(call.form, page, call.now_s))


def _delete_options(call: Call) -> Mapping[str, Any]:
    options: Mapping[str, Any] = (
        call.decoded(DELETE_OPTIONS).obj
        if call.request.body
        else query_options.delete_options(call.parameters)
    )
    query_options.check_delete_options(options)
    return options
