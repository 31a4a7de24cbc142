"""Reading: one object, a list of them, and a watch."""

from podium.api.kinds import KINDS
from podium.api.objects import Object, annotations, name, status_of
from podium.api.pods import node_name_of
from podium.api.refused import RefusedError
from podium.apiserver.long_work import apart, concerns, kept
from podium.apiserver.refusals import bad_request
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import Response
from podium.apiserver.requests.negotiation import JSON
from podium.apiserver.requests.options import list_options
from podium.apiserver.requests.presenting import Watching, shown_list
from podium.apiserver.selection import Selection, parse_selection
from podium.apiserver.subresources.scale import scale_of
from podium.apiserver.verbs.options import ListOptions
from podium.apiserver.verbs.reading import parse_version, too_large
from podium.node.real.registration import LOGS as LOG_DIRECTORY
from podium.store.errors import TooLargeResourceVersionError

_NAME_FIELD = "metadata.name"
_PLAIN_TEXT = (("Content-Type", "text/plain"),)


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
    if _log_directory(call, pod):
        message = f"pod {info.name} runs on a machine that this server has no way to"
    raise RefusedError(501, "NotImplemented", message)


def log(call: Call) -> Response:
    """Answer with a container's output: of a simulated one that there is none.

    What runs on a real machine is logged there; the answer says where.
    """
    info = call.info
    pod = call.server.get(KINDS["Pod"], info.namespace, info.name)
    container = call.parameters.text("container")
    names = [one["name"] for one in pod["spec"].get("containers") or ()]
    others = [one["name"] for one in pod["spec"].get("initContainers") or ()]
    added = [one["name"] for one in pod["spec"].get("ephemeralContainers") or ()]
    if container and container not in names + others + added:
        raise bad_request(f"container {container} is not valid for pod {info.name}")
    if not container and len(names) > 1:
        choice = f"choose one of: [{' '.join(names)}]"
        if others:
            choice += f" or one of the init containers: [{' '.join(others)}]"
        raise bad_request(f"a container name must be specified for pod {info.name}, {choice}")
    directory = _log_directory(call, pod)
    if directory:
        metadata, shown = pod["metadata"], container or names[0]
        place = f"{directory}/{metadata['namespace']}_{info.name}_{metadata['uid']}/{shown}"
        message = f"the logs are on node {pod['spec']['nodeName']}, in {place}"
        raise RefusedError(501, "NotImplemented", message)
    return Response(200, _simulated_output(pod, container or names[0]), _PLAIN_TEXT)


def _simulated_output(pod: Object, container: str) -> str:
    """What is said in place of the output of a container that only seems to run."""
    status = status_of(pod)
    lists = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    told = [one for field in lists for one in status.get(field) or ()]
    state = next((one.get("state") or {} for one in told if one.get("name") == container), {})
    if waiting := state.get("waiting"):
        where = f'container "{container}" in pod "{name(pod)}"'
        raise bad_request(f"{where} is waiting to start: {waiting.get('reason')}")
    if not state:
        return ""
    return f"pod {name(pod)} is simulated, and nothing runs in it: {container} writes no logs\n"


def _log_directory(call: Call, pod: Object) -> str:
    """Where the node of a pod keeps logs; empty if it isn't a real one."""
    name = node_name_of(pod)
    node = call.server.store.get("Node", "", name) if name else None
    return "" if node is None else annotations(node).get(LOG_DIRECTORY, "")
