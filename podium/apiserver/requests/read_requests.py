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
from podium.apiserver.selection import parse_selection
from podium.apiserver.store.errors import TooLargeResourceVersionError
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.list import parse_version, too_large

_NAME_FIELD = "metadata.name"


def get(call: Call) -> Response:
    """Answer with an object."""
    info = call.info
    version = call.parameters.text("resourceVersion")
    revision, current = parse_version(version) if version else 0, call.server.store.revision
    if revision > current:
        # What is stored must be as new as the client has seen it.
        raise too_large(TooLargeResourceVersionError(revision, current))
    obj = call.server.get(info.kind, info.namespace, info.name)
    concerns(obj)
    if info.subresource == "scale":
        obj = scale_of(info.kind, obj)
    return call.answer(obj)


def list_or_watch(call: Call) -> Response:
    """Answer with a list, or with a watch that begins."""
    info = call.info
    wanted = list_options(call.parameters, watch=info.verb == "watch")
    by_name = f"{_NAME_FIELD}={info.name}" if info.name else ""
    fields = wanted.field_selector or by_name
    selection = parse_selection(info.kind, wanted.label_selector, fields)
    named = [term.value for term in selection.fields if term.equal and term.field == _NAME_FIELD]
    if info.name and named != [info.name]:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    if wanted.watch:
        stream = call.server.watch(info.kind, info.namespace, selection, wanted)
        watching = Watching(stream, call.form, wanted.timeout_s)
        # A stream of events is JSON, line by line, whatever else is accepted.
        return Response(200, watching, (("Content-Type", JSON),))
    listing = kept(
        "listing", lambda: call.server.list(info.kind, info.namespace, selection, wanted)
    )
    concerns({"items": listing.items})
    return call.respond(200, apart(shown_list, call.form, listing, call.now_s))


def connect(call: Call) -> Response:
    """Refuse to connect to a container: it is simulated, or on a machine out of reach."""
    info = call.info
    pod = call.server.get(KINDS["Pod"], info.namespace, info.name)
    message = f"pod {info.name} is simulated, and nothing runs in it for {info.subresource}"
    if log_directory(call, pod):
        message = f"pod {info.name} runs on a machine that this server has no way to"
    raise RefusedError(501, "NotImplemented", message)
