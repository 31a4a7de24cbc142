"""Reading: one object, a list of them, and a watch."""

from podium.api.kinds import KINDS
from podium.api.objects import Object, annotations
from podium.api.pods import node_name_of
from podium.api.refused import RefusedError
from podium.apiserver.long_work import apart, concerns, kept
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import JSON
from podium.apiserver.requests.options import ListOptions, list_options
from podium.apiserver.requests.presenting import shown_list
from podium.apiserver.requests.watching import Watching
from podium.apiserver.selection import Selection, parse_selection
from podium.apiserver.server import Page, WatchOptions
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.reading import parse_version, too_large
from podium.node.real.registration import LOGS as LOG_DIRECTORY
from podium.store.errors import TooLargeResourceVersionError

_NAME_FIELD = "metadata.name"


def get(call: Call) -> Response:
    """Answer with an object."""
    route = call.route
    _check_seen(call)
    obj = call.server.get(route.kind, route.namespace, route.name)
    concerns(obj)
    if route.subresource == "scale":
        obj = scale_of(route.kind, obj)
    return call.answer(obj)


def _check_seen(call: Call) -> None:
    """Make sure that what is stored is as new as the client has seen it."""
    version = call.parameters.text("resourceVersion")
    revision, current = parse_version(version) if version else 0, call.server.store.revision
    if revision > current:
        raise too_large(TooLargeResourceVersionError(revision, current))


def list_or_watch(call: Call) -> Response:
    """Answer with a list, or with a watch that begins."""
    route = call.route
    wanted = list_options(call.parameters, watch=route.verb == "watch")
    selection = _selection(call, wanted)
    if wanted.watch:
        return _watch(call, wanted, selection)
    listing = kept(
        "listing", lambda: call.server.list(route.kind, route.namespace, selection, page(wanted))
    )
    concerns({"items": listing.items})
    return call.respond(200, apart(shown_list, call.form, listing, call.now_s))


def page(wanted: ListOptions) -> Page:
    """Which part of a list is wanted."""
    return Page(
        limit=wanted.limit,
        continue_token=wanted.continue_token,
        resource_version=wanted.resource_version,
        match=wanted.resource_version_match,
    )


def _selection(call: Call, wanted: ListOptions) -> Selection:
    kind, name, fields = call.route.kind, call.route.name, wanted.field_selector
    if not name:
        return parse_selection(kind, wanted.label_selector, fields)
    by_name = f"{_NAME_FIELD}={name}"
    selection = parse_selection(kind, wanted.label_selector, fields or by_name)
    named = [term.value for term in selection.fields if term.equal and term.field == _NAME_FIELD]
    if named != [name]:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return selection


def _watch(call: Call, wanted: ListOptions, selection: Selection) -> Response:
    start = WatchOptions(
        resource_version=wanted.resource_version,
        send_initial_events=wanted.send_initial_events,
        allow_bookmarks=wanted.allow_watch_bookmarks,
    )
    stream = call.server.watch(call.route.kind, call.route.namespace, selection, start)
    # A stream of events is JSON, line by line, whatever else is accepted.
    return Response(200, Watching(stream, call.form, wanted.timeout_s), (("Content-Type", JSON),))


def connect(call: Call) -> Response:
    """Refuse to connect to what runs in a pod: nothing does, or nobody leads there."""
    route = call.route
    pod = call.server.get(KINDS["Pod"], route.namespace, route.name)
    message = f"pod {route.name} is simulated, and nothing runs in it for {route.subresource}"
    if _log_directory(call, pod):
        message = f"pod {route.name} runs on a machine that this server has no way to"
    raise RefusedError(501, "NotImplemented", message)


def log(call: Call) -> Response:
    """Answer with a container's output, of which there is none if nothing is really run.

    What runs on a real machine is logged there; the answer says where.
    """
    route = call.route
    pod = call.server.get(KINDS["Pod"], route.namespace, route.name)
    container = call.parameters.text("container")
    names = [one["name"] for one in pod["spec"].get("containers") or ()]
    others = [one["name"] for one in pod["spec"].get("initContainers") or ()]
    if container and container not in names + others:
        raise bad_request(f"container {container} is not valid for pod {route.name}")
    if not container and len(names) > 1:
        choice = f"choose one of: [{' '.join(names)}]"
        if others:
            choice += f" or one of the init containers: [{' '.join(others)}]"
        raise bad_request(f"a container name must be specified for pod {route.name}, {choice}")
    directory = _log_directory(call, pod)
    if directory:
        metadata, shown = pod["metadata"], container or names[0]
        place = f"{directory}/{metadata['namespace']}_{route.name}_{metadata['uid']}/{shown}"
        message = f"the logs are on node {pod['spec']['nodeName']}, in {place}"
        raise RefusedError(501, "NotImplemented", message)
    return Response(200, "", (("Content-Type", "text/plain"),))


def _log_directory(call: Call, pod: Object) -> str:
    """Where the node of a pod keeps logs; empty if it isn't a real one."""
    name = node_name_of(pod)
    node = call.server.store.get("Node", "", name) if name else None
    return "" if node is None else annotations(node).get(LOG_DIRECTORY, "")
