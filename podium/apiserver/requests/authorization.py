"""Authorization of requests by RBAC and v1.36's node authorizer, and impersonation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import unquote

from msgspec import structs

from podium.api.errors import RefusedError, quoted
from podium.api.nodes import LEASE_NAMESPACE
from podium.api.objects import Object, entries, part
from podium.api.pods import init_containers_of, node_name_of, volumes_of
from podium.apiserver.authentication import users
from podium.apiserver.rbac.authorizer import Authorizer, denied
from podium.apiserver.requests.messages import HEADER_SEPARATOR, Request
from podium.apiserver.requests.query_options import Parameters
from podium.apiserver.requests.routes import RequestInfo
from podium.apiserver.selection import Selection, parse_selection
from podium.apiserver.server import ApiServer

_CHANGING = ("update", "patch")
_ON_PODS = (("", "delete"), ("eviction", "create"), ("status", "update"), ("status", "patch"))
_NAME_FIELD, _NODE_NAME_FIELD = "metadata.name", "spec.nodeName"
_WHERE_NAMED: Mapping[str, tuple[str, str]] = {
    "secrets": ("secret", "secretName"),
    "configmaps": ("configMap", "name"),
}


def _node_objection(
    server: ApiServer, node: str, attempt: users.Attempt, kind: str, selection: Selection
) -> str | None:
    """The node authorizer: return why it refuses a kubelet's request.

    None if it permits the request; empty if the decision is left to roles and bindings.
    """
    name = attempt.name or next(iter(selection.values_of(_NAME_FIELD)), "")
    is_reading = attempt.verb in users.READING
    match kind:
        case "Node":
            if attempt.subresource == "status" and attempt.verb in _CHANGING:
                return None
            if attempt.subresource or not (is_reading or attempt.verb in ("create", *_CHANGING)):
                return ""
            if not is_reading or name == node:
                return None
            what = f"'{name}'" if name else "all nodes"
            return f"node '{node}' cannot read {what}, only its own Node object"
        case "Lease":
            if attempt.verb not in ("get", "create", "update", "patch", "delete"):
                return "can only get, create, update, patch, or delete a node lease"
            if attempt.namespace != LEASE_NAMESPACE:
                return f'can only access leases in the "{LEASE_NAMESPACE}" system namespace'
            if attempt.verb != "create" and name != node:
                return "can only access node lease with the same name as the requesting node"
            return None
        case "Pod":
            if (attempt.subresource, attempt.verb) in _ON_PODS:
                return None
            if attempt.subresource or not is_reading:
                return ""
            if attempt.verb != "get" and selection.values_of(_NODE_NAME_FIELD)[:1] == [node]:
                return None
            if not name:
                return "can only list/watch pods with spec.nodeName field selector"
            pod = server.store.get(kind, attempt.namespace, name)
            is_related = pod is not None and node_name_of(pod) == node
        case "Secret" | "ConfigMap":
            if not is_reading:
                return "can only read resources of this type"
            if attempt.subresource:
                return "cannot read subresource"
            if not attempt.namespace:
                return "can only read namespaced object of this type"
            if not name:
                return "No Object name found"
            pods = server.store.list("Pod", attempt.namespace).items
            is_related = any(
                name in _referenced(pod, attempt.resource)
                for pod in pods
                if node_name_of(pod) == node
            )
        case _:
            return ""
    return None if is_related else f"no relationship found between node '{node}' and this object"


def _referenced(pod: Object, resource: str) -> Iterator[str]:
    """Yield the names of the Secrets or ConfigMaps that a pod references."""
    spec = pod["spec"]
    source, volume_field = _WHERE_NAMED[resource]
    references = [
        part(projection, source)
        for volume in volumes_of(spec)
        for projection in entries(part(volume, "projected"), "sources")
    ]
    for container in (*init_containers_of(spec), *spec["containers"]):
        references += (part(given, f"{source}Ref") for given in entries(container, "envFrom"))
        for variable in entries(container, "env"):
            references.append(part(variable, "valueFrom", f"{source}KeyRef"))
    if resource == "secrets":
        references += entries(spec, "imagePullSecrets")
    yield from (reference.get("name", "") for reference in references)
    yield from (part(volume, source).get(volume_field, "") for volume in volumes_of(spec))


_USER, _UID, _GROUP = "impersonate-user", "impersonate-uid", "impersonate-group"
_EXTRA = "impersonate-extra-"
_AUTHENTICATION = "authentication.k8s.io"


def in_name_of(server: ApiServer, request: Request) -> Request:
    """Return a request as its impersonated user's, if any (`kubectl --as`); raises RefusedError."""
    headers = {
        header: value.split(HEADER_SEPARATOR)
        for header, value in request.headers.items()
        if header in (_USER, _UID, _GROUP) or header.startswith(_EXTRA)
    }
    if not headers:
        return request
    name, uid = (headers.get(header, [""])[0] for header in (_USER, _UID))
    groups = tuple(headers.get(_GROUP, ()))
    extra = tuple(
        (unquote(header.removeprefix(_EXTRA)), tuple(values))
        for header, values in headers.items()
        if header.startswith(_EXTRA)
    )
    if not name:
        parts = {"uid": uid, "groups": groups, "extra": extra}
        what = ", ".join(part for part, value in parts.items() if value) or "nothing"
        raise RefusedError(400, "BadRequest", f"requested {what} without impersonating a user")
    account = users.service_account_of(name)
    namespace, user_name = account or ("", name)
    resource = "users" if account is None else "serviceaccounts"
    impersonate = partial(users.Attempt, "impersonate")
    for attempt in (
        impersonate(resource=resource, namespace=namespace, name=user_name),
        *(impersonate(resource="groups", name=group) for group in groups),
        *(
            impersonate(_AUTHENTICATION, "userextras", key, name=value)
            for key, values in extra
            for value in values
        ),
        *([impersonate(_AUTHENTICATION, "uids", name=uid)] if uid else []),
    ):
        verdict = server.authorizer.decide(request.user, attempt)
        if not verdict.allowed:
            raise denied(request.user, attempt, verdict.reason)
    if account is not None and not groups:
        groups = users.service_account_user(*account).groups
    if users.AUTHENTICATED not in groups and users.UNAUTHENTICATED not in groups:
        groups += (users.UNAUTHENTICATED if name == users.ANONYMOUS.name else users.AUTHENTICATED,)
    return replace(request, user=users.User(name, tuple(dict.fromkeys(groups)), uid, extra))


# Interactive use of a pod isn't reading, although clients start it by a GET that is upgraded.
_INTERACTIVE = ("attach", "exec", "portforward")


def check(server: ApiServer, user: users.User, info: RequestInfo, parameters: Parameters) -> None:
    """Authorize a request for a resource; raises RefusedError (403) with RBAC's message."""
    is_watch = info.verb == "list" and parameters.flag("watch")
    verbs = ["watch" if is_watch else info.verb]
    if info.subresource in _INTERACTIVE and verbs == ["get"]:
        verbs.append("create")
    resource = (info.group, info.kind.plural, info.subresource, info.namespace, info.name)
    for verb in verbs:
        attempt = users.Attempt(verb, *resource)
        if user.may(attempt):
            continue
        selection = parse_selection(info.kind, "", parameters.text("fieldSelector"))
        if verb in ("list", "watch") and not attempt.name:
            names = selection.values_of(_NAME_FIELD)
            attempt = structs.replace(attempt, name=names[0] if names else "")
        why = None
        if user.node is not None:
            why = _node_objection(server, user.node, attempt, info.kind.key, selection)
            if why is None:
                continue
        verdict = server.authorizer.decide(user, attempt)
        if not verdict.allowed:
            raise denied(user, attempt, ", ".join(filter(None, (why, verdict.reason))))


def check_path(
    authorizer: Authorizer, user: users.User, method: str, segments: Sequence[str]
) -> None:
    """Authorize a request for a non-resource path; raises RefusedError (403)."""
    attempt = users.Attempt(verb=method.lower(), path="/" + "/".join(segments))
    verdict = authorizer.decide(user, attempt)
    if not verdict.allowed:
        what = f"cannot {attempt.verb} path {quoted(attempt.path)}"
        why = f"forbidden: User {quoted(user.name)} {what}"
        if verdict.reason:
            why += f": {verdict.reason}"
        raise RefusedError(403, "Forbidden", why, details={})
