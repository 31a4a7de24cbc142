"""What a node's agent may ask for: what its own node and the pods on it need.

As the authorizer of mode Node in v1.36, for the resources that nodes of Podium use: its own Node
and Lease, pods that are bound to it, and the secrets and config maps that those name. What it may
write into them, the admission plugin NodeRestriction says.
"""

from collections.abc import Callable, Iterator, Mapping

from podium.api.kinds import KINDS
from podium.api.objects import Object
from podium.api.pods import node_name_of
from podium.apiserver.requests.routes import Route
from podium.apiserver.selection import Selection
from podium.apiserver.server import ApiServer
from podium.apiserver.users import Attempt
from podium.control.heartbeats import LEASE_NAMESPACE

_READING = ("get", "list", "watch")
_CHANGING = ("update", "patch")
_UNRELATED = "no relationship found between node '{}' and this object"
_NAME_FIELD, _NODE_NAME_FIELD = "metadata.name", "spec.nodeName"
_WHERE_NAMED: Mapping[str, tuple[str, str]] = {
    "secrets": ("secret", "secretName"),
    "configmaps": ("configMap", "name"),
}


def objection(
    server: ApiServer, node: str, attempt: Attempt, route: Route, selection: Selection
) -> str | None:
    """Why a node may not do something; None if it may, as far as authorization goes.

    Args:
        server: tells which pods are on the node.
        node: its name.
        attempt: what it wants to do, which its rules don't permit.
        route: the same, as it was asked for.
        selection: of a list or watch.
    """
    decide = _DECISIONS.get(route.kind.key)
    if decide is None:
        return ""
    name = attempt.name or _selected(selection, _NAME_FIELD)
    return decide(server, node, attempt, name, selection)


def _nodes(_: ApiServer, node: str, attempt: Attempt, name: str, _s: Selection) -> str | None:
    if attempt.subresource == "status" and attempt.verb in _CHANGING:
        return None
    if attempt.subresource or attempt.verb not in (*_READING, "create", *_CHANGING):
        return ""
    if attempt.verb not in _READING or name == node:
        return None
    what = f"'{name}'" if name else "all nodes"
    return f"node '{node}' cannot read {what}, only its own Node object"


def _leases(_: ApiServer, node: str, attempt: Attempt, name: str, _s: Selection) -> str | None:
    if attempt.verb not in ("get", "create", "update", "patch", "delete"):
        return "can only get, create, update, patch, or delete a node lease"
    if attempt.namespace != LEASE_NAMESPACE:
        return f'can only access leases in the "{LEASE_NAMESPACE}" system namespace'
    if attempt.verb != "create" and name != node:
        return "can only access node lease with the same name as the requesting node"
    return None


def _pods(
    server: ApiServer, node: str, attempt: Attempt, name: str, selection: Selection
) -> str | None:
    asked = (attempt.subresource, attempt.verb)
    if asked in (("", "delete"), ("eviction", "create"), ("status", "update"), ("status", "patch")):
        return None
    if attempt.subresource or attempt.verb not in _READING:
        return ""
    if attempt.verb != "get" and _selected(selection, _NODE_NAME_FIELD) == node:
        return None
    if not name:
        return "can only list/watch pods with spec.nodeName field selector"
    pod = server.store.get(KINDS["Pod"].name, attempt.namespace, name)
    return None if pod is not None and _is_on(pod, node) else _UNRELATED.format(node)


def _sources(server: ApiServer, node: str, attempt: Attempt, name: str, _: Selection) -> str | None:
    if attempt.verb not in _READING:
        return "can only read resources of this type"
    if attempt.subresource:
        return "cannot read subresource"
    if not attempt.namespace:
        return "can only read namespaced object of this type"
    if not name:
        return "No Object name found"
    pods = server.store.list(KINDS["Pod"].name, attempt.namespace).items
    named = (one for pod in pods if _is_on(pod, node) for one in _named(pod, attempt.resource))
    return None if name in named else _UNRELATED.format(node)


_Decide = Callable[[ApiServer, str, Attempt, str, Selection], str | None]
_DECISIONS: Mapping[str, _Decide] = {
    "Node": _nodes,
    "Lease": _leases,
    "Pod": _pods,
    "Secret": _sources,
    "ConfigMap": _sources,
}


def _selected(selection: Selection, field: str) -> str:
    """The value that a selection wants of a field; empty if it wants none."""
    values = (term.value for term in selection.fields if term.equal and term.field == field)
    return next(values, "")


def _is_on(pod: Object, node: str) -> bool:
    return node_name_of(pod) == node


def _named(pod: Object, resource: str) -> Iterator[str]:
    """The secrets or config maps that a pod names."""
    spec = pod["spec"]
    source, volume_field = _WHERE_NAMED[resource]
    for volume in spec.get("volumes") or ():
        if source in volume:
            yield volume[source].get(volume_field, "")
        for one in (volume.get("projected") or {}).get("sources") or ():
            yield (one.get(source) or {}).get("name", "")
    for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
        for one in container.get("envFrom") or ():
            yield (one.get(f"{source}Ref") or {}).get("name", "")
        for variable in container.get("env") or ():
            found = (variable.get("valueFrom") or {}).get(f"{source}KeyRef") or {}
            yield found.get("name", "")
    if resource == "secrets":
        for one in spec.get("imagePullSecrets") or ():
            yield one.get("name", "")
