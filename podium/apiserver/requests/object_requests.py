"""Handlers of requests for objects and for most of their subresources.

The log of a container is a text if it is simulated, and at the kubelet's address if it is real.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import structs

from podium.api.errors import ErrorKind, FieldError, RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, metadata_of, namespace, part, status_of
from podium.api.pods import node_name_of
from podium.api.values.times import TimeError, parse_time
from podium.api.well_known import LOG_DIRECTORY
from podium.apiserver.attributes import WriteOptions
from podium.apiserver.decoding.bodies import PatchType, decode_patch
from podium.apiserver.decoding.typed import DecodedObject
from podium.apiserver.kinds.registration.registrations import registration_of
from podium.apiserver.long_work import apart, concerns, kept
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.requests import query_options
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import NodeLog, Response
from podium.apiserver.requests.negotiation import JSON, patch_type
from podium.apiserver.requests.query_options import Parameters
from podium.apiserver.requests.response_forms import Watching, shown_list
from podium.apiserver.schema.struct_types import BINDING, DELETE_OPTIONS, EVICTION
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import DeleteOptions, PatchRequest, Written
from podium.apiserver.store.errors import TooLargeResourceVersionError
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.reading import parse_version, refusal_of

_PLAIN_TEXT = (("Content-Type", "text/plain"),)
_LISTS = ("initContainers", "containers", "ephemeralContainers")
_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_LEAST = {"tailLines": 0, "limitBytes": 1, "sinceSeconds": 1}
_FLAGS = ("follow", "previous", "timestamps")
_INTERNAL = "InternalIP"


def log(call: Call) -> Response:
    """Return a response with a container's log, or with the address at its kubelet."""
    info = call.info
    pod = call.server.get(KINDS["Pod"], info.namespace, info.name)
    query = _checked(call.parameters, info.name)
    container = call.parameters.text("container")
    spec, status = pod["spec"], status_of(pod)
    names = [each["name"] for field in _LISTS for each in spec.get(field) or ()]
    if not container and len(spec["containers"]) > 1:
        choice = f"choose one of: [{' '.join(names)}]"
        raise bad_request(f"a container name must be specified for pod {info.name}, {choice}")
    container = container or spec["containers"][0]["name"]
    if container not in names:
        raise bad_request(f"container {container} is not valid for pod {info.name}")
    node_name = node_name_of(pod)
    if not node_name:
        return Response(204, "", ())
    directory = log_directory(call, pod)
    if not directory:
        statuses = (each for field in _STATUSES for each in status.get(field) or ())
        states = (each.get("state") for each in statuses if each.get("name") == container)
        state: Object = next(states, {}) or {}
        if waiting := part(state, "waiting"):
            where = f'container "{container}" in pod "{info.name}"'
            raise bad_request(f"{where} is waiting to start: {waiting.get('reason')}")
        text = f"pod {info.name} is simulated, and nothing runs in it: {container} writes no logs\n"
        return Response(200, text if state else "", _PLAIN_TEXT)
    if call.server.reaches_nodes:
        status = status_of(call.server.get(KINDS["Node"], "", node_name))
        port = part(status, "daemonEndpoints", "kubeletEndpoint").get("Port")
        addresses = {each["type"]: each["address"] for each in status.get("addresses") or ()}
        if port and _INTERNAL in addresses:
            quoted = (quote(name, safe="") for name in (namespace(pod), info.name, container))
            path = f"/containerLogs/{'/'.join(quoted)}" + (f"?{urlencode(query)}" if query else "")
            return Response(200, NodeLog(addresses[_INTERNAL], port, path, info.name), _PLAIN_TEXT)
    place = f"{directory}/{namespace(pod)}_{info.name}_{pod['metadata']['uid']}/{container}"
    raise RefusedError(501, "NotImplemented", f"the logs are on node {node_name}, in {place}")


def log_directory(call: Call, pod: Object) -> str:
    """Return the log directory of a pod's node; empty for a simulated node."""
    name = node_name_of(pod)
    node = call.server.store.get("Node", "", name) if name else None
    return "" if node is None else annotations(node).get(LOG_DIRECTORY, "")


def _checked(parameters: Parameters, pod_name: str) -> dict[str, str]:
    query = {flag: "true" for flag in _FLAGS if parameters.flag(flag)}
    faults = []
    for field, least in _LEAST.items():
        number = parameters.integer(field)
        if number is None:
            continue
        query[field] = str(number)
        if number < least:
            rule = "greater than 0" if least else "greater than or equal to 0"
            faults.append(FieldError(field, number, f"must be {rule}"))
    if since := parameters.text("sinceTime"):
        query["sinceTime"] = since
        try:
            parse_time(since)
        except TimeError as error:
            raise bad_request(f"sinceTime: {error}") from None
        if "sinceSeconds" in query:
            both = "at most one of `sinceTime` or `sinceSeconds` may be specified"
            faults.append(FieldError("[]", "", both, ErrorKind.FORBIDDEN))
    if faults:
        raise invalid(pod_name, faults, "PodLogOptions", "")
    return query


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
    selection = parse_selection(info.kind, wanted.label_selector, wanted.field_selector or by_name)
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
