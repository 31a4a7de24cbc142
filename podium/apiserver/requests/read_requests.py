"""Reading: one object, a list of them, and a watch."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.long_work import apart, concerns, kept
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import JSON
from podium.apiserver.requests.pod_logs import log_directory
from podium.apiserver.requests.query_options import list_options
from podium.apiserver.requests.response_forms import Watching, shown_list
from podium.apiserver.selection import Selection, parse_selection
from podium.apiserver.store.errors import TooLargeResourceVersionError
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.list import parse_version, too_large
from podium.apiserver.verbs.verb_options import ListOptions

_NAME_FIELD = "metadata.name"


def get(call: Call) -> Response:
    """Answer with an object."""
    info = call.info
    _check_seen(call)
    obj = call.server.get(info.kind, info.namespace, info.name)
    concerns(obj)
    if info.subresource == "scale":
        obj = scale_of(info.kind, obj)
    return call.answer(obj)


def _check_seen(call: Call) -> None:
    """Make sure that what is stored is as new as the client has seen it."""
    version = call.parameters.text("resourceVersion")
    revision, current = parse_version(version) if version else 0, call.server.store.revision
    if revision > current:
        raise too_large(TooLargeResourceVersionError(revision, current))


def list_or_watch(call: Call) -> Response:
    """Answer with a list, or with a watch that begins."""
    info = call.info
    wanted = list_options(call.parameters, watch=info.verb == "watch")
    selection = _selection(call, wanted)
    if wanted.watch:
        return _watch(call, wanted, selection)
    listing = kept(
        "listing", lambda: call.server.list(info.kind, info.namespace, selection, wanted)
    )
    concerns({"items": listing.items})
    return call.respond(200, apart(shown_list, call.form, listing, call.now_s))


def _selection(call: Call, wanted: ListOptions) -> Selection:
    kind, name, fields = call.info.kind, call.info.name, wanted.field_selector
    if not name:
        return parse_selection(kind, wanted.label_selector, fields)
    by_name = f"{_NAME_FIELD}={name}"
    selection = parse_selection(kind, wanted.label_selector, fields or by_name)
    named = [term.value for term in selection.fields if term.equal and term.field == _NAME_FIELD]
    if named != [name]:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return selection


def _watch(call: Call, wanted: ListOptions, selection: Selection) -> Response:
    stream = call.server.watch(call.info.kind, call.info.namespace, selection, wanted)
    # A stream of events is JSON, line by line, whatever else is accepted.
    return Response(200, Watching(stream, call.form, wanted.timeout_s), (("Content-Type", JSON),))


def connect(call: Call) -> Response:
    """Refuse to connect to what runs in a pod: nothing does, or nobody leads there."""
    info = call.info
    pod = call.server.get(KINDS["Pod"], info.namespace, info.name)
    message = f"pod {info.name} is simulated, and nothing runs in it for {info.subresource}"
    if log_directory(call, pod):
        message = f"pod {info.name} runs on a machine that this server has no way to"
    raise RefusedError(501, "NotImplemented", message)
