"""Container logs: a text for simulated containers, and the kubelet's address for real ones."""

from urllib.parse import quote, urlencode

from podium.api.errors import ErrorKind, FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, annotations, namespace, part, status_of
from podium.api.pods import node_name_of
from podium.api.refused import RefusedError
from podium.api.values.times import TimeError, parse_time
from podium.api.well_known import LOG_DIRECTORY
from podium.apiserver.refusals import bad_request, invalid
from podium.apiserver.requests.calls import Call
from podium.apiserver.requests.messages import NodeLog, Response
from podium.apiserver.requests.query_options import Parameters

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
    message = f"the logs are on node {node_name}, in {place}"
    raise RefusedError(501, "NotImplemented", message)


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
